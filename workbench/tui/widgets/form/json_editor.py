"""The value of a form as JSON, in a text editor."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Button, Static

from workbench.model.forms.form import Form
from workbench.model.forms.form_problems import FormProblem
from workbench.model.short_text import escaped
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.steady import TextArea

# Seconds without typing after which JSON is parsed.
_PAUSE_S = 0.15
_RESET_KEY = key_for("reset_json", "tools")
_HELP = f"Correct it, undo (^z), or return to the last value that could be read ({_RESET_KEY})."


class JsonEditor(Vertical):
    """The JSON, with what is wrong with it below."""

    DEFAULT_CSS = """
    JsonEditor#json {
        height: 1fr;
        & > TextArea {
            height: 1fr; border: none; padding: 0 1 0 0; margin-top: 1; scrollbar-size-vertical: 1;
        }
        & > Horizontal { height: auto; max-height: 6; }
        & .problems { width: 1fr; height: auto; padding: 0 1; color: $text-error; }
        & Button { display: none; min-width: 8; }
        &.-broken Button { display: block; }
    }
    """

    def __init__(self) -> None:
        # With the id, its styles have priority over those of Textual's text area with the focus.
        super().__init__(id="json")
        self._form: Form | None = None
        # What is wrong with the JSON.
        self._error: str | None = None
        # The JSON that the form has read or written: another text in the editor has been typed since.
        self._synchronised = ""
        # Whether the user has tried to use the value, and sees what can be done.
        self._is_explained = False
        self._parse_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        # No language: its highlighter is not safe to load on every machine.
        yield TextArea(tab_behavior="focus", show_line_numbers=True, highlight_cursor_line=False)
        with Horizontal():
            yield Static(classes="problems", markup=False)
            yield Button(f"Reset {_RESET_KEY}", compact=True, id="reset-json")

    @property
    def area(self) -> TextArea:
        return self.query_one(TextArea)

    @property
    def error(self) -> str | None:
        return self._error

    def use(self, form: Form) -> None:
        self._form = form
        self._error = None

    def settle(self) -> str | None:
        """Read what was typed last, and return what is wrong with it."""
        if self.area.text != self._synchronised:
            self.read()
        return self._error

    def write(self) -> None:
        """Show the value of the form, or the text typed before if it cannot be read."""
        if self._form is None:
            return
        if (draft := self._form.json_draft) is not None:
            self.area.load_text(draft)
            self.read()
            return
        self._synchronised = self._form.to_json()
        self.area.load_text(self._synchronised)
        self._show_problems()

    def explain(self) -> None:
        """Show what can be done about JSON that cannot be read."""
        self._is_explained = True
        self._show_problems()

    def reset(self) -> None:
        """Return to the last value that could be read; the text can be restored with the undo key of the editor."""
        if self._form is None:
            return
        self._form.json_draft = None
        self._error = None
        self._synchronised = self._form.to_json()
        self.area.replace(self._synchronised, self.area.document.start, self.area.document.end)
        self.area.move_cursor((0, 0))
        self._show_problems()
        self.screen.set_focus(self.area)

    def read(self) -> None:
        """Change the value of the form."""
        if self._parse_timer is not None:
            self._parse_timer.stop()
            self._parse_timer = None
        if self._form is not None:
            self._synchronised = self.area.text
            self._error = self._form.load_json(self._synchronised)
            self._show_problems()

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.area.text == self._synchronised:
            return
        if self._parse_timer is None:
            self._parse_timer = self.set_timer(_PAUSE_S, self.read)
        else:
            self._parse_timer.reset()

    @on(Button.Pressed, "#reset-json")
    def _reset_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.reset()

    def _show_problems(self) -> None:
        if self._form is None:
            return
        self.set_class(self._error is not None, "-broken")
        self._is_explained = self._is_explained and self._error is not None
        lines = [self._error] if self._error else [_problem_line(problem) for problem in self._form.problems()]
        shown = [f"✗ {escaped(line)}" for line in lines] + [_HELP] * self._is_explained
        self.query_one(".problems", Static).update(Content("\n".join(shown)))


def _problem_line(problem: FormProblem) -> str:
    place = "/".join(str(key) for key in problem.path)
    return f"{place}: {problem.message}" if place else problem.message
