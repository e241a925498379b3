"""An offer with the form to run it: name, description and hints, the form and its JSON, and the button."""

from collections.abc import Collection, Sequence
from copy import deepcopy
from functools import partial
from time import monotonic
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Button

from workbench.model.bursts import SendConsent
from workbench.model.catalog import Offer, OfferKind
from workbench.model.definitions.change import DefinitionChange
from workbench.model.definitions.renamed_parameters import renamed_in_forms
from workbench.model.describe import plural
from workbench.model.forms.form import Form
from workbench.model.forms.shape import ABSENT
from workbench.model.forms.typed_texts import carry_over, restore_texts, typed_texts
from workbench.model.terminal_memory import TerminalMemory, known_members
from workbench.tui.actions import find_action
from workbench.tui.key_bindings import key_for
from workbench.tui.keystrokes import watch_keys
from workbench.tui.notice_app import withdraw
from workbench.tui.widgets.definition_tab import DefinitionTab
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.field_changes import FormEdited
from workbench.tui.widgets.offer_head import OfferHead
from workbench.workspace.runs import Runs
from workbench.workspace.value_files import read_argument

_VERBS = {OfferKind.TOOL: "Run", OfferKind.PROMPT: "Get"}
_RUN_KEY = key_for("run", "tools")
# The keys that confirm what the notice asks; any other withdraws it.
_SENDING_KEYS = frozenset(key for id in ("run", "run_as_task") for key in find_action(id, "tools").key_names)
_PROBLEMS = "problems of the form"  # The topic of the notice about them.
_RENAMED = "renamed parameters"  # The topic of the notice about them.


class OfferForm(Vertical):
    """One offer at a time; each keeps the values entered for it."""

    def __init__(self, runs: Runs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._runs = runs
        self._offer: Offer | None = None
        self._forms: dict[tuple[str, str], Form] = {}
        self._consent = SendConsent()
        # The value that the notice is about, as JSON; empty for none.
        self._warned = ""
        # The values of an earlier terminal, which are used when the form of a tool is made.
        self._restored = TerminalMemory()

    @property
    def offer(self) -> Offer | None:
        return self._offer

    @property
    def editor(self) -> FormEditor:
        return self.query_one(FormEditor)

    def compose(self) -> ComposeResult:
        yield OfferHead()
        run = Button(f"Run {_RUN_KEY}", variant="primary", compact=True, id="run")
        yield FormEditor(run, definition=DefinitionTab())

    def on_mount(self) -> None:
        watch_keys(self, self._key_pressed)

    def on_hide(self) -> None:
        self._end_request_for_consent()

    def _key_pressed(self, key: str) -> None:
        if key not in _SENDING_KEYS:
            self._end_request_for_consent()

    def _end_request_for_consent(self) -> None:
        """Do not take a key that is pressed later for the consent to send a value with problems."""
        if self._consent.is_open:
            self._consent.forget()
            withdraw(self.app, _PROBLEMS)

    def show(self, offer: Offer | None) -> None:
        is_same = offer is not None and self._offer is not None and offer.key == self._offer.key
        self._offer = offer
        if not is_same:
            withdraw(self.app, _PROBLEMS)
            self._consent.forget()
        self.editor.display = offer is not None
        if offer is None:
            return
        verb = _VERBS.get(offer.kind, "Read")
        self.editor.view.empty_text = f"Nothing to fill in: {_RUN_KEY} {verb.lower()}s it."
        before = self._forms.get(offer.key)
        form = self._form_of(offer)
        if form is not self.editor.form:
            self.editor.earlier_values = partial(self._runs.earlier_arguments, offer)
            suggest = None if offer.reference is None else partial(self._propose, offer)
            if is_same:
                self.editor.update_form(form, suggest, {} if before is None else renamed_in_forms(before, form))
            else:
                self.editor.show(form, suggest)
        if before is not None and before is not form:
            self._notify_about_renamed(before, form)
        self.query_one("#run", Button).label = f"{verb} {_RUN_KEY}"

    @property
    def has_typed_values(self) -> bool:
        """Whether the form of the offer has any values."""
        form = self.editor.form
        return form is not None and bool(form.value())

    def rename(self, offer: Offer) -> None:
        """Let the form in view be that of an offer which has another name now."""
        if self._offer is None:
            return
        before = self._forms.pop(self._offer.key, None)
        if before is not None:
            self._forms[offer.key] = before
        self._offer = offer

    def _notify_about_renamed(self, before: Form, form: Form) -> None:
        value = before.value()
        names = [f"{old} is {new}" for old, new in renamed_in_forms(before, form).items() if old in value]
        if names:
            text = f"{', '.join(names)} now, with {'its value' if len(names) == 1 else 'their values'}."
            # Over the notice about the reload, which is added meanwhile.
            self.call_after_refresh(partial(self.notify, text, title=_RENAMED, markup=False))

    def show_head(self, missing: Collection[str]) -> None:
        """Show the details of the offer, and the requirements of a call that are missing, a line each."""
        self.query_one(OfferHead).show(self._offer, missing)

    @on(FormEditor.ViewChanged)
    def _view_changed(self, event: FormEditor.ViewChanged) -> None:
        event.stop()
        self.query_one(OfferHead).show_description(is_shown=self.editor.front != "definition")

    def show_changes(self, changes: Sequence[DefinitionChange]) -> None:
        """Show the definition of the offer, with what the last reload changed in it."""
        if self._offer is not None:
            self.query_one(DefinitionTab).show_offer(self._offer, changes)

    def load(self, offer: Offer, value: dict[str, Any], *, is_typed: bool = False) -> None:
        """Fill in the form of an offer; with `is_typed`, texts are as they are typed, so that `@path` names a file."""
        form = self._form_of(offer)
        (form.load_typed if is_typed else form.load)(value)
        if offer == self._offer:
            self.editor.show_values()

    def load_next_example(self) -> None:
        """Fill the form with the first example of the offer, or with the one after that in the form."""
        if self._offer is not None and (examples := self._offer.examples):
            value = self._form_of(self._offer).value()
            index = examples.index(value) + 1 if value in examples else 0
            self.load(self._offer, examples[index % len(examples)])

    def restore(self, memory: TerminalMemory) -> None:
        """Use the values of an earlier terminal in the forms."""
        self._restored = deepcopy(memory)

    def remember(self, memory: TerminalMemory) -> None:
        """Add the open tool and the values of the forms."""
        if self._offer is not None and self._offer.kind is OfferKind.TOOL:
            memory.tool = self._offer.name
        if self._offer is not None:
            self.editor.settle()
        for (kind, name), form in self._forms.items():
            if kind == OfferKind.TOOL:
                memory.set_values(name, form.value(), form.schema, typed_texts(form), form.json_draft)

    def value_to_send(self) -> dict[str, Any] | None:
        """Return the value to send; None if it has to be corrected first, in which case the problems are shown.

        A value with problems is refused the first time and returned the second time, once the user can have read
        them: the author of a server wants to see how it handles such a value.
        """
        form = self.editor.form
        if form is None:
            return None
        if not self.editor.close_list():
            return None
        if self.editor.settle() is not None:
            self.editor.focus_problem()
            return None
        value, text = form.value_with_files(read_argument) if form.has_files else form.value(), form.to_json()
        if value is ABSENT:
            self.editor.focus_problem()
            self._warn("A file cannot be read; its field shows why.", text)
            return None
        if not isinstance(value, dict):
            self._warn("The arguments must be a JSON object.", text)
            return None
        problems = form.problems()
        if problems and not self._consent.is_given(text, monotonic()):
            self._ask_for_consent(text)
            self._warn(f"{plural(len(problems), 'problem')} in the form. Run again to send it anyway.", text)
            return None
        self._consent.forget()
        withdraw(self.app, _PROBLEMS)
        return value

    @on(FormEdited)
    def _edited(self, event: FormEdited) -> None:
        """End the notice about another value; that about this one stays: a key may send it before the user pauses."""
        event.stop()
        form = self.editor.form
        if self._warned and form is not None and form.to_json() != self._warned:
            self._warned = ""
            withdraw(self.app, _PROBLEMS)

    def _warn(self, reason: str, value: str) -> None:
        self._warned = value
        self.notify(reason, title=_PROBLEMS, severity="warning", markup=False)

    def _ask_for_consent(self, value: str) -> None:
        """Show the problems of a value, which the user may then send all the same."""
        if not self._consent.is_asked(value):
            self._consent.ask(value)
            self.editor.focus_problem()
            # The time in which the user can read the problems begins when they are painted.
            self.call_after_refresh(lambda: self._consent.show(monotonic()))

    def focus_first(self) -> None:
        """Focus the first field, or the button if there is no field."""
        form = self.editor.form
        if self.editor.front == "definition" or (form is not None and form.root.children):
            self.editor.focus_first()
        else:
            self.screen.set_focus(self.query_one("#run", Button))

    def _form_of(self, offer: Offer) -> Form:
        """Return the form of an offer with the values entered before; a new one when the schema has changed."""
        before = self._forms.get(offer.key)
        if before is not None and before.schema == offer.schema:
            return before
        form = self._forms[offer.key] = Form(offer.schema)
        if before is not None:
            carry_over(before, form, renamed_in_forms(before, form))
        elif offer.kind is OfferKind.TOOL and (value := self._restored.values.pop(offer.name, None)) is not None:
            form.load(known_members(value, offer.schema))
            restore_texts(form, self._restored.texts.get(offer.name, ()))
            form.json_draft = self._restored.drafts.get(offer.name)
        return form

    async def _propose(self, offer: Offer, name: str, typed: str) -> list[str]:
        value = self._form_of(offer).value()
        others = {key: text for key, text in value.items() if key != name and isinstance(text, str) and text}
        return await self._runs.complete(offer, name, typed, others)
