"""The two dialogs over the panes: choose from a short list, and enter a line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, Static

from workbench.model.short_text import escaped_lines
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import fit
from workbench.tui.widgets.steady import SingleAnswerScreen

T = TypeVar("T")

# Rows of the terminal below which a dialog has none to spare: all of its choices are to be seen, or scroll.
_SHORT = 20


class Dialog(ModalScreen[T], SingleAnswerScreen[T]):
    """A box over the panes, which Esc closes without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)")]

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 60%;

        & .box {
            width: 84;
            max-width: 96%;
            height: auto;
            max-height: 90%;
            padding: 1 2;
            border: round $primary;
            border-title-color: $text-primary;
            border-title-style: bold;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
        & .tall { height: 90%; padding: 0 1; }
        & .text { height: auto; max-height: 45vh; margin-bottom: 1; }
        & .problem { height: auto; color: $text-error; }
        & Input { margin-bottom: 1; }
    }
    """


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice in a dialog."""

    id: str  # The result of the dialog.
    key: str  # Selects it at once.
    title: str  # Its effect, in a few words.
    note: str = ""
    more_keys: str = ""  # Other keys that select it, separated by commas.
    short_note: str = ""  # In place of the note where that does not fit.


class Choices(Lines):
    COMPONENT_CLASSES: ClassVar[set[str]] = {"choices--key", "choices--note"}

    DEFAULT_CSS = """
    Choices {
        height: auto;
        & > .choices--key { color: $text-accent; text-style: bold; }
        & > .choices--note { color: $text-muted; }
    }
    """

    def __init__(self, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self.choices = choices
        self._title_width = max(len(choice.title) for choice in choices) + 2

    @property
    def line_count(self) -> int:
        return len(self.choices)

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        choice, room = self.choices[index], width - 6 - self._title_width
        note = choice.note if Content(choice.note).cell_length <= room else choice.short_note or choice.note
        return self.paint(
            [
                (fit(f" {choice.key}", 6), "choices--key"),
                (fit(choice.title, self._title_width), ""),
                (fit(note, room), "choices--note"),
            ],
            selected,
        )

    def get_content_height(self, *_: object) -> int:
        return len(self.choices)


class ChoiceScreen(Dialog[str | None]):
    """Asks for a choice from a short list and returns its id; Esc returns None. Foreign text is safe."""

    AUTO_FOCUS = "Choices"

    DEFAULT_CSS = """
    ChoiceScreen.-short {
        & .box { padding: 0 2; }
        & .text { max-height: 3; margin-bottom: 0; }
        & Choices { max-height: 8; }
    }
    """

    def __init__(self, title: str, text: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content(self._title)
            with VerticalScroll(classes="text"):
                yield Static(Content(escaped_lines(self._text)))
            yield Choices(self._choices)

    def on_mount(self) -> None:
        # Before anything is painted: the first resize event arrives only later.
        self._set_height_class(self.app.size.height)

    def on_resize(self, event: events.Resize) -> None:
        self._set_height_class(event.size.height)

    def _set_height_class(self, height: int) -> None:
        self.set_class(height < _SHORT, "-short")

    def on_key(self, event: events.Key) -> None:
        for choice in self._choices:
            if event.key in (choice.key, *choice.more_keys.split(",")):
                event.stop()
                self.dismiss(choice.id)

    @on(Lines.Selected)
    def _selected(self, event: Lines.Selected) -> None:
        self.dismiss(self._choices[event.index].id)


class PromptScreen(Dialog[str | None]):
    """Asks for a line of text, in which `problem` finds what is wrong; None after Esc. Foreign text is safe."""

    AUTO_FOCUS = "Input"

    DEFAULT_CSS = """
    PromptScreen {
        & .box { padding: 0 2; }
        & .text { margin-bottom: 0; }
        & .problem.-none { display: none; }
        & Input {
            height: 3;
            margin-bottom: 0;
            border: round $border-blurred;
            background: $surface;
            &:focus { border: round $border; }
        }
    }
    """

    def __init__(
        self,
        title: str,
        text: str,
        *,
        hidden: bool = False,
        placeholder: str = "",
        value: str = "",
        problem: Callable[[str], str | None] = lambda text: None if text else "Enter a value, or press Esc.",
    ) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._hidden = hidden
        self._placeholder = placeholder
        self._value = value
        self.problem = problem

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = "enter to accept · esc to leave"
            yield Static(Content(escaped_lines(self._text)), classes="text")
            yield Input(self._value, password=self._hidden, placeholder=self._placeholder)
            yield Static(classes="problem -none", markup=False)

    @on(Input.Changed)
    def _typed(self) -> None:
        self.query_one(".problem", Static).add_class("-none")

    @on(Input.Submitted)
    def _accepted(self, event: Input.Submitted) -> None:
        if (problem := self.problem(event.value)) is not None:
            note = self.query_one(".problem", Static)
            note.update(Content(problem))
            note.remove_class("-none")
        else:
            self.dismiss(event.value)
