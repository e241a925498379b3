"""The part of the tools pane that has to do with saved calls: listing, opening, saving, renaming and deleting them."""

from collections.abc import Callable
from functools import partial

from textual import work

from workbench.model.forms.field_search import path_name
from workbench.model.forms.secret_members import left_out, without_secrets
from workbench.model.project_yaml import problem_of_name
from workbench.model.saved_calls import SavedCall
from workbench.model.short_text import escaped, shortened
from workbench.tui.notice_app import withdraw
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.tui.screens.form_pane import FormPane
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_list import OfferList
from workbench.tui.workers import start_worker

_CHECK_S = 2.0
"""How often the file is checked for a change."""
_MISTAKES = "mistakes in workbench.yaml"  # The topic of the notice about them.
_SAVED = "saved call"  # The topic of notices about the last change of the file.
_MAX_NAMED = 5
"""The number of secrets that are named when they are left out."""
_OF_CALL = ("rename_call", "delete_call")


class SavedCallsPane(FormPane):
    @property
    def offer_list(self) -> OfferList:
        raise NotImplementedError

    @property
    def offer_form(self) -> OfferForm:
        raise NotImplementedError

    def open_call_in_form(self, call: SavedCall) -> bool:
        """Load a saved call into the form of its offer; False if the server does not have it."""
        raise NotImplementedError

    def show_form(self) -> None:
        raise NotImplementedError

    def watch_saved_calls(self) -> None:
        """Read the saved calls now, and again whenever their file has changed."""
        self.show_saved_calls()
        self._read_saved_calls()
        self.set_interval(_CHECK_S, self._read_saved_calls)

    def _read_saved_calls(self) -> None:
        if self.workspace.saved_calls.file.has_changed:
            start_worker(self, self.workspace.saved_calls.read, "saved calls")
        if self.workspace.rules.stored.file.has_changed:
            start_worker(self, self.workspace.rules.stored.read, "rules")

    def show_saved_calls(self) -> None:
        saved = self.workspace.saved_calls.last_read
        self.offer_list.show_saved_calls(saved.calls)
        withdraw(self.app, _MISTAKES)
        if saved.problems:
            more = f" (and {len(saved.problems) - 1} more)" if len(saved.problems) > 1 else ""
            text = f"workbench.yaml: {saved.problems[0]}{more}"
            self.notify(text, title=_MISTAKES, severity="warning", markup=False)

    def why_not(self, action: str) -> str | None:
        if action == "save_call" and self.offer_form.offer is None:
            return "Choose a tool, a resource or a prompt first."
        if action in _OF_CALL and self._call_under_cursor is None:
            return "Select a saved call in the list first."
        return super().why_not(action)

    @property
    def _call_under_cursor(self) -> SavedCall | None:
        tree = self.offer_list.offer_tree
        return tree.saved_call if tree.has_focus else None

    def open_recorded_call(self, call: SavedCall) -> None:
        """Go to the form of a saved or recorded call, with its values."""
        if self.open_call_in_form(call):
            self.show_form()
        else:
            text = f"The server does not have the {call.kind.value} {call.target}."
            self.notify(escaped(text), title=_SAVED, severity="warning", markup=False)

    def load_call_under_cursor(self) -> None:
        """Load the saved call under the cursor of the list, if the list has the focus, before the form is sent."""
        if (call := self._call_under_cursor) is not None:
            self.open_call_in_form(call)

    @work(exclusive=True, group="save a call")
    async def action_save_call(self) -> None:
        if (taken := self._call_of_form()) is None:
            return
        call, note = taken
        text = f"{call.note}\n\nIt is stored in {self.workspace.saved_calls.file.path}."
        screen = PromptScreen("Save this call as", text, value=call.name, problem=problem_of_name)
        name = await self.app.push_screen_wait(screen)
        if name is None or (self._has_call(name) and not await self._may_replace(name)):
            return
        saved = SavedCall(name, call.kind, call.target, call.arguments)
        if await self._change(partial(self.workspace.saved_calls.file.save, saved)):
            self.notify(f"{name} is saved in workbench.yaml.{note}", title=_SAVED, markup=False)

    def _call_of_form(self) -> tuple[SavedCall, str] | None:
        """Return the call in the form, named after its offer, and what it leaves out; None if it cannot be read."""
        offer, editor = self.offer_form.offer, self.offer_form.editor
        if offer is None or editor.form is None:
            return None
        if editor.settle() is not None:
            editor.focus_problem()
            return None
        value = editor.form.typed_value()
        value = value if isinstance(value, dict) else {}
        arguments = without_secrets(value, offer.schema)
        call = SavedCall(self._name_for(offer.key, offer.label), offer.kind, offer.name, arguments)
        return call, _left_out_text([shortened(path_name(path)) for path in left_out(value, arguments)])

    def _name_for(self, key: tuple[str, str], label: str) -> str:
        """Return the name of the saved call under the cursor if it is of the same offer, or else of the offer."""
        call = self.offer_list.offer_tree.saved_call
        return call.name if call is not None and call.key == key else label

    def _has_call(self, name: str) -> bool:
        return self.workspace.saved_calls.last_read.find(name) is not None

    async def _may_replace(self, name: str) -> bool:
        choices = (Choice("replace", "r", "Replace it"), Choice("keep", "k", "Keep it"))
        text = f"There is a saved call {name} already. Replace its values?"
        return await self.app.push_screen_wait(ChoiceScreen("Replace the saved call?", text, choices)) == "replace"

    @work(exclusive=True, group="save a call")
    async def action_rename_call(self) -> None:
        if (call := self._call_under_cursor) is None:
            return

        def problem(name: str) -> str | None:
            is_taken = name != call.name and self._has_call(name)
            return "There is a saved call of this name already." if is_taken else problem_of_name(name)

        name = await self.app.push_screen_wait(
            PromptScreen("Rename the saved call", call.note, value=call.name, problem=problem)
        )
        if name is not None and name != call.name:
            await self._change(partial(self.workspace.saved_calls.file.rename, call.name, name))

    @work(exclusive=True, group="save a call")
    async def action_delete_call(self) -> None:
        if (call := self._call_under_cursor) is None:
            return
        choices = (Choice("delete", "d", "Delete it"), Choice("keep", "k", "Keep it"))
        text = f"{call.name}: {call.note}\n\nIt is removed from workbench.yaml."
        if await self.app.push_screen_wait(ChoiceScreen("Delete the saved call?", text, choices)) == "delete":
            await self._change(partial(self.workspace.saved_calls.file.delete, call.name))

    async def _change(self, change: Callable[[], None]) -> bool:
        """Change the file, read it again, and return whether that succeeded; if it did not, show why."""
        return await self.attempt(self.workspace.saved_calls.change(change))


def _left_out_text(names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f" It has no {', '.join(names[:_MAX_NAMED])}{more}: write ${{secret:NAME}} for a secret."
