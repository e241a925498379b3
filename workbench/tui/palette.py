"""The command palette: it finds actions, panes, settings, offers and captures, what was chosen last first."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, cast
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider, ProviderSource
from textual.content import Content
from textual.css.query import NoMatches
from textual.errors import NoWidget
from textual.style import Style
from textual.widgets import Input

from workbench.model.short_text import shortened
from workbench.tui.actions import ACTIONS, EVERYWHERE
from workbench.tui.colours import KEY, MUTED
from workbench.tui.key_bindings import keys_label
from workbench.tui.palette_entries import PaletteEntry, entries
from workbench.tui.widgets.paint import fit
from workbench.tui.widgets.steady import Commands, SingleAnswerScreen

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

# The cells of the longest label of keys, and of the gap after it; a user may have set any number of keys.
_KEY_WIDTH = min(20, 2 + max(len(keys_label(action)) for action in ACTIONS if action.in_palette))
# The cells of a row that are not for text: padding, and the scrollbar.
_MARGIN = 8
_SHORTEST_DETAIL = 10
_MAX_ROWS = 100
_NO_MATCH = "A few letters of a name in their order are enough. Enter searches again."
# Among similar matches, those that were chosen before are first.
_RECENT = 0.5


class Palette(CommandPalette, SingleAnswerScreen[None]):
    """Textual's palette, which may be closed and typed into while it is being created.

    Textual's own would end the app with an error in each of the cases below. Its handlers are private methods, and
    `prevent_default` keeps the handler of the base class from running after ours.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "previous", "Previous command, or the text typed last", show=False)
    ]

    def __init__(self, providers: "ProviderSource | None" = None, placeholder: str = "") -> None:
        last = _queries.get(self.app, "")
        hint = f"Find anything by name; ↑ for {shortened(last, 30)}" if last else "Find anything by name"
        super().__init__(providers or [WorkbenchCommands], placeholder=placeholder or hint)

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

    def action_previous(self) -> None:
        """Move up in the list; in an empty field without a move before, bring back the text typed last."""
        field, commands, last = self.query_one(Input), self.query_one(CommandList), _queries.get(self.app, "")
        if not field.value and last and not commands.highlighted:
            field.value = last
            field.action_end()
        else:
            self._action_command_list("cursor_up")

    def _action_command_list(self, action: str) -> None:
        # A key that moves in the list may arrive before the list is mounted.
        with suppress(NoMatches):
            super()._action_command_list(action)


class WorkbenchCommands(Provider):
    """Searches the entries; each is one row, with its key."""

    @property
    def _workbench(self) -> "WorkbenchApp":
        return cast("WorkbenchApp", self.app)

    async def discover(self) -> Hits:
        """Yield what was chosen last, the actions of the pane in front, and those that are available everywhere."""
        recent = self._workbench.arrangement.recent
        by_label = {entry.label: entry for entry in entries(self._workbench)}
        shown = [by_label[label] for label in recent if label in by_label]
        for place in (self._workbench.place, EVERYWHERE):
            shown += [entry for entry in by_label.values() if entry.place == place and entry.label not in recent]
        for entry in shown:
            yield DiscoveryHit(self._row(entry), self._run(entry, ""), text=entry.label)

    async def search(self, query: str) -> Hits:
        words = query.split()
        recent = self._workbench.arrangement.recent
        matches = []
        for entry in entries(self._workbench):
            if (match := entry.match(words)) is not None:
                score, positions = match
                matches.append((score + _RECENT * (entry.label in recent), positions, entry))
        # More could not be read, and a server may have thousands of tools.
        for score, positions, entry in sorted(matches, key=lambda match: -match[0])[:_MAX_ROWS]:
            yield Hit(score, self._row(entry, positions), self._run(entry, query), text=entry.label)
        if not matches:
            entry = PaletteEntry("No match", _NO_MATCH, self._workbench.action_command_palette)
            yield Hit(1, self._row(entry), entry.run, text=query)

    def _row(self, entry: PaletteEntry, positions: frozenset[int] = frozenset()) -> Content:
        """Return the key, the label and the detail on one line. None of it is markup: names come from servers."""
        room = self.app.size.width - _KEY_WIDTH - _MARGIN
        label = shortened(entry.label, room)
        parts: list[tuple[str, Style | str]] = [(fit(entry.key, _KEY_WIDTH), KEY)]
        is_shown_as_is = entry.label.startswith(label)
        for at, character in enumerate(label):
            is_match = is_shown_as_is and at in positions
            parts.append((character, self.match_style or "underline" if is_match else ""))
        if (rest := room - len(label) - 2) > _SHORTEST_DETAIL and entry.detail:
            parts.append((f"  {shortened(entry.detail, rest)}", MUTED))
        return Content.assemble(*parts)

    def _run(self, entry: PaletteEntry, query: str) -> Callable[[], object]:
        def run() -> object:
            self._workbench.arrangement.choose(entry.label)
            if query:
                _queries[self.app] = query
            return entry.run()

        return run


_queries: WeakKeyDictionary[App[Any], str] = WeakKeyDictionary()
"""The text that was typed last in the palette of an app."""
