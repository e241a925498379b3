"""HoldActions messages from the inspector: the filter of what is held, and the list of what waits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.model.describe import plural
from workbench.model.traffic.filter_tokens import FilterError
from workbench.tui.actions import Action, find_action
from workbench.tui.key_bindings import key_for
from workbench.tui.screens.dialogs import PromptScreen
from workbench.tui.screens.held_screen import HeldScreen
from workbench.workspace.saved_filters import read_filter, written_out

if TYPE_CHECKING:
    from workbench.tui.screens.message_pane import MessagePane

_TEXT = """\
Messages that match wait, in both directions, until you release, change, drop or answer them.
The filter is that of the Inspector: tool:greet dir:in, method:tools/call, kind:response.
An empty filter ends the hold. seq>0 holds every message."""


class HoldActions:
    """The hold of the core, for the inspector."""

    def __init__(self, pane: "MessagePane") -> None:
        self._pane = pane

    def why_not(self, action: str) -> str | None:
        """Return why an action is not possible; None if it is."""
        workspace = self._pane.workspace
        if not workspace.connected:
            return f"The core is lost. {workspace.restart_hint}"
        if workspace.link.info.get("role") == "viewer":
            return "A viewer cannot hold messages; attach as operator or admin."
        if action == "show_held" and not workspace.held.messages and workspace.held.filter is None:
            return f"No messages are held: press {key_for('hold', 'inspector')} and enter a filter."
        return None

    @property
    def first_hints(self) -> Sequence[Action]:
        """The key that shows the messages, while there are any."""
        return (find_action("show_held", "inspector"),) if self._pane.workspace.held.messages else ()

    @property
    def facts(self) -> list[str]:
        """What the note beside the filter shows of the hold."""
        held = self._pane.workspace.held
        if held.messages:
            return [f"‖ {plural(len(held.messages), 'message')} held"]
        return [] if held.filter is None else ["‖ hold"]

    async def set_filter(self) -> None:
        """Let the user enter what is held from now on; it begins with the hold, or else with the filter in view."""
        held = self._pane.workspace.held
        value = self._pane.filter_text if held.filter is None else held.filter

        def problem(text: str) -> str | None:
            if not text.strip() and held.filter is None and not held.messages:
                return "Enter a filter, such as tool:greet; seq>0 holds every message."
            return _problem(text)

        prompt = PromptScreen("Hold messages", _TEXT, value=value, placeholder="tool:greet dir:in", problem=problem)
        text = await self._pane.app.push_screen_wait(prompt)
        if text is None:
            return
        if await self._pane.attempt(held.set(written_out(text.strip())) if text.strip() else held.clear()):
            if text.strip():
                self._pane.log_command("inspector.hold", filter=text.strip())
            else:
                self._pane.log_command("inspector.hold clear")

    async def show(self) -> None:
        """Show the messages that wait, until the user closes the list."""
        await self._pane.app.push_screen_wait(HeldScreen(self._pane.workspace, self._log_verb))

    def _log_verb(self, verb: str, id: int) -> None:
        # What was written may contain the value of a secret.
        note = "without the text, which the command reads from stdin" if verb.startswith("edit") else ""
        self._pane.log_command(f"inspector.show_held {verb}", note=note, id=str(id))


def _problem(text: str) -> str | None:
    try:
        read_filter(text)
    except FilterError as error:
        problems = (error, *error.others)
        return "\n".join(f"{_sentence(each.message)} (at character {each.position + 1})." for each in problems)
    return None


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
