"""The offer that is open in the tools pane, while reloads change, remove and restore offers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.model.catalog import Offer, OfferKind
from workbench.model.forms.field import Path
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree


@dataclass(frozen=True, slots=True)
class _LostFocus:
    """The focused field in the form of an offer that a reload has removed: it has the focus again if both return."""

    offer_key: tuple[str, str]
    path: Path
    replacement: Offer | None  # The offer shown since then.


class OpenOffer:
    """Finds the offer to show after a reload, and keeps the focus in its form."""

    def __init__(
        self,
        tree: Callable[[], OfferTree],
        form: OfferForm,
        open_offer: Callable[[Offer | None], None],
        show_form: Callable[[], None],
    ) -> None:
        self._tree = tree
        self._form = form
        self._open = open_offer
        self._show_form = show_form
        self._offers: Sequence[Offer] = ()
        self._lost_focus: _LostFocus | None = None
        # The tool that was open in an earlier terminal, until there are offers, and the column that had the focus.
        self._restored_tool = ""
        self._restored_step = ""

    @property
    def has_offers(self) -> bool:
        return bool(self._offers)

    def find(self, key: tuple[str, str]) -> Offer | None:
        return next((offer for offer in self._offers if offer.key == key), None)

    def update(self, offers: Sequence[Offer]) -> None:
        """Show the offer that was open as it is in a new catalog, or else another offer."""
        self._offers = offers
        if not self._restore_focus():
            self._reopen()

    def restore(self, memory: TerminalMemory) -> None:
        self._restored_tool, self._restored_step = memory.tool, memory.step

    def restore_tool(self, *, is_late: bool) -> bool:
        """Open the tool of an earlier terminal, unless the user has begun; True if the form had the focus."""
        if not is_late and not self._offers:
            return False
        name, self._restored_tool = self._restored_tool, ""
        if is_late or not name or (offer := self.find((OfferKind.TOOL, name))) is None:
            return False
        self._tree().show_offer(offer, opens_group=False)
        self._open(offer)
        if self._restored_step == "form":
            self._show_form()
        return self._restored_step == "form"

    def _reopen(self) -> None:
        tree, before, row = self._tree(), self._form.offer, self._form.editor.view.focused_row
        if before is None and self._offers:
            tree.move_to_first_offer()
        offer = None if before is None else self.find(before.key)
        self._open(offer or tree.offer)
        if before is not None and offer is None and row is not None:
            self._lost_focus = _LostFocus(before.key, row.field.path, self._form.offer)
        elif self._lost_focus is not None and self._lost_focus.replacement == before:
            self._lost_focus = replace(self._lost_focus, replacement=self._form.offer)

    def _restore_focus(self) -> bool:
        """Return to the field that was focused when its offer was removed, unless the user has moved since."""
        lost, form, tree = self._lost_focus, self._form, self._tree()
        offer = None if lost is None else self.find(lost.offer_key)
        if lost is None or offer is None:
            return False
        self._lost_focus = None
        if form.offer != lost.replacement or form.screen.focused not in (form.editor.view, tree):
            return False
        tree.show_offer(offer)
        self._open(offer)
        self._show_form()
        form.editor.view.focus_field(lost.path)
        return True
