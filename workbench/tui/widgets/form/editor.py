"""A value in two synchronised views: its form, and its JSON; a third view may be beside them."""

from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from workbench.model.forms.field_search import reveal
from workbench.model.forms.form import Form
from workbench.model.notices import UNAVAILABLE
from workbench.tui.widgets.form.editor_keys import accepts_newline, is_text, keep_from_commands, replace_text
from workbench.tui.widgets.form.field_actions import acts_on_field
from workbench.tui.widgets.form.field_help import FormRows
from workbench.tui.widgets.form.field_search_screen import FindRequested, choose_field
from workbench.tui.widgets.form.field_suggestions import Suggest
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.form.json_editor import JsonEditor
from workbench.tui.widgets.form.proposing import has_proposals, propose_for_field
from workbench.tui.widgets.form.segments import Segment, Segments
from workbench.tui.widgets.form.text import AreaEditor, LineEditor
from workbench.tui.workers import start_worker


class FormEditor(Vertical):
    """A form and its JSON; a change in either changes the other. More widgets may be beside the switch of the views."""

    DEFAULT_CSS = """
    FormEditor {
        height: 1fr;
        & > #views { height: 1; margin-top: 1; padding: 0 1; }
        & > #views > Segments { width: 1fr; }
        & > #views > Button { min-width: 8; }
        & > ContentSwitcher { height: 1fr; }
    }
    """

    class ViewChanged(Message):
        """Another view is in front."""

    def __init__(self, *beside: Widget, definition: Widget | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._beside = beside
        # The view of what the value is for, which is only read.
        self._definition = definition
        self._form: Form | None = None
        self.earlier_values: Callable[[], list[dict[str, Any]]] = list
        """Returns the values of earlier runs, newest first; they are proposed again."""
        # The forms whose JSON was in front when they were last shown.
        self._in_json: WeakSet[Form] = WeakSet()

    @property
    def form(self) -> Form | None:
        return self._form

    @property
    def is_json(self) -> bool:
        return self.front == "json"

    @property
    def front(self) -> str:
        """The view in front: "rows", "json" or "definition"."""
        return self.query_one(ContentSwitcher).current or "rows"

    @property
    def view(self) -> FormView:
        return self.query_one(FormView)

    @property
    def _json(self) -> JsonEditor:
        return self.query_one(JsonEditor)

    def compose(self) -> ComposeResult:
        with Horizontal(id="views"):
            segments = [Segment("rows", "Form"), Segment("json", "JSON")]
            if self._definition is not None:
                segments.append(Segment("definition", "Definition"))
            yield Segments(segments, "rows")
            yield from self._beside
        with ContentSwitcher(initial="rows"):
            yield FormRows(id="rows")
            yield JsonEditor()
            if self._definition is not None:
                self._definition.id = "definition"
                yield self._definition

    def show(self, form: Form, suggest: Suggest | None = None) -> None:
        """Show another form; `suggest` proposes values for its texts."""
        # The last input belongs to the previous form.
        self.settle()
        self._form = form
        self._json.use(form)
        self.view.show(form, suggest)
        self._bring_to_front("json" if form in self._in_json or form.json_draft is not None else "rows")

    def update_form(self, form: Form, suggest: Suggest | None = None, renamed: Mapping[str, str] = {}) -> None:
        """Show the form of a changed schema, with the values entered before; input and focus stay as they are.

        Args:
            form: the form.
            suggest: see `show`.
            renamed: the new names of properties, by their names before.
        """
        self._form = form
        self._json.use(form)
        if self.is_json:
            self._in_json.add(form)
            self._json.read()
        self.view.update_form(form, suggest, renamed)

    def show_values(self) -> None:
        """Show the current values of the form, after they were set elsewhere."""
        if self._form is not None:
            self._json.use(self._form)
        self.view.show_values()
        if self.is_json:
            self._json.write()

    def toggle_json(self, step: int = 1) -> None:
        """Bring the next view to the front; JSON that cannot be read has to be corrected or reset before the form."""
        views = ["rows", "json", *(["definition"] if self._definition is not None else [])]
        self.bring_to_front(views[(views.index(self.front) + step) % len(views)])

    def edit_outside(self) -> None:
        """Open $EDITOR for the text that has the focus, or for the whole value as JSON."""
        from workbench.tui.external_editor import edit_text

        focused = self.screen.focused
        if isinstance(focused, LineEditor | AreaEditor) and self.view in focused.ancestors:
            text = focused.value if isinstance(focused, LineEditor) else focused.text
            if (edited := edit_text(self.app, text, ".txt")) != text:
                replace_text(focused, edited)
            return
        text = self._json.text_to_edit(is_shown=self.is_json)
        if (edited := edit_text(self.app, text, ".json")) != text:
            self._json.replace(edited)
            self.view.show_values()
            if self._json.error is not None and not self.is_json:
                self._bring_to_front("json")
                self.focus_first()

    async def propose(self) -> None:
        """Offer values for the text that has the focus, or keys and values at the cursor in the JSON."""
        if self._form is None:
            return
        focused = self.screen.focused
        if focused is self._json.area:
            await self._json.propose(self.earlier_values())
        elif not await propose_for_field(self.view, self._form, self.earlier_values()):
            self.notify("Proposals need a field or JSON: select a field.", title=UNAVAILABLE, markup=False)

    def can_do(self, action: str) -> bool:
        """Whether an action on fields does something with the focus where it is."""
        if action == "propose" and not self.is_json:
            return self._form is not None and has_proposals(self.view, self._form, self.earlier_values())
        if self.is_json:
            return action in ("propose", "newline")
        return accepts_newline(self.screen.focused) if action == "newline" else acts_on_field(self.view, action)

    async def find_field(self) -> None:
        """Let the user search a field, and go there: to its row, or to its line in the JSON."""
        if self._form is None:
            return
        self.settle()
        path = await choose_field(self.app, self._form, self)
        if path is None or self._form is None:
            return
        if self.is_json:
            self._json.go_to(path)
            return
        reveal(self._form, path)
        self._bring_to_front("rows")
        self.view.show_values()
        # As with tab: what is typed next replaces the text.
        self.view.focus_field(path, selects_text=True)

    @on(FormView.EndReached)
    def _end_reached(self, event: FormView.EndReached) -> None:
        """Go to the button beside the views; without one, to what is below the form."""
        event.stop()
        if (button := next((widget for widget in self._beside if widget.focusable), None)) is not None:
            self.screen.set_focus(button)
        else:
            self.screen.focus_next()

    @on(FindRequested)
    def _find_requested(self, event: FindRequested) -> None:
        event.stop()
        start_worker(self, self.find_field, "proposals")

    def reset_json(self) -> None:
        self._json.reset()

    def focus_first(self) -> None:
        if self.front == "definition":
            self.screen.set_focus(self._definition)
        elif self.is_json:
            self.screen.set_focus(self._json.area)
        else:
            self.view.focus_first()

    def settle(self) -> str | None:
        """Apply the last input; return what is wrong with the JSON, or None."""
        return self._json.settle() if self.is_json else self._json.error

    def close_list(self) -> bool:
        """Take the value that is marked in an open drop-down; False, with a hint, if nothing matches its text."""
        return self.front != "rows" or self.view.close_list()

    def focus_problem(self) -> None:
        if self.front == "definition":
            self.bring_to_front("rows")
        if self.is_json:
            self._json.explain()
            self.focus_first()
        else:
            self.view.focus_problem()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        # Textual asks this before it looks for bindings: keys that write text are no commands in a form.
        return self.front != "definition" and is_text(character, self.screen.focused)

    def on_key(self, event: events.Key) -> None:
        if self.front != "definition":
            keep_from_commands(event, self.screen.focused)

    @on(Segments.Chosen)
    def _chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        self.bring_to_front(str(event.key))

    def bring_to_front(self, view: str) -> None:
        if view == self.front:
            return
        # What was typed last is read; a text that cannot be read stays in its view.
        is_readable = self.settle() is None
        if view == "rows" and not is_readable:
            if not self.is_json:
                self._bring_to_front("json")
            self._choose("json")
            self._json.explain()
        else:
            if view == "rows":
                self.view.show_values()
            self._bring_to_front(view)
        self.focus_first()

    def _bring_to_front(self, view: str) -> None:
        if self._form is not None and view != "definition":
            (self._in_json.add if view == "json" else self._in_json.discard)(self._form)
        if view == "json":
            self._json.write()
        self.query_one(ContentSwitcher).current = view
        self._choose(view)
        self.post_message(self.ViewChanged())

    def _choose(self, view: str) -> None:
        self.query_one("#views > Segments", Segments).choose(view)
