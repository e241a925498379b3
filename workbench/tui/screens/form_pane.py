"""What the two panes with forms share: the actions on the field that has the focus."""

from workbench.model.notices import UNAVAILABLE
from workbench.tui.key_bindings import key_for
from workbench.tui.pane import Pane
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.editor_keys import accepts_newline, type_newline
from workbench.tui.widgets.form.field_actions import move_item, null_field, omit_field, remove_item, toggle_items
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.workers import start_worker

_FIELD_ACTIONS = frozenset({"omit", "set_null", "remove_item", "move_item_up", "move_item_down", "toggle_items"})


class FormPane(Pane):
    @property
    def focused_form(self) -> FormView | None:
        """The form, if one of its fields has the focus."""
        raise NotImplementedError

    @property
    def form_editor(self) -> FormEditor | None:
        """The form in view, with its JSON."""
        raise NotImplementedError

    def why_not(self, action: str) -> str | None:
        if action in ("edit_value", "propose", "find_field") and self.form_editor is None:
            return "There is no form: choose a tool or a prompt first."
        if action == "reset_json" and not (self.form_editor is not None and self.form_editor.is_json):
            return f"Show the JSON first ({key_for('toggle_json', self.PLACE)})."
        if action in _FIELD_ACTIONS and self.focused_form is None:
            return "Select a field of the form first."
        return None

    def is_hinted(self, action: str) -> bool:
        return action != "newline" or accepts_newline(self.screen.focused)

    def action_propose(self) -> None:
        if (editor := self.form_editor) is not None:
            start_worker(self, editor.propose, "proposals")

    def action_find_field(self) -> None:
        if (editor := self.form_editor) is not None:
            start_worker(self, editor.find_field, "proposals")

    def action_edit_value(self) -> None:
        if (editor := self.form_editor) is not None:
            editor.edit_outside()

    def action_reset_json(self) -> None:
        if (editor := self.form_editor) is not None:
            editor.reset_json()

    def action_newline(self) -> None:
        if not type_newline(self.screen.focused):
            self.notify(
                "Only text fields have line breaks: select one first.",
                title=UNAVAILABLE,
                severity="warning",
                markup=False,
            )

    def action_omit(self) -> None:
        if (form := self.focused_form) is not None:
            omit_field(form)

    def action_set_null(self) -> None:
        if (form := self.focused_form) is not None:
            null_field(form)

    def action_move_item_up(self) -> None:
        self._move_item(-1)

    def action_move_item_down(self) -> None:
        self._move_item(1)

    def _move_item(self, by: int) -> None:
        if (form := self.focused_form) is not None and not move_item(form, by):
            self.notify("Only an item of a list moves, up to the end of the list.", title=UNAVAILABLE, markup=False)

    def action_toggle_items(self) -> None:
        if (form := self.focused_form) is not None and not toggle_items(form):
            self.notify("Only a list of texts, numbers or choices has both views.", title=UNAVAILABLE, markup=False)

    def action_remove_item(self) -> None:
        if (form := self.focused_form) is not None and not remove_item(form):
            omit = key_for("omit", self.PLACE)
            self.notify(f"This field is part of the schema: omit it instead ({omit}).", title=UNAVAILABLE, markup=False)
