"""An offer with the form to run it: name, description and hints, the form and its JSON, and the button."""

from collections.abc import Collection, Sequence
from functools import partial
from time import monotonic
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Static

from workbench.model.bursts import SendConsent
from workbench.model.catalog import Offer, OfferKind
from workbench.model.definitions.change import DefinitionChange
from workbench.model.describe import plural
from workbench.model.forms.form import Form
from workbench.model.requirements import run_notes
from workbench.model.short_text import escaped, escaped_lines
from workbench.model.terminal_memory import TerminalMemory, known_members
from workbench.tui.colours import KEY, MUTED, WARN
from workbench.tui.key_bindings import key_for
from workbench.tui.notices import withdraw
from workbench.tui.widgets.definition_tab import DefinitionTab
from workbench.tui.widgets.form.editor import FormEditor
from workbench.workspace.runs import Runs

_VERBS = {OfferKind.TOOL: "Run", OfferKind.PROMPT: "Get"}
_RUN_KEY = key_for("run", "tools")
_PROBLEMS = "problems of the form"  # The topic of the notice about them.
_DEFINITION_KEY = key_for("show_definition", "tools")
# How many rows of a description are above the form.
_MAX_ROWS = 4
_HINTS = {
    "readOnlyHint": "read-only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "reaches other systems",
}


class OfferForm(Vertical):
    """One offer at a time; each keeps the values entered for it."""

    def __init__(self, runs: Runs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._runs = runs
        self._offer: Offer | None = None
        self._forms: dict[tuple[str, str], Form] = {}
        self._consent = SendConsent()
        # The values of an earlier terminal, by the names of the tools; used when a form is made.
        self._restored: dict[str, dict[str, Any]] = {}

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

    def show(self, offer: Offer | None) -> None:
        is_same = offer is not None and self._offer is not None and offer.key == self._offer.key
        self._offer = offer
        if not is_same:
            withdraw(self.app, _PROBLEMS)
            self._consent.forget()
        self.editor.display = offer is not None
        if offer is None:
            return
        form = self._form_of(offer)
        if form is not self.editor.form:
            show = self.editor.update_form if is_same else self.editor.show
            self.editor.earlier_values = partial(self._runs.earlier_arguments, offer)
            show(form, None if offer.reference is None else partial(self._propose, offer))
        self.query_one("#run", Button).label = f"{_VERBS.get(offer.kind, 'Read')} {_RUN_KEY}"

    def show_head(self, missing: Collection[str]) -> None:
        """Show the details of the offer, and the requirements of a call that are missing, a line each."""
        self.query_one(OfferHead).show(self._offer, missing)

    def show_changes(self, changes: Sequence[DefinitionChange]) -> None:
        """Show the definition of the offer, with what the last reload changed in it."""
        if self._offer is not None:
            self.query_one(DefinitionTab).show_offer(self._offer, changes)

    def load(self, offer: Offer, value: dict[str, Any]) -> None:
        self._form_of(offer).load(value)
        if offer == self._offer:
            self.editor.show_values()

    def restore(self, memory: TerminalMemory) -> None:
        """Use the values of an earlier terminal in the forms."""
        self._restored = dict(memory.values)

    def remember(self, memory: TerminalMemory) -> None:
        """Add the open tool and the values of the forms."""
        if self._offer is not None and self._offer.kind is OfferKind.TOOL:
            memory.tool = self._offer.name
        for (kind, name), form in self._forms.items():
            if kind == OfferKind.TOOL:
                memory.set_values(name, form.value(), form.schema)

    def value_to_send(self) -> dict[str, Any] | None:
        """Return the value to send; None if it has to be corrected first, in which case the problems are shown.

        A value with problems is refused the first time and returned the second time, once the user can have read
        them: the author of a server wants to see how it handles such a value.
        """
        form = self.editor.form
        if form is None:
            return None
        if self.editor.settle() is not None:
            self.editor.focus_problem()
            return None
        value, text = form.value(), form.to_json()
        if not isinstance(value, dict):
            self._warn("The arguments must be a JSON object.")
            return None
        problems = form.problems()
        if problems and not self._consent.is_given(text, monotonic()):
            self._ask_for_consent(text)
            self._warn(f"{plural(len(problems), 'problem')} in the form. Run again to send it anyway.")
            return None
        self._consent.forget()
        withdraw(self.app, _PROBLEMS)
        return value

    def _warn(self, reason: str) -> None:
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
            form.carry_over(before)
        elif offer.kind is OfferKind.TOOL and (value := self._restored.pop(offer.name, None)) is not None:
            form.load(known_members(value, offer.schema))
        return form

    async def _propose(self, offer: Offer, name: str, typed: str) -> list[str]:
        value = self._form_of(offer).value()
        others = {key: text for key, text in value.items() if key != name and isinstance(text, str) and text}
        return await self._runs.complete(offer, name, typed, others)


class OfferHead(Static):
    """The name, the description and the hints of an offer, above its form."""

    DEFAULT_CSS = """
    OfferHead { height: auto; max-height: 12; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._offer: Offer | None = None
        self._missing: Collection[str] = ()
        self._width = 0

    def show(self, offer: Offer | None, missing: Collection[str] = ()) -> None:
        self._offer, self._missing = offer, missing
        self._paint()

    def on_resize(self) -> None:
        if self.content_size.width != self._width:
            self._paint()

    def _paint(self) -> None:
        self._width = self.content_size.width
        if self._offer is None:
            self.update(Content("Nothing is selected."))
        else:
            self.update(_head(self._offer, self._missing, self._width))


def shortened_description(description: str, width: int) -> str:
    """Return the first rows of a description; a cut one ends with the key that shows the whole."""
    text = escaped_lines(description).strip()
    if width < 1:
        return text.partition("\n")[0][:80]
    # Cut before it is folded: the text may be huge.
    rows = [row.plain.rstrip() for row in Content(text[: (_MAX_ROWS + 1) * width]).wrap(width)]
    if len(rows) <= _MAX_ROWS:
        return text
    first = "\n".join(rows[:_MAX_ROWS]).rstrip().split("\n")
    end = f" … {_DEFINITION_KEY}"
    return "\n".join([*first[:-1], first[-1][: max(0, width - len(end))] + end])


def _head(offer: Offer, missing: Collection[str], width: int) -> Content:
    parts: list[tuple[str, str]] = [(escaped(offer.name), KEY)]
    if offer.title != offer.name:
        parts.append((f"  {escaped(offer.title)}", MUTED))
    if offer.kind is not OfferKind.TOOL:
        parts.append((f"  {offer.kind.value}", MUTED))
    if hints := _hints(offer):
        parts.append((f"  {hints}", WARN))
    parts += [(f"\n! {escaped(line)}", WARN) for line in missing]
    if description := shortened_description(offer.description, width):
        parts.append((f"\n{description}", ""))
    if mime := offer.definition.get("mimeType"):
        parts.append((f"\n{escaped(str(mime))}", MUTED))
    key = key_for("fill_example", "tools")
    examples = f"{plural(len(offer.examples), 'example')}: {key}" if offer.examples else ""
    if run := " · ".join(filter(None, (run_notes(offer.definition), examples))):
        parts.append((f"\n{escaped(run)}", MUTED))
    return Content.assemble(*parts)


def _hints(offer: Offer) -> str:
    annotations = offer.definition.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    return " · ".join(text for key, text in _HINTS.items() if hints.get(key) is True)
