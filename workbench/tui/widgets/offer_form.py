"""An offer with the form to run it: name and description, the form and its JSON, and the button."""

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Button

from workbench.model.bursts import SendConsent
from workbench.model.describe import plural
from workbench.model.forms.form import Form
from workbench.model.offers import Offer, OfferKind
from workbench.tui.toasts import withdraw
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.offer_head import OfferHead
from workbench.workspace.runs import Runs

if TYPE_CHECKING:
    from collections.abc import Collection

_VERBS = {OfferKind.TOOL: "Run", OfferKind.PROMPT: "Get"}


class OfferForm(Vertical):
    """One offer at a time; each keeps the values entered for it.

    Args:
        runs: proposes values for the arguments of prompts and templates.
    """

    def __init__(self, runs: Runs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._runs = runs
        self._offer: Offer | None = None
        self._forms: dict[tuple[str, str], Form] = {}
        self._consent = SendConsent()
        self._warning = ""
        """The last message shown about the problems of the current form."""

    @property
    def offer(self) -> Offer | None:
        """The offer that is shown."""
        return self._offer

    @property
    def editor(self) -> FormEditor:
        """The form with its JSON."""
        return self.query_one(FormEditor)

    def compose(self) -> ComposeResult:
        """Create the head, and the form with the button."""
        yield OfferHead(markup=False)
        yield FormEditor(Button("Run ^j", variant="primary", compact=True, id="run"))

    def show(self, offer: Offer | None) -> None:
        """Show an offer with its form; None to show nothing."""
        is_same = offer is not None and self._offer is not None and offer.key == self._offer.key
        self._offer = offer
        if not is_same:
            withdraw(self.app, self._warning)
            self._consent.forget()
        self.editor.display = offer is not None
        if offer is None:
            return
        form = self._form_of(offer)
        if form is not self.editor.form:
            show = self.editor.follow if is_same else self.editor.show
            show(form, None if offer.reference is None else partial(self._propose, offer))
        self.query_one("#run", Button).label = f"{_VERBS.get(offer.kind, 'Read')} ^j"

    def show_head(self, lacking: "Collection[str]") -> None:
        """Show the name and the details of the offer.

        Args:
            lacking: what a call of the offer still lacks, a line each.
        """
        self.query_one(OfferHead).show(self._offer, lacking)

    def load(self, offer: Offer, value: dict[str, Any]) -> None:
        """Load a value into the form of an offer."""
        self._form_of(offer).load(value)
        if offer == self._offer:
            self.editor.show_values()

    def ready(self) -> dict[str, Any] | None:
        """Return the value to send; None if it has to be corrected first, in which case the problems are shown.

        A value with problems is refused the first time and returned the second time, once the user can have read
        them: the author of a server wants to see how it handles such a value.
        """
        form = self.editor.form
        if form is None:
            return None
        if (why := self._why_not_ready(form)) is not None:
            self._warning = why
            self.notify(why, severity="warning", markup=False)
            return None
        value: dict[str, Any] = form.value()
        return value

    def _why_not_ready(self, form: Form) -> str | None:
        if (error := self.editor.settle()) is not None:
            return f"The JSON cannot be read: {error}"
        if not isinstance(form.value(), dict):
            return "The arguments must be a JSON object."
        problems, value = form.problems(), form.to_json()
        if not problems or self._consent.is_given(value, monotonic()):
            self._consent.forget()
            return None
        if not self._consent.is_asked(value):
            self._consent.ask(value)
            self.editor.focus_problem()
            self.call_after_refresh(lambda: self._consent.show(monotonic()))
        return f"{plural(len(problems), 'problem')} in the form. Run again to send it anyway."

    def focus_first(self) -> None:
        """Focus the first field, or the button if there is no field."""
        form = self.editor.form
        if form is not None and form.root.children:
            self.editor.focus_first()
        else:
            self.screen.set_focus(self.query_one("#run", Button))

    def _form_of(self, offer: Offer) -> Form:
        """The form of an offer with the values entered before; created again when the schema has changed."""
        before = self._forms.get(offer.key)
        if before is not None and before.schema == offer.schema:
            return before
        form = self._forms[offer.key] = Form(offer.schema)
        if before is not None:
            form.take_over(before)
        return form

    async def _propose(self, offer: Offer, name: str, typed: str) -> list[str]:
        """The completions of the server for an argument, given the others."""
        value = self._form_of(offer).value()
        known = {key: text for key, text in value.items() if key != name and isinstance(text, str) and text}
        return await self._runs.complete(offer, name, typed, known)
