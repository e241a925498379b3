"""A list of proposals at the cursor, from which one is chosen; typed letters search in it."""

from typing import Any, ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import OptionList

from workbench.model.fuzzy import fuzzy_match
from workbench.model.notices import UNAVAILABLE
from workbench.model.short_text import escaped
from workbench.tui.widgets.form.beside_cursor import after_layouts_below, cursor_of, offset_beside
from workbench.tui.widgets.form.marked_text import marked_text
from workbench.tui.widgets.steady import SingleAnswerScreen, SteadyOptions

_WIDTH = 50
_HEIGHT = 10


class ProposalList(SteadyOptions):
    """The proposals that match the letters typed so far, the best first."""


class ProposalScreen(ModalScreen[int | None], SingleAnswerScreen[int | None]):
    """Returns the index of the chosen text, or None."""

    AUTO_FOCUS = "ProposalList"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+@,ctrl+space", "dismiss", show=False)]

    DEFAULT_CSS = """
    ProposalScreen {
        align: left top;
        background: transparent;
        & > ProposalList { height: auto; border: round $primary; padding: 0; background: $surface; }
        & > ProposalList:focus { border: round $primary; }
    }
    """

    def __init__(self, texts: list[str], beside: Widget) -> None:
        super().__init__()
        self._texts = texts
        self._shown: list[int] = []  # The indexes of the texts in the list.
        self._beside = beside
        self._cursor = Offset()
        self._typed = ""

    def compose(self) -> ComposeResult:
        yield ProposalList(markup=False)

    def on_mount(self) -> None:
        self._show()
        after_layouts_below(self, self._place)

    def on_resize(self) -> None:
        self._place()

    def on_key(self, event: events.Key) -> None:
        if event.key == "backspace":
            self._typed = self._typed[:-1]
        elif event.is_printable and event.character is not None:
            self._typed += event.character
        else:
            return
        event.stop()
        self._show()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._shown):
            self.dismiss(self._shown[event.option_index])

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)

    def _show(self) -> None:
        matches = {index: fuzzy_match(self._typed, text) for index, text in enumerate(self._texts)}
        matching = {index: match for index, match in matches.items() if match is not None}
        self._shown = sorted(matching, key=lambda index: -matching[index].score) if self._typed else list(matching)
        proposals = self.query_one(ProposalList)
        proposals.clear_options()
        proposals.add_options([marked_text(self._texts[index], matching[index], _WIDTH) for index in self._shown])
        proposals.highlighted = 0 if self._shown else None
        proposals.border_title = Content(escaped(self._typed)) if self._typed else None
        proposals.border_subtitle = "enter · esc" if self._shown else "no match"
        self._place()

    def _place(self) -> None:
        """Put the list below the cursor, or above it where there is more room."""
        proposals, size = self.query_one(ProposalList), self.size
        self._cursor = cursor_of(self._beside, self._cursor)
        width = min(size.width, max([20, *(len(text) + 6 for text in self._texts)]), _WIDTH + 6)
        below, above = size.height - self._cursor.y - 1, self._cursor.y
        wanted = min(len(self._shown), _HEIGHT) + 2
        height = max(3, min(wanted, max(below, above)))
        proposals.styles.width, proposals.styles.height = width, height
        proposals.styles.offset = offset_beside(self._cursor, Size(width, height), size)


async def choose_proposal(app: App[Any], texts: list[str], beside: Widget) -> str | None:
    """Let the user choose one of the texts, in a list at the cursor of a widget; None, with a notice, without texts."""
    index = await choose_index(app, texts, beside)
    return None if index is None else texts[index]


async def choose_index(app: App[Any], texts: list[str], beside: Widget) -> int | None:
    """Let the user choose one of the texts, and return its index: labels of choices may be equal."""
    if not texts:
        app.notify("There are no proposals here.", title=UNAVAILABLE, markup=False)
        return None
    return await app.push_screen_wait(ProposalScreen(texts, beside))
