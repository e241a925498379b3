"""The value of a form as JSON, in a text editor."""

from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Button, Static, TextArea

from workbench.model.forms.conversion import ConversionError
from workbench.model.forms.field import Path
from workbench.model.forms.form import Form
from workbench.model.forms.form_problems import FormProblem
from workbench.model.forms.json_walk import line_of, value_lines
from workbench.model.forms.proposals import json_proposals
from workbench.model.short_text import escaped
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.form.field_changes import FormEdited
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.proposal_screen import choose_proposal
from workbench.workspace.value_files import describe_value

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
        self._error: ConversionError | None = None
        # The JSON that the form has read or written: another text in the editor has been typed since.
        self._synchronised = ""
        # Whether the user has tried to use the value, and sees all that is wrong with it and what can be done.
        self._is_explained = False
        self._parse_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield JsonArea()
        with Horizontal():
            yield Static(classes="problems", markup=False)
            yield Button(f"Reset {_RESET_KEY}", compact=True, id="reset-json")

    @property
    def area(self) -> JsonArea:
        return self.query_one(JsonArea)

    @property
    def error(self) -> str | None:
        return None if self._error is None else str(self._error)

    def use(self, form: Form) -> None:
        self._form = form
        self._error = None
        self._is_explained = False

    def settle(self) -> str | None:
        """Read what was typed last, and return what is wrong with it."""
        if self.area.text != self._synchronised:
            self.read()
        return self.error

    def write(self) -> None:
        """Show the value of the form, or the text typed before if it cannot be read."""
        if self._form is None:
            return
        if (draft := self._form.json_draft) is not None:
            self.area.load_text(draft)
            self.read()
            return
        self.area.load_text(self._skeleton(self._form))
        self.area.select_placeholder()
        self._show_problems()

    def text_to_edit(self, *, is_shown: bool) -> str:
        """Return the JSON for an editor outside: the text on the screen, or that of the form."""
        return self.area.text if is_shown or self._form is None else self._skeleton(self._form)

    def replace(self, text: str) -> None:
        """Replace the JSON, and change the value of the form; the undo key restores the text."""
        self.area.replace(text, self.area.document.start, self.area.document.end)
        self.read()

    async def propose(self, earlier: list[dict[str, Any]]) -> None:
        """Offer keys and values for the place of the cursor."""
        if self._form is None:
            return
        area = self.area
        row, column = area.cursor_location
        start, end, texts = json_proposals(self._form, area.text, row, column, earlier)
        chosen = await choose_proposal(self.app, texts, area)
        if chosen is not None:
            area.replace(chosen, (row, start), (row, end), maintain_selection_offset=False)

    def go_to(self, path: Path) -> None:
        """Move the cursor to the line of a value, or of the nearest value around it."""
        if (line := line_of(value_lines(self.area.text), path)) is not None:
            self.area.move_cursor((line, 0))

    def explain(self) -> None:
        """Go to the first problem, and show what can be done about JSON that cannot be read."""
        self._is_explained = True
        self._show_problems()
        if self.area.marked:
            self.area.move_cursor((min(self.area.marked), 0))
        # The texts below it may have taken its rows.
        self.call_after_refresh(self.area.scroll_cursor_visible)

    def reset(self) -> None:
        """Return to the last value that could be read, or else empty the form; the undo key restores the text."""
        if self._form is None:
            return
        if self._error is None:
            self._form.omit(())
        self._form.json_draft = self._error = None
        self.area.replace(self._skeleton(self._form), self.area.document.start, self.area.document.end)
        self.area.select_placeholder()
        self._show_problems()
        self.screen.set_focus(self.area)

    def read(self) -> None:
        """Change the value of the form."""
        if self._parse_timer is not None:
            self._parse_timer.stop()
            self._parse_timer = None
        if self._form is not None:
            self._synchronised = self.area.text
            self._error = self._form.load_json(self._synchronised, self.area.placeholders)
            self._show_problems()
            self.post_message(FormEdited())

    def _skeleton(self, form: Form) -> str:
        form.include_defaults()
        self._synchronised, self.area.placeholders = form.to_skeleton(describe_value)
        return self._synchronised

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
        if self._error is not None:
            self.area.mark({} if self._error.line is None else {self._error.line: self._error.note})
            shown = [f"✗ {escaped(str(self._error))}"] + [_HELP] * self._is_explained
        else:
            shown = self._mark(self._form.problems())
            self._is_explained = self._is_explained and bool(shown)
        self.query_one(".problems", Static).update(Content("\n".join(shown)))

    def _mark(self, problems: list[FormProblem]) -> list[str]:
        """Mark the lines of the problems, and return a text for each; placeholders are no problems at first."""
        lines = value_lines(self.area.text) if problems else {}
        marked: set[int] = set()
        texts = []
        for problem in problems:
            line = line_of(lines, problem.path)
            content = lines.get((*problem.path, 0), line)
            if not self._is_explained and content is not None and self.area.has_placeholder(content):
                continue
            texts.append(f"✗ {escaped(_problem_text(problem, line))}")
            marked |= set() if line is None else {line}
        self.area.mark(dict.fromkeys(marked, ""))
        return texts


def _problem_text(problem: FormProblem, line: int | None) -> str:
    place = "/".join(str(key) for key in problem.path)
    text = f"{place}: {problem.message}" if place else problem.message
    return text if line is None else f"line {line + 1} · {text}"
