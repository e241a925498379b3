"""The tree of offers with its search."""

from collections.abc import Collection, Mapping, Sequence

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from workbench.model.catalog import Offer
from workbench.model.offer_marks import legend
from workbench.model.saved_calls import SavedCall
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.line_input import LineInput
from workbench.tui.widgets.offer_tree import Objects, OfferTree

_NO_MATCH = "There is no match.\nEsc shows everything."
# Rows of the list below which all are for offers.
_LOW = 14


class OfferList(Vertical):
    """The offers of the server, with a search box that is shown on demand."""

    DEFAULT_CSS = """
    OfferList {
        & > .none { display: none; padding: 0 1; color: $text-muted; }
        &.-none > .none { display: block; }
        & > #search { display: none; height: 1; background: $boost; }
        & > #search > Static { width: auto; padding: 0 1; color: $text-muted; text-align: right; }
        & > #search > Input { width: 1fr; background: $boost; }
        &.-searching > #search { display: block; }
        & > #legend { height: auto; padding: 0 0 0 1; color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._empty_text = ""
        self._shown_text = ""
        self._shown_legend: tuple[str, bool] | None = None
        self._signs: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        with Horizontal(id="search"):
            yield Static(key_for("search", "tools"), markup=False)
            yield LineInput(placeholder="search", compact=True)
            yield Static(id="matches", markup=False)
        yield Static(classes="none", markup=False)
        yield OfferTree()
        yield Static(id="legend", markup=False)

    @property
    def offer_tree(self) -> OfferTree:
        return self.query_one(OfferTree)

    def show(self, offers: Sequence[Offer], empty_text: str) -> None:
        self.offer_tree.show(offers)
        self.set_empty_text(empty_text)

    def show_saved_calls(self, calls: Sequence[SavedCall]) -> None:
        self.offer_tree.show_saved_calls(calls)
        self._update_texts()

    def show_marks(
        self,
        secrets: Objects,
        accounts: Objects,
        problems: Objects,
        warned: Collection[tuple[str, str]],
        subscribed: Mapping[str, bool],
    ) -> None:
        """Show the signs of the offers, and what they mean; the arguments are those of `OfferMarks`."""
        self.offer_tree.show_marks(secrets, accounts, problems, warned, subscribed)
        self._signs = self.offer_tree.signs
        self._show_legend()

    def on_resize(self) -> None:
        self._show_legend()
        self._update_texts()

    def _show_legend(self) -> None:
        text = legend(self._signs, self.content_size.width - 1)
        line = self.query_one("#legend", Static)
        is_shown = bool(text) and self.size.height >= _LOW
        # Both lay out the screen, also where they change nothing.
        if (text, is_shown) != self._shown_legend:
            self._shown_legend = (text, is_shown)
            line.update(text)
            line.display = is_shown

    def set_empty_text(self, text: str) -> None:
        self._empty_text = text
        self._update_texts()

    @property
    def is_searching(self) -> bool:
        return self.has_class("-searching")

    @property
    def has_no_match(self) -> bool:
        """Whether the search has left nothing to show."""
        return self.is_searching and self.offer_tree.line_count == 0

    def open_search(self) -> None:
        self.add_class("-searching")
        self.screen.set_focus(self.query_one(Input))

    def close_search(self) -> None:
        if self.is_searching:
            self._end_search()
            self.screen.set_focus(self.offer_tree)

    def _end_search(self) -> None:
        self.remove_class("-searching")
        self.query_one(Input).clear()
        self.offer_tree.search("")

    def show_offer(self, offer: Offer, *, opens_group: bool = True) -> None:
        """Put the cursor on an offer; a search that does not match it ends."""
        if self.is_searching and not self.offer_tree.shows(offer):
            self._end_search()
        self.offer_tree.show_offer(offer, opens_group=opens_group)

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        self.offer_tree.search(event.value)
        self._update_texts()

    def _update_texts(self) -> None:
        has_search = bool(self.query_one(Input).value)
        matches, offers = self.offer_tree.counts
        count = self.query_one("#matches", Static)
        # As wide as for all offers, so that a letter of the search does not lay out the screen.
        width = len(f"{offers:,}/{offers:,}") + 2
        count.styles.width = width
        count.update(f"{matches:,}/{offers:,}", layout=False)
        # The whole text matters more than the count; the sign of the search has three cells, and the cursor one.
        count.display = cell_len(self.query_one(Input).value) + 4 <= self.content_size.width - width
        if (text := _NO_MATCH if has_search else self._empty_text) != self._shown_text:
            self._shown_text = text
            self.query_one(".none", Static).update(text)
        self.set_class(self.offer_tree.line_count == 0, "-none")

    @on(Input.Submitted)
    def _search_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.set_focus(self.offer_tree)

    def on_key(self, event: events.Key) -> None:
        if event.key == "down" and self.query_one(Input).has_focus:
            event.stop()
            self.screen.set_focus(self.offer_tree)
