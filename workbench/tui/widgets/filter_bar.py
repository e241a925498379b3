"""The filter of a list of messages: the line in which it is typed, what is wrong with it, and a note at its right."""

from collections.abc import Callable, Iterable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from workbench.model.traffic.filter import EVERYTHING
from workbench.model.traffic.filter_tokens import FilterError
from workbench.model.traffic.filter_typing import FilterHistory, completion
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.line_input import LineInput
from workbench.workspace.saved_filters import read_filter

# The width, in columns, below which the filter has more room, and its note less.
_NARROW = 100
# The cells around the line about a mistake, and those of its mark.
_PADDING = 8


class FilterSuggester(Suggester):
    """Completes the last word of a filter."""

    def __init__(self, names: Callable[[str], Iterable[str]]) -> None:
        # Not cached: the names change with the server.
        super().__init__(use_cache=False, case_sensitive=True)
        self._names = names

    async def get_suggestion(self, value: str) -> str | None:
        return completion(value, self._names)


class FilterBar(Vertical):
    """The filter, with a completion of the last word in grey and the earlier filters on the keys up and down.

    Args:
        place: the place of the pane.
        names: returns the known values of a field of the filter, such as the names of the tools.
    """

    DEFAULT_CSS = """
    FilterBar {
        height: auto;
        & > #filter-row { height: 1; }
        & #filter-sign { width: 3; padding: 0 1; color: $text-accent; text-style: bold; }
        & #filter { width: 1fr; }
        & #filter-note {
            width: 42; padding: 0 1; text-align: right; text-wrap: nowrap; color: $text-muted;
        }
        &.-narrow #filter-note { width: 26; }
        &.-long-note #filter-note { width: 42; }
        & > #filter-problem { display: none; height: auto; padding: 0 3; color: $text-error; }
    }
    """

    class Changed(Message):
        """Another filter was typed; one that cannot be read hides nothing."""

    class Submitted(Message):
        """The user has finished typing."""

    def __init__(self, place: str, names: Callable[[str], Iterable[str]]) -> None:
        super().__init__()
        self._place = place
        self._names = names
        self._restored = ""
        self.filter = EVERYTHING
        self.history = FilterHistory()

    def restore(self, text: str, filters: Iterable[str]) -> None:
        """Begin with the filters of an earlier terminal; called before the bar is mounted."""
        self._restored = text
        self.history = FilterHistory(filters)

    def compose(self) -> ComposeResult:
        with Horizontal(id="filter-row"):
            yield Static(key_for("filter", self._place), id="filter-sign")
            yield LineInput(
                self._restored,
                placeholder='tool:greet status:err dir:in dur>500ms "words" /regex/',
                id="filter",
                compact=True,
                suggester=FilterSuggester(self._names),
            )
            yield Static(id="filter-note", markup=False)
        yield Static(id="filter-problem", markup=False)

    def on_mount(self) -> None:
        self._set_width_class(self.app.size.width)

    def on_resize(self, event: events.Resize) -> None:
        self._set_width_class(event.size.width)

    def _set_width_class(self, width: int) -> None:
        self.set_class(width < _NARROW, "-narrow")

    @property
    def input(self) -> Input:
        return self.query_one(Input)

    def set_text(self, text: str) -> None:
        """Use another filter at once: the event of the input arrives only later."""
        self.filter = read_filter(text)
        self.input.value = text

    def show_note(self, text: str) -> None:
        # Without a new layout of the screen: the width of the note is fixed, and it changes with every message.
        self.query_one("#filter-note", Static).update(Content(text), layout=False)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        try:
            self.filter = read_filter(event.value)
        except FilterError as error:
            # Else the matches of what was typed before would stay.
            self.filter = EVERYTHING
            self._show_problem("\n".join(map(self._marked, (error, *error.others))))
        else:
            self._show_problem(self.filter.hint)
        self.post_message(self.Changed())

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.history.add(event.value)
        self.post_message(self.Submitted())

    def on_key(self, event: events.Key) -> None:
        """Go through the earlier filters; esc returns to what was typed, and leaves the bar."""
        if event.key == "escape" and (typed := self.history.leave()) is not None:
            self.input.value = typed
        step = {"up": -1, "down": 1}.get(event.key)
        if step is None:
            return
        event.stop()
        if (text := self.history.move(step, self.input.value)) is not None:
            self.input.value = text
            self.input.cursor_position = len(text)

    def _marked(self, error: FilterError) -> str:
        """Return a problem with a mark below its place in the filter."""
        # A long filter has scrolled.
        column = max(0, error.position - self.input.scroll_offset.x)
        separator = " " if column + len(error.message) + _PADDING < self.size.width else "\n"
        return f"{' ' * column}^{separator}{error.message}"

    def _show_problem(self, problem: str) -> None:
        line = self.query_one("#filter-problem", Static)
        line.display = bool(problem)
        line.update(Content(problem))
