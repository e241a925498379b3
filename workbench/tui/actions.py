"""The table of all actions: key bindings, palette, footer, help and documentation are made from it.

To add an action: add a line to :data:`ACTIONS` and a method `action_<id>` to its pane (to the app, for a global one).
Where an action is not available, the pane's `why_not(action)` returns the reason, which is shown to the user.
A text that names a key gets it from :func:`workbench.tui.key_bindings.key_for`.
"""

from dataclasses import dataclass

EVERYWHERE = ""
"""The place of the actions that are available in every pane."""

PLACES = {
    "tools": "Tools",
    "inspector": "Inspector",
    "requests": "Requests",
    "secrets": "Secrets",
    "problems": "Problems",
    "sessions": "Sessions",
}
"""The titles of the panes, by their place, in the order of their keys alt+1 to alt+6.

The digits alone show them as well, except in texts and in the fields of forms.
"""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a user can do."""

    id: str  # `action_<id>` is the method that performs it.
    keys: str  # Textual's names of the keys, separated by commas.
    title: str  # Two or three words, for the footer and the palette.
    help: str  # One sentence without a full stop, for the help screen and the documentation.
    place: str = EVERYWHERE  # The pane it belongs to.
    in_footer: bool = False  # About four per pane; of more, a narrow terminal leaves out those with a weight.
    in_form_footer: bool = False  # Whether the footer also shows it while the user is typing text.
    in_palette: bool = True
    has_priority: bool = False  # Over the focused widget's own binding of the key.

    @property
    def key_names(self) -> list[str]:
        """The names of its keys; none if the user gave them to other actions."""
        return self.keys.split(",") if self.keys else []


def _form_actions(place: str) -> tuple[Action, ...]:
    return (
        Action("reset_json", "f2", "reset JSON", "Return the JSON to the last readable value, or empty it", place),
        Action(
            "edit_value",
            "ctrl+e",
            "$EDITOR",
            "Open $EDITOR for this field, or for the whole value as JSON",
            place,
            has_priority=True,
        ),
        Action(
            "find_field",
            "ctrl+slash,ctrl+underscore",
            "find field",
            "Search a field of the form and go there; / does it where nothing can be typed",
            place,
            has_priority=True,
        ),
        Action(
            "propose",
            "ctrl+space,ctrl+@",
            "proposals",
            "Propose values for this field, or keys and values of the JSON",
            place,
            in_palette=False,
            has_priority=True,
        ),
        Action(
            "newline",
            "ctrl+l,alt+enter",
            "new line",
            "Insert a line break",
            place,
            in_form_footer=True,
            in_palette=False,
            has_priority=True,
        ),
        Action(
            "omit",
            "alt+o",
            "omit",
            "Omit this field; press again to send it empty",
            place,
            in_palette=False,
            has_priority=True,
        ),
        Action("set_null", "ctrl+n", "null", "Send null in this field", place, in_palette=False, has_priority=True),
        Action(
            "remove_item",
            "ctrl+r",
            "remove item",
            "Remove this item of a list or map",
            place,
            in_palette=False,
            has_priority=True,
        ),
        Action(
            "move_item_up",
            "alt+up",
            "move up",
            "Move this item of a list up",
            place,
            in_palette=False,
            has_priority=True,
        ),
        Action(
            "move_item_down",
            "alt+down",
            "move down",
            "Move this item of a list down",
            place,
            in_palette=False,
            has_priority=True,
        ),
        Action(
            "toggle_items",
            "alt+l",
            "line/items",
            "Write a list on one line, or each item in its own row",
            place,
            in_palette=False,
            has_priority=True,
        ),
    )


ACTIONS: tuple[Action, ...] = (
    Action("help", "question_mark,f1", "help", "Show the keys of this pane, and search those of all", in_footer=True),
    Action(
        "palette", "ctrl+p", "palette", "Find a screen, an action or a tool by name", in_footer=True, in_palette=False
    ),
    Action("quit", "q,ctrl+q", "quit", "Quit the workbench; the core can keep running"),
    Action(
        "maximise",
        "ctrl+f",
        "maximise",
        "Give the column with the focus all room, or show all columns again",
        has_priority=True,
    ),
    Action(
        "jump",
        "ctrl+o",
        "jump",
        "Show a letter on each part in view, and go to the one that you type",
        in_palette=False,
        has_priority=True,
    ),
    Action("widen_column", "alt+right", "move line right", "Move the line beside the focused column to the right"),
    Action("narrow_column", "alt+left", "move line left", "Move the line beside the focused column to the left"),
    Action(
        "answer",
        "ctrl+g",
        "answer",
        "Go to the request of the call in view, or to the oldest; press again to go back",
        has_priority=True,
    ),
    Action("make_rule", "alt+r", "make rule", "Make a rule from the answer to a request, given or being written"),
    Action("show_rules", "alt+w", "rules", "Show the rules that answer requests of tools, and switch them off or on"),
    Action("restart", "f5", "restart", "Restart a lost core, or the server behind a relay"),
    Action(
        "stop_restarts",
        # Most terminals send shift+f5 as f17.
        "shift+f5,f17",
        "stop restarts",
        "Do not restart the server that has ended by itself any more",
    ),
    Action("open_server", "alt+s", "open server", "Open another server or project in this terminal"),
    Action("switch_revision", "f6", "switch protocol revision", "Switch the protocol revision of your calls"),
    Action(
        "switch_persona",
        "shift+f6,f18",
        "switch persona",
        "Call as another client: with its name, revision and capabilities",
    ),
    Action("set_log_level", "f7", "log level", "Set the minimum level of the server's log messages"),
    Action("show_notices", "f3", "notices", "Show the messages so far, in full, with their times"),
    Action("show_commands", "alt+c", "command log", "Show the command of each thing that you have done, and copy it"),
    Action("show_tools", "alt+1,1", "Tools", "Show the tools, resources and prompts"),
    Action("show_inspector", "alt+2,2", "Inspector", "Show every message on the wire"),
    Action("show_requests", "alt+3,3", "Requests", "Show the requests that wait for your answer"),
    Action("show_secrets", "alt+4,4", "Secrets", "Show the secrets and the accounts that the tools need"),
    Action("show_problems", "alt+5,5", "Problems", "Show the problems of the tools, and the last reload"),
    Action("show_sessions", "alt+6,6", "Sessions", "Show the clients, and the captures on disk"),
    # Tools
    Action("search", "slash", "search", "Find a tool, resource or prompt by its name", "tools", in_footer=True),
    Action("toggle_order", "O", "order", "List by name, or in the order of the server", "tools"),
    Action(
        "run",
        "ctrl+j,ctrl+enter",
        "run",
        "Call the tool, read the resource, get the prompt",
        "tools",
        in_footer=True,
        has_priority=True,
    ),
    Action(
        "save_call",
        "ctrl+s",
        "save call",
        "Save the call in the form under a name, in workbench.yaml",
        "tools",
        has_priority=True,
    ),
    Action("rename_call", "R", "rename saved call", "Rename the saved call under the cursor", "tools"),
    Action("delete_call", "delete", "delete saved call", "Delete the saved call under the cursor", "tools"),
    Action(
        "cancel_run",
        "ctrl+x",
        "cancel",
        "Cancel the call in view; after 10 s, it asks first",
        "tools",
        has_priority=True,
    ),
    Action(
        "watch",
        "w",
        "watch",
        "Call it again at each save, and show what differs; of a resource: subscribe to its updates; again: end that",
        "tools",
    ),
    Action("show_watched", "W", "watched calls", "Show the watched calls, and what differs in their results", "tools"),
    Action("run_as_task", "f8", "run as a task", "Ask the server to run the tool as a task (2025-11-25)", "tools"),
    Action(
        "set_meta",
        "f9",
        "set _meta",
        "Set the _meta that your calls send (requires_metadata)",
        "tools",
    ),
    Action("fill_example", "f4", "example", "Fill in the tool's next example", "tools"),
    Action(
        "toggle_json",
        "ctrl+t",
        "next view",
        "Switch between the form, its JSON and the definition",
        "tools",
        in_footer=True,
        has_priority=True,
    ),
    *_form_actions("tools"),
    Action(
        "show_definition", "alt+i", "definition", "Show the definition as a model sees it, or the form again", "tools"
    ),
    Action("edit_source", "E", "edit source", "Open $EDITOR at the definition of the tool", "tools"),
    Action("toggle_history", "h", "history", "Show or hide past calls", "tools", in_footer=True),
    Action(
        "run_again",
        "r",
        "run again",
        "Repeat the selected call of the history, or the last call",
        "tools",
        in_footer=True,
    ),
    Action("edit_run", "e", "edit", "Load the arguments of that call into the form", "tools", in_footer=True),
    Action("copy", "y", "copy", "Copy what is under the cursor, or the result as JSON", "tools"),
    Action(
        "previous_tab",
        "left_square_bracket",
        "previous tab",
        "Show the previous view of the form or the call",
        "tools",
    ),
    Action(
        "next_tab",
        "right_square_bracket",
        "next view",
        "Show the next view of the form or the call",
        "tools",
        in_footer=True,
    ),
    Action("show_messages", "equals_sign", "messages", "Show the messages of this call in the Inspector", "tools"),
    Action(
        "back",
        "escape",
        "back",
        "Close the search, or go back; nothing is cancelled",
        "tools",
        in_form_footer=True,
        in_palette=False,
    ),
    # Inspector
    Action("filter", "slash", "filter", "Show only the messages that match", "inspector", in_footer=True),
    Action("save_filter", "ctrl+s", "save filter", "Save the filter under a name; @name stands for it", "inspector"),
    Action("follow", "f", "follow", "Follow the newest message", "inspector", in_footer=True),
    Action("pause", "p", "pause", "Freeze the list while messages arrive", "inspector", in_footer=True),
    Action(
        "open_detail", "enter", "detail", "Show the message, with its request or response", "inspector", in_footer=True
    ),
    Action(
        "toggle_filter", "v", "filter on/off", "Show all messages and mark the matches, or only matches", "inspector"
    ),
    Action(
        "go_to_counterpart", "equals_sign", "counterpart", "Go from a request to its response, or back", "inspector"
    ),
    Action("hold", "i", "hold", "Hold the messages that match a filter, before they are delivered", "inspector"),
    Action("show_held", "I", "held", "Release, change, drop or answer the messages that are held", "inspector"),
    Action("toggle_calls", "m", "messages", "Show each call as one row, or each message as a row", "inspector"),
    Action(
        "filter_call",
        "c",
        "this call",
        "Show only the call of this message, with its rounds and task",
        "inspector",
    ),
    Action(
        "filter_value",
        "a",
        "this value",
        "Add the value under the cursor of the detail to the filter: messages with this value at the same path",
        "inspector",
    ),
    Action("show_run", "number_sign", "run", "Show the run of this call in Tools, with its result", "inspector"),
    Action(
        "edit_call", "e", "edit", "Load the arguments of this call, also of another client, into the form", "inspector"
    ),
    Action(
        "extend",
        "alt+e",
        "more time",
        "Have the core wait 60 s longer for this call, of any client",
        "inspector",
    ),
    Action("send_again", "r", "send again", "Send this message of a client again", "inspector", in_footer=True),
    Action(
        "edit_message",
        "E",
        "change",
        "Change this message of a client as JSON, and send it",
        "inspector",
        in_footer=True,
    ),
    Action(
        "compose",
        "C",
        "compose",
        "Write a message to the server as JSON, valid or not, and send it",
        "inspector",
        in_footer=True,
    ),
    Action("mark", "b", "mark", "Mark this message in a colour, or remove the mark", "inspector"),
    Action("comment", "B", "comment", "Write a comment on this message", "inspector"),
    Action("next_match", "n", "next match", "Go to the next message that the filter matches", "inspector"),
    Action("previous_match", "N", "previous match", "Go to the previous message that the filter matches", "inspector"),
    Action("copy", "y", "copy", "Copy the message as JSON", "inspector"),
    Action("copy_as", "Y", "copy as", "Copy this call as a command, as curl, Python or a test", "inspector"),
    Action("write_test", "T", "write test", "Write a test that expects the result of this call", "inspector"),
    Action("sort", "o", "sort", "Sort the list by time, duration, size, name or status", "inspector"),
    Action("columns", "O", "columns", "Choose the columns of the list", "inspector"),
    Action("statistics", "S", "statistics", "Show calls, errors and times of each tool", "inspector"),
    Action("export", "x", "export", "Export the messages shown as JSON lines, HAR, Markdown or HTML", "inspector"),
    Action("clear", "z", "clear", "Hide the messages so far, or show them again", "inspector"),
    Action(
        "back", "escape", "back", "Close the filter or the detail", "inspector", in_form_footer=True, in_palette=False
    ),
    # Requests
    Action(
        "accept",
        "ctrl+j,ctrl+enter",
        "accept",
        "Send the answer; invalid fields are shown first",
        "requests",
        in_footer=True,
        has_priority=True,
    ),
    Action("decline", "ctrl+d", "decline", "Decline the request", "requests", in_footer=True, has_priority=True),
    Action(
        "cancel",
        "alt+d",
        "dismiss",
        "Dismiss the request without a choice",
        "requests",
        in_footer=True,
        has_priority=True,
    ),
    Action(
        "next_request",
        "alt+n",
        "next",
        "Go to the next of several open requests",
        "requests",
        in_footer=True,
        has_priority=True,
    ),
    Action("toggle_json", "ctrl+t", "form/JSON", "Switch between the form and its JSON", "requests", has_priority=True),
    *_form_actions("requests"),
    Action(
        "extend", "alt+e", "more time", "Have the core wait 60 s longer for the answer", "requests", has_priority=True
    ),
    Action("open_url", "o", "open", "Open the URL in the browser", "requests"),
    Action("ask_roots", "a", "ask for roots", "Answer requests for roots yourself, or automatically", "requests"),
    Action("copy_url", "y", "copy URL", "Copy the URL", "requests"),
    Action(
        "back",
        "escape",
        "back",
        "Go back without an answer; nothing is cancelled",
        "requests",
        in_form_footer=True,
        in_palette=False,
    ),
    # Secrets
    Action("set_secret", "enter,s", "set", "Write the value of this secret to .env", "secrets", in_footer=True),
    Action(
        "store_in_vault",
        "v",
        "vault",
        "Store the value of this secret in the encrypted vault",
        "secrets",
        in_footer=True,
    ),
    Action("unset_secret", "u,delete", "unset", "Remove the value of this secret", "secrets", in_footer=True),
    Action("log_in", "l", "log in", "Authorize the tools to use your account", "secrets", in_footer=True),
    Action("log_in_by_device", "d", "device login", "Log in on another device, with a code", "secrets"),
    Action("log_out", "o", "log out", "Remove the account's token, and revoke it", "secrets"),
    Action("copy", "y", "copy", "Copy the name of the secret or account, never a value", "secrets"),
    # Problems
    Action("edit_source", "E,e,enter", "edit", "Open $EDITOR at the line", "problems", in_footer=True),
    Action("reload", "R", "reload", "Reload the tools now", "problems", in_footer=True),
    Action("copy", "y", "copy", "Copy the problem with its place and advice", "problems"),
    # Sessions
    Action(
        "open_row",
        "enter",
        "open",
        "Of a capture: open it in the Inspector, replay or delete it; of a client: show its messages in the Inspector",
        "sessions",
        in_footer=True,
    ),
    Action(
        "rename_capture",
        "n",
        "name",
        "Give the capture a name, which is stored in it",
        "sessions",
        in_footer=True,
    ),
    Action(
        "pin_capture",
        "p",
        "pin",
        "Pin the capture, so that it stays when old ones are deleted, or remove the pin",
        "sessions",
        in_footer=True,
    ),
    Action("note_capture", "N", "note", "Write a note on the capture, which is stored in it", "sessions"),
    Action("delete_capture", "d,delete", "delete", "Delete the capture, after a question", "sessions", in_footer=True),
    Action(
        "search_captures",
        "slash",
        "search",
        "Search for a text in the messages of all captures of this server, or of all servers",
        "sessions",
        in_footer=True,
    ),
    Action("mark_capture", "m", "mark", "Mark the capture, to compare another with it, or remove the mark", "sessions"),
    Action(
        "compare_captures",
        "c",
        "compare",
        "Compare the marked capture with this one, call by call",
        "sessions",
        in_footer=True,
    ),
    Action("next_list", "tab", "next list", "Go to the other list", "sessions", in_footer=True, in_palette=False),
    Action(
        "toggle_http",
        "H",
        "HTTP on/off",
        "Serve the tools over HTTP as well, or stop it; both ask first",
        "sessions",
        in_footer=True,
    ),
    Action("copy", "y", "copy", "Copy what is known about the client, or the path of the capture", "sessions"),
    Action("copy_http_url", "Y", "copy URL", "Copy the HTTP URL", "sessions", in_footer=True),
    Action("refresh", "r", "refresh", "Refresh the lists", "sessions", in_footer=True),
    Action("ping", "P", "ping", "Ping the server, and show the time until its answer", "sessions", in_footer=True),
    Action("edit_roots", "f", "roots", "Show and edit the folders that the server may ask for (roots)", "sessions"),
)

SENDING_ACTIONS = frozenset({"run", "run_as_task", "accept"})
"""The actions that send what was typed. Their keys have priority, so a pane first waits for the text typed before."""


def actions_of(place: str) -> list[Action]:
    """Return the actions of a pane, or the global ones."""
    return [action for action in ACTIONS if action.place == place]


def find_action(action_id: str, place: str = EVERYWHERE) -> Action:
    """Return an action of a pane, or a global one."""
    return next(action for action in actions_of(place) if action.id == action_id)
