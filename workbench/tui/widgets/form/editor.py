"""A value in two synchronised views: its form, and its JSON."""

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from workbench.model.forms.form import Form
from workbench.model.forms.form_problems import FormProblem
from workbench.model.short_text import escaped
from workbench.tui.widgets.form.field_suggestions import Suggest
from workbench.tui.widgets.form.form_keys import keep_from_commands
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.form.segments import Segment, Segments
from workbench.tui.widgets.text_area import TextArea

# Seconds without typing after which JSON is parsed.
_PAUSE_S = 0.15


class FormEditor(Vertical):
    """A form and its JSON; a change in either changes the other. More widgets may be beside the switch of the views."""

    DEFAULT_CSS = """
    FormEditor {
        height: 1fr;
        & > #views { height: 1; margin-top: 1; padding: 0 1; }
        & > #views > Segments { width: 1fr; }
        & > #views > Button { min-width: 8; }
        & > ContentSwitcher { height: 1fr; }
        & #json { height: 1fr; }
        & #json > TextArea {
            height: 1fr; border: none; padding: 0 1 0 0; margin-top: 1; scrollbar-size-vertical: 1;
        }
        & #json > .problems { height: auto; max-height: 6; padding: 0 1; color: $text-error; }
    }
    """

    def __init__(self, *beside: Widget, id: str | None = None) -> None:
        super().__init__(id=id)
        self._beside = beside
        self._form: Form | None = None
        # What is wrong with the JSON.
        self._error: str | None = None
        # The JSON that the form has read or written: another text in the editor has been typed since.
        self._synchronised_json = ""
        self._parse_timer: Timer | None = None

    @property
    def form(self) -> Form | None:
        return self._form

    @property
    def is_json(self) -> bool:
        return self.query_one(ContentSwitcher).current == "json"

    @property
    def view(self) -> FormView:
        return self.query_one(FormView)

    @property
    def _area(self) -> TextArea:
        return self.query_one("#json > TextArea", TextArea)

    def compose(self) -> ComposeResult:
        with Horizontal(id="views"):
            yield Segments([Segment("rows", "Form"), Segment("json", "JSON")], "rows")
            yield from self._beside
        with ContentSwitcher(initial="rows"):
            yield FormView(id="rows")
            with Vertical(id="json"):
                # No language: its highlighter is not safe to load on every machine.
                yield TextArea(tab_behavior="focus", show_line_numbers=True, highlight_cursor_line=False)
                yield Static(classes="problems", markup=False)

    def show(self, form: Form, suggest: Suggest | None = None) -> None:
        """Show another form; `suggest` proposes values for its texts."""
        # The last input belongs to the previous form.
        self.settle()
        self._form = form
        self._error = None
        self.view.show(form, suggest)
        if self.is_json:
            self._write_json()

    def update_form(self, form: Form, suggest: Suggest | None = None) -> None:
        """Show the form of a changed schema, with the values entered before; input and focus stay as they are."""
        self._form = form
        self._error = None
        if self.is_json:
            self._read_json()
        self.view.update_form(form, suggest)

    def show_values(self) -> None:
        """Show the current values of the form, after they were set elsewhere."""
        self._error = None
        self.view.show_values()
        if self.is_json:
            self._write_json()

    def toggle_json(self) -> None:
        """Bring the other view to the front; invalid JSON stays in front until it is corrected."""
        self._switch(not self.is_json)

    def focus_first(self) -> None:
        """Focus the first editor of the view in front."""
        if self.is_json:
            self.screen.set_focus(self._area)
        else:
            self.view.focus_first()

    def settle(self) -> str | None:
        """Apply the last input; return what is wrong with the JSON, or None."""
        if self.is_json and self._area.text != self._synchronised_json:
            self._read_json()
        return self._error

    def focus_problem(self) -> None:
        """Focus the first problem."""
        if self.is_json:
            self.focus_first()
        else:
            self.view.focus_problem()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        # Textual asks this before it looks for bindings: keys that write text are no commands in a form.
        return character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        keep_from_commands(event, self.screen.focused)

    @on(Segments.Chosen)
    def _chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        self._switch(event.key == "json")

    @on(TextArea.Changed)
    def _json_typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._area.text == self._synchronised_json:
            return
        if self._parse_timer is None:
            self._parse_timer = self.set_timer(_PAUSE_S, self._read_json)
        else:
            self._parse_timer.reset()

    def _switch(self, to_json: bool) -> None:
        if to_json == self.is_json:
            return
        if to_json:
            self._write_json()
        elif self.settle() is not None:
            self.query_one("#views > Segments", Segments).choose("json")
            self.notify("Correct the JSON first; the form cannot show it.", severity="warning", markup=False)
            return
        else:
            self.view.show_values()
        self.query_one(ContentSwitcher).current = "json" if to_json else "rows"
        self.query_one("#views > Segments", Segments).choose("json" if to_json else "rows")
        self.focus_first()

    def _write_json(self) -> None:
        if self._form is not None:
            self._synchronised_json = self._form.to_json()
            self._area.load_text(self._synchronised_json)
            self._show_problems()

    def _read_json(self) -> None:
        if self._parse_timer is not None:
            self._parse_timer.stop()
            self._parse_timer = None
        if self._form is not None:
            self._synchronised_json = self._area.text
            self._error = self._form.load_json(self._synchronised_json)
            self._show_problems()

    def _show_problems(self) -> None:
        if self._form is None:
            return
        lines = [self._error] if self._error else [_problem_line(problem) for problem in self._form.problems()]
        self.query_one("#json > .problems", Static).update(Content("\n".join(f"✗ {escaped(line)}" for line in lines)))


def _problem_line(problem: FormProblem) -> str:
    place = "/".join(str(key) for key in problem.path)
    return f"{place}: {problem.message}" if place else problem.message
