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
from workbench.tui.actions import ACTIONS, PLACES, Action
from workbench.tui.screens.dialog_close import ClosesOnce
from workbench.tui.widgets.options import Commands

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class Palette(CommandPalette, ClosesOnce[None]):
    """Textual's palette, which may be closed and typed into while it is being created."""

    def compose(self) -> ComposeResult:
        """Create the palette with our list."""
        for widget in super().compose():
            yield Commands() if isinstance(widget, CommandList) else widget

    def _on_mount(self, event: events.Mount) -> None:
        if self not in self.app.screen_stack:
            event.prevent_default()  # It was closed before it was created.

    def _on_click(self, event: events.Click) -> None:  # type: ignore[override]
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()  # The terminal has become smaller since.

    def _action_command_list(self, action: str) -> None:
        with suppress(NoMatches):
            super()._action_command_list(action)


class WorkbenchCommands(Provider):
    """Searches the table of actions and the catalog."""

    @property
    def _workbench(self) -> "WorkbenchApp":
        return cast("WorkbenchApp", self.app)

    async def discover(self) -> Hits:
        """Yield the actions of the pane in front, and the global ones."""
        for action in ACTIONS:
            if action.in_palette and action.place in ("", self._workbench.shown):
                run = partial(self._workbench.action_do, action.place, action.id)
                yield DiscoveryHit(_named(action.place, action.title), run, help=_help(action))

    async def search(self, query: str) -> Hits:
        """Yield every action and tool whose name matches."""
        matcher = self.matcher(query)
        for action in ACTIONS:
            name = _named(action.place, action.title)
            if action.in_palette and (score := matcher.match(name)) > 0:
                run = partial(self._workbench.action_do, action.place, action.id)
                yield Hit(score, matcher.highlight(name), run, help=_help(action))
        for date, revision in REVISIONS.items():
            name = f"Switch to {date}{' (stateless)' if revision.stateless else ''}"
            if (score := matcher.match(name)) > 0:
                speak = partial(self._workbench.speak, date)
                yield Hit(score, matcher.highlight(name), speak, help="The protocol revision of your calls")
        # The tool of a function `say_hello` may be called SayHello.
        of_tools = self.matcher(query.replace("_", ""))
        for tool in self._workbench.tools:
            name = escaped(f"Tool: {tool['name']}")
            if (score := of_tools.match(name)) > 0:
                run = partial(self._workbench.open_tool, str(tool["name"]))
                about = shortened(first_paragraph(str(tool.get("description") or "")))
                # Not through `highlight`: that parses markup, and the name comes from the server.
                yield Hit(score, Content(name), run, text=name, help=escape(about))


def _help(action: Action) -> str:
    return escape(f"{action.help} · {action.label}")


def _named(place: str, title: str) -> str:
    return f"{PLACES[place]}: {title}" if place else title
