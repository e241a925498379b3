"""The command palette and its entries: screens, the actions of the panes, protocol revisions, and tools."""

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import events
from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.css.query import NoMatches
from textual.errors import NoWidget
from textual.markup import escape

from server_core.protocol.revisions import REVISIONS
from workbench.model.short_text import escaped, first_paragraph, shortened
from workbench.tui.actions import ACTIONS, EVERYWHERE, PLACES, Action
from workbench.tui.key_bindings import keys_label
from workbench.tui.screens.dialogs import SingleAnswerScreen
from workbench.tui.widgets.steady import Commands

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class Palette(CommandPalette, SingleAnswerScreen[None]):
    """Textual's palette, which may be closed and typed into while it is being created.

    Textual's own would end the app with an error in each of the cases below. Its handlers are private methods, and
    `prevent_default` keeps the handler of the base class from running after ours.
    """

    def compose(self) -> ComposeResult:
        # The only way to replace a child of Textual's palette: its `compose` creates the list itself.
        for widget in super().compose():
            yield Commands() if isinstance(widget, CommandList) else widget

    def _on_mount(self, event: events.Mount) -> None:
        if self not in self.app.screen_stack:
            # It was closed before it was mounted. Textual's handler reads the screen below it, which may not exist.
            event.prevent_default()

    def _on_click(self, event: events.Click) -> None:  # type: ignore[override]
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            # The terminal has become smaller since the click. Textual's handler asks for the widget there, too.
            event.prevent_default()

    def _action_command_list(self, action: str) -> None:
        # A key that moves in the list may arrive before the list is mounted.
        with suppress(NoMatches):
            super()._action_command_list(action)


class WorkbenchCommands(Provider):
    """Searches the table of actions and the catalog."""

    @property
    def _workbench(self) -> "WorkbenchApp":
        return cast("WorkbenchApp", self.app)

    async def discover(self) -> Hits:
        for action in ACTIONS:
            if action.in_palette and action.place in (EVERYWHERE, self._workbench.place):
                run = partial(self._workbench.action_do, action.place, action.id)
                yield DiscoveryHit(_entry_name(action), run, help=_entry_help(action))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action in ACTIONS:
            name = _entry_name(action)
            if action.in_palette and (score := matcher.match(name)) > 0:
                run = partial(self._workbench.action_do, action.place, action.id)
                yield Hit(score, matcher.highlight(name), run, help=_entry_help(action))
        for date, revision in REVISIONS.items():
            name = f"Switch to {date}{' (stateless)' if revision.stateless else ''}"
            if (score := matcher.match(name)) > 0:
                switch = partial(self._workbench.switch_revision, date)
                yield Hit(score, matcher.highlight(name), switch, help="The protocol revision of your calls")
        # The tool of a function `say_hello` may be called SayHello.
        tool_matcher = self.matcher(query.replace("_", ""))
        for tool in self._workbench.tools:
            name = escaped(f"Tool: {tool['name']}")
            if (score := tool_matcher.match(name)) > 0:
                run = partial(self._workbench.open_tool, str(tool["name"]))
                about = shortened(first_paragraph(str(tool.get("description") or "")))
                # Not through `highlight`: that parses markup, and the name comes from the server.
                yield Hit(score, Content(name), run, text=name, help=escape(about))


def _entry_name(action: Action) -> str:
    return f"{PLACES[action.place]}: {action.title}" if action.place else action.title


def _entry_help(action: Action) -> str:
    return escape(f"{action.help} · {keys_label(action)}")
