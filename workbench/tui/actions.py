"""The table of all actions: key bindings, palette, footer, help and documentation are made from it.

To add an action: add a line to :data:`ACTIONS` and a method `action_<id>` to its pane (to the app, for a global one).
Where an action is not available, the pane's `why_not(action)` returns the reason, which is shown to the user.
"""

from dataclasses import dataclass

from textual.binding import Binding, BindingType

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
"""The panes, by their place, in the order of their keys 1 to 6."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a user can do.

    Attributes:
        id: `action_<id>` is the method that performs it.
        keys: Textual's names of the keys, separated by commas.
        title: two or three words, for the footer and the palette.
        help: one sentence without a full stop, for the help screen and the documentation.
        place: the pane it belongs to, or :data:`EVERYWHERE`.
        in_footer: whether the footer shows it; at most four per pane.
        in_form_footer: whether the footer also shows it while the user is typing text.
        in_palette: whether the palette offers it.
        first: whether it has priority over the focused widget's own binding of the key.
    """

    id: str
    keys: str
    title: str
    help: str
    place: str = EVERYWHERE
    in_footer: bool = False
    in_form_footer: bool = False
    in_palette: bool = True
    first: bool = False

    @property
    def label(self) -> str:
        """The keys as they are shown: `^p`, `?`, `enter`."""
        return " ".join(key_label(key) for key in self.keys.split(","))

    @property
    def keys_while_writing(self) -> list[str]:
        """The keys that also work where letters, digits, signs and Enter are text."""
        return [key for key in self.keys.split(",") if len(_SIGNS.get(key, key)) > 1 and key not in ("enter", "delete")]


def key_label(key: str) -> str:
    """Return the short label of one of Textual's key names."""
    if key.startswith("ctrl+"):
        return "^" + key_label(key.removeprefix("ctrl+"))
    return _SIGNS.get(key, key)


_SIGNS = {
    "question_mark": "?",
    "slash": "/",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "plus": "+",
    "minus": "-",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def actions_of(place: str) -> list[Action]:
    """Return the actions of a pane, or the global ones."""
    return [action for action in ACTIONS if action.place == place]


def bindings(place: str) -> list[BindingType]:
    """Return the key bindings of a pane, or the global ones."""
    return [
        Binding(action.keys, f"act('{action.id}')", action.title, show=False, priority=action.first)
        for action in actions_of(place)
    ]


ACTIONS: tuple[Action, ...] = (
    Action("help", "question_mark,f1", "help", "Show the keys of this pane", in_footer=True),
    Action(
        "palette", "ctrl+p", "palette", "Find a screen, an action or a tool by name", in_footer=True, in_palette=False
    ),
    Action("quit", "q,ctrl+q", "quit", "Leave the workbench: stop the core, or let it go on", in_palette=False),
    Action("reconnect", "f5", "start again", "Start the core again after it was lost, or the server behind a relay"),
    Action("speak", "f6", "speak another revision", "Choose the revision of the protocol that your calls go out in"),
    Action("want_logs", "f7", "log level", "Choose which log messages the server sends to this terminal"),
    Action("show_tools", "1", "Tools", "Show the tools, resources and prompts"),
    Action("show_inspector", "2", "Inspector", "Show every message on the wire"),
    Action("show_requests", "3", "Requests", "Show what waits for an answer from you"),
    Action("show_secrets", "4", "Secrets", "Show the secrets and the accounts that the tools need"),
    Action("show_problems", "5", "Problems", "Show what is wrong with the tools, and the last reload"),
    Action("show_sessions", "6", "Sessions", "Show who is connected, and the captures on disk"),
    # Tools
    Action("search", "slash", "search", "Find a tool, resource or prompt by its name", "tools", in_footer=True),
    Action(
        "run",
        "ctrl+j,ctrl+enter",
        "run",
        "Call the tool, read the resource, get the prompt",
        "tools",
        in_footer=True,
        first=True,
    ),
    Action("cancel_run", "ctrl+x", "cancel", "Cancel the call that runs", "tools", first=True),
    Action("run_as_task", "f8", "run as a task", "Ask the server to run the tool as a task (2025-11-25)", "tools"),
    Action(
        "describe_caller",
        "f9",
        "tell of the caller",
        "Say what your calls tell of their caller (requires_metadata)",
        "tools",
    ),
    Action("fill_example", "f4", "example", "Fill in the next of the examples that the tool gives", "tools"),
    Action(
        "toggle_json",
        "ctrl+t",
        "form/JSON",
        "Change between the form and its JSON",
        "tools",
        in_footer=True,
        first=True,
    ),
    Action(
        "newline",
        "ctrl+l,alt+enter",
        "new line",
        "Begin a new line in this text",
        "tools",
        in_form_footer=True,
        in_palette=False,
        first=True,
    ),
    Action(
        "omit",
        "ctrl+o",
        "omit",
        "Leave this field out of the call; again sets it empty",
        "tools",
        in_palette=False,
        first=True,
    ),
    Action("set_null", "ctrl+n", "null", "Send null in this field", "tools", in_palette=False, first=True),
    Action(
        "remove_item",
        "ctrl+r",
        "remove item",
        "Take this item of a list or map away",
        "tools",
        in_palette=False,
        first=True,
    ),
    Action(
        "answer",
        "ctrl+g",
        "answer",
        "Go to what the tools ask you, and come back when it is answered",
        "tools",
        first=True,
    ),
    Action("history", "h", "history", "Show or hide the calls made so far", "tools", in_footer=True),
    Action("rerun", "r", "run again", "Make the call under the cursor of the history again, or the last one", "tools"),
    Action("edit_run", "e", "edit", "Put the arguments of that call into the form", "tools"),
    Action("copy", "y", "copy", "Copy the result as JSON", "tools"),
    Action(
        "back",
        "escape",
        "back",
        "Leave the search, or go one step back; nothing is cancelled",
        "tools",
        in_form_footer=True,
        in_palette=False,
    ),
    # Inspector
    Action("filter", "slash", "filter", "Show only the messages that match", "inspector", in_footer=True),
    Action("follow", "f", "follow", "Keep the newest message in sight", "inspector", in_footer=True),
    Action("pause", "p", "pause", "Hold the list still while messages arrive", "inspector", in_footer=True),
    Action("open_detail", "enter", "detail", "Read the message, both halves of a call", "inspector", in_footer=True),
    Action("toggle_filter", "v", "filter on/off", "Show what the filter matches among all the others", "inspector"),
    Action("pair", "equals_sign", "other half", "Go from a request to its response, and back", "inspector"),
    Action(
        "only_call",
        "c",
        "this call",
        "Show only the call that this message belongs to, over all its rounds and its task",
        "inspector",
    ),
    Action("next_match", "n", "next match", "Go to the next message that the filter matches", "inspector"),
    Action("previous_match", "N", "previous match", "Go to the previous message that the filter matches", "inspector"),
    Action("copy", "y", "copy", "Copy the message as JSON", "inspector"),
    Action("clear", "z", "clear", "Hide the messages so far; the capture keeps them; again shows them", "inspector"),
    Action(
        "back", "escape", "back", "Leave the filter or the detail", "inspector", in_form_footer=True, in_palette=False
    ),
    # Requests
    Action(
        "accept",
        "ctrl+j,ctrl+enter",
        "accept",
        "Send the answer, or show at the fields what is wrong with it; from the list, go to the answer first",
        "requests",
        in_footer=True,
        first=True,
    ),
    Action("decline", "ctrl+d", "decline", "Say no", "requests", in_footer=True, first=True),
    Action(
        "dismiss", "ctrl+x", "cancel", "Dismiss the question without a choice", "requests", in_footer=True, first=True
    ),
    Action("toggle_json", "ctrl+t", "form/JSON", "Change between the form and its JSON", "requests", first=True),
    Action(
        "newline",
        "ctrl+l,alt+enter",
        "new line",
        "Begin a new line in this text",
        "requests",
        in_form_footer=True,
        in_palette=False,
        first=True,
    ),
    Action(
        "omit",
        "ctrl+o",
        "omit",
        "Leave this field out of the answer; again sets it empty",
        "requests",
        in_palette=False,
        first=True,
    ),
    Action("set_null", "ctrl+n", "null", "Answer null in this field", "requests", in_palette=False, first=True),
    Action(
        "remove_item",
        "ctrl+r",
        "remove item",
        "Take this item of a list away",
        "requests",
        in_palette=False,
        first=True,
    ),
    Action("open_url", "o", "open", "Open the address in the browser; nothing opens it but this", "requests"),
    Action("ask_roots", "a", "ask for roots", "Change whether roots wait for you or are answered at once", "requests"),
    Action("copy_url", "y", "copy address", "Copy the address", "requests"),
    Action(
        "back",
        "escape",
        "back",
        "Go back to the list; nothing is answered",
        "requests",
        in_form_footer=True,
        in_palette=False,
    ),
    # Secrets
    Action("set_secret", "enter,s", "set", "Write the value of this secret to .env", "secrets", in_footer=True),
    Action(
        "keep_secret", "v", "vault", "Keep the value of this secret in the encrypted vault", "secrets", in_footer=True
    ),
    Action("unset_secret", "u,delete", "unset", "Forget the value of this secret", "secrets", in_footer=True),
    Action("log_in", "l", "log in", "Let the tools use your account with this service", "secrets", in_footer=True),
    Action("log_in_elsewhere", "d", "log in elsewhere", "Log in by a code, on another device", "secrets"),
    Action("log_out", "o", "log out", "Forget this account, and give its token back", "secrets"),
    # Problems
    Action("edit_source", "e,enter", "edit", "Open $EDITOR at the line", "problems", in_footer=True),
    Action("reload", "R", "reload", "Load the tools again now", "problems", in_footer=True),
    # Sessions
    Action("start_http", "h", "serve HTTP", "Serve the tools over HTTP too", "sessions", in_footer=True),
    Action("copy_address", "y", "copy address", "Copy the HTTP address", "sessions", in_footer=True),
    Action("refresh", "r", "refresh", "Ask the core again", "sessions", in_footer=True),
)

SENDING = frozenset({"run", "run_as_task", "accept"})
"""The actions that send what was typed. Their keys are handled before the focused widget gets the text typed before."""
