"""The offers in the tools pane: the list, and the form of the open one, while reloads change and remove offers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from workbench.model.catalog import Offer, OfferKind, offers
from workbench.model.forms.field import Path
from workbench.model.missing_requirements import missing_requirements
from workbench.model.short_text import escaped_lines
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.actions import PLACES
from workbench.tui.key_bindings import key_for
from workbench.tui.pane import Pane
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_list import OfferList

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace

_RESTART = f"Press {key_for('restart')} to restart it."
_OPEN = f"{key_for('open_server')} opens the demo, a new project or another server."
_PROBLEMS = f"{key_for('show_problems')} shows {PLACES['problems']}."
_NO_TOOLS = (
    f"Nothing is offered yet.\n\nWrite a tool: it appears here when you save its file.\n\n{_OPEN}\n\n{_PROBLEMS}"
)
_NO_OFFERS = f"The server offers nothing.\n\n{_OPEN}"

_VALUES = "values of an offer"  # The topic of the notice about an offer that is gone, or renamed.
# The rows of a new list are painted within this time; the form of another offer, which takes longer, follows.
_PAINT_S = 0.05


@dataclass(frozen=True, slots=True)
class _LostFocus:
    """The offer that was open when a reload has removed it, and its focused field: both come back when it returns."""

    offer_key: tuple[str, str]
    path: Path | None  # None if no field had the focus.
    replacement: Offer | None  # The offer shown since then; itself until another one is.


class OfferColumns:
    """Lists the offers, opens one, finds the offer to show after a reload, and keeps the focus in its form.

    Args:
        pane: the tools pane.
        offer_list: shows the offers.
        form: shows the open one.
        on_open: called once an offer is open; the argument is whether it is another one than before.
        show_form: brings the form to the front.
    """

    def __init__(
        self,
        pane: Pane,
        offer_list: OfferList,
        form: OfferForm,
        on_open: Callable[[bool], None],
        show_form: Callable[[], None],
    ) -> None:
        self._pane = pane
        self._list = offer_list
        self._form = form
        self._on_open = on_open
        self._show_form = show_form
        self._offers: Sequence[Offer] = ()
        self._lost_focus: _LostFocus | None = None
        # Runs from a new list to the form of its offer under the cursor.
        self._paint_timer: Timer | None = None
        # The tool that was open in an earlier terminal, until there are offers, and the column that had the focus.
        self._restored_tool = ""
        self._restored_step = ""

    @property
    def _workspace(self) -> "Workspace":
        return self._pane.workspace

    @property
    def has_offers(self) -> bool:
        return bool(self._offers)

    def find(self, key: tuple[str, str]) -> Offer | None:
        return next((offer for offer in self._offers if offer.key == key), None)

    def update(self) -> bool:
        """Show the offers of a new catalog; while a restarted core is loading, the previous ones stay.

        The offer that was open is shown as it is now, or else another one. Returns whether it has changed anything.
        """
        if self.has_offers and not self._workspace.core.is_loaded:
            return False
        before, self._offers = self._offers, offers(self._workspace.core.catalog)
        self._list.show(self._offers, self._empty_text())
        self.show_marks()
        if not self._restore_focus() and not self._follow_renaming(before):
            self._reopen()
        return True

    def _follow_renaming(self, before: Sequence[Offer]) -> bool:
        """Show the open offer under its new name, if a reload has renamed it, with its values and its run."""
        gone = self._form.offer
        if gone is None or self.find(gone.key) is not None:
            return False
        # Imported with the first offer that is gone.
        from workbench.model.definitions.renaming import renamed_offer

        if (offer := renamed_offer(gone, before, self._offers)) is None:
            if self._form.has_typed_values:
                self._notify_about_values(f"{gone.name} is gone. Its form keeps its values until it returns.")
            return False
        self._form.rename(offer)
        self._list.show_offer(offer)
        self.open(offer)
        self._notify_about_values(f"{gone.name} is {offer.name} now, with the values of its form.")
        return True

    def _notify_about_values(self, text: str) -> None:
        # Over the notice about the reload, which is added meanwhile.
        notify = partial(self._pane.notify, text, title=_VALUES, markup=False)
        self._pane.call_after_refresh(notify)

    def show_link(self) -> None:
        """Show why the list is empty, if it is."""
        self._list.set_empty_text(self._empty_text())

    def _empty_text(self) -> str:
        if not self._workspace.connected and self._pane.workbench.state == "connecting":
            return "The server is starting."
        if not self._workspace.connected:
            return f"The core is lost.\n\n{_RESTART}"
        if lost := self._workspace.server_lost:
            return f"{escaped_lines(lost)}\n\n{_RESTART}"
        if self._workspace.core.is_relay:
            return _NO_OFFERS
        return _NO_TOOLS if self._workspace.core.is_loaded else "The tools are loading."

    def show_marks(self) -> None:
        core = self._workspace.core
        subscribed = {uri: known.is_new for uri, known in self._workspace.resources.subscriptions.items()}
        self._list.show_marks(core.secrets, core.accounts, core.problems, core.warned, subscribed)

    def open_highlighted(self) -> None:
        offer = self._list.offer_tree.offer
        if offer is not None and offer != self._form.offer:
            self.open(offer)

    def open(self, offer: Offer | None) -> None:
        """Show the form of an offer, with what a call of it lacks and what the last reload changed."""
        before = self._form.offer
        self._form.show(offer)
        self.show_head()
        if offer is not None:
            self._form.show_changes(self._workspace.core.definitions.changes.get(offer.key, ()))
        self.check_missing()
        self._on_open(offer is not None and (before is None or offer.key != before.key))

    def show_head(self) -> None:
        self._form.show_head(self._missing())

    def _missing(self) -> list[str]:
        definition = {} if self._form.offer is None else self._form.offer.definition
        core = self._workspace.core
        return list(missing_requirements(definition, core.secrets, core.accounts, self._workspace.caller))

    def check_missing(self) -> None:
        """Ask the core again what is missing: a secret may be set elsewhere, which is no event of the core."""
        if self._missing() and self._workspace.connected:
            self._workspace.core.refresh_soon("secrets")

    def restore(self, memory: TerminalMemory) -> None:
        self._restored_tool, self._restored_step = memory.tool, memory.step

    def restore_tool(self, *, is_late: bool) -> bool:
        """Open the tool of an earlier terminal, unless the user has begun; True if the form had the focus."""
        if not is_late and not self._offers:
            return False
        name, self._restored_tool = self._restored_tool, ""
        if is_late or not name or (offer := self.find((OfferKind.TOOL, name))) is None:
            return False
        self._list.show_offer(offer, opens_group=False)
        self.open(offer)
        if self._restored_step == "form":
            self._show_form()
        return self._restored_step == "form"

    def _reopen(self) -> None:
        """Show the open offer as it is now; in place of one that is gone, the offer under the cursor."""
        tree, before, row = self._list.offer_tree, self._form.offer, self._form.editor.view.focused_row
        offer = None if before is None else self.find(before.key)
        if before is None or (offer is None and tree.offer is None):
            tree.move_to_first_offer()
        if before is not None and offer is None and (row is not None or not self._has_replacement(before)):
            self._lost_focus = _LostFocus(before.key, None if row is None else row.field.path, before)
        if offer is not None or tree.offer is None:
            self._open_after(before, offer)
        else:
            if self._paint_timer is not None:
                self._paint_timer.stop()
            self._paint_timer = self._pane.set_timer(_PAINT_S, partial(self._replace, before))

    def _has_replacement(self, offer: Offer) -> bool:
        """Whether an offer is only shown in place of one that is gone."""
        return self._lost_focus is not None and self._lost_focus.replacement == offer

    def _replace(self, before: Offer | None) -> None:
        is_gone = before is None or self.find(before.key) is None
        if is_gone and self._form.offer == before:
            self._open_after(before, self._list.offer_tree.offer)

    def _open_after(self, before: Offer | None, offer: Offer | None) -> None:
        self.open(offer)
        if self._lost_focus is not None and self._lost_focus.replacement == before:
            self._lost_focus = replace(self._lost_focus, replacement=self._form.offer)

    def _restore_focus(self) -> bool:
        """Return to the offer that was open when it was removed, and to its field, unless the user has moved since."""
        lost, form, tree = self._lost_focus, self._form, self._list.offer_tree
        offer = None if lost is None else self.find(lost.offer_key)
        if lost is None or offer is None:
            return False
        self._lost_focus = None
        has_moved = form.screen.focused not in (form.editor.view, tree) if lost.path else form.editor.view.focused_row
        if form.offer != lost.replacement or has_moved:
            return False
        self._list.show_offer(offer)
        self.open(offer)
        if lost.path is None:
            return True
        self._show_form()
        form.editor.view.focus_field(lost.path)
        return True
