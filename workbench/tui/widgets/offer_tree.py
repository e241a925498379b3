"""The tree of a server's offers: groups of tools, of resources with their templates, and of prompts.

It is a virtual list of rows, so that a server with thousands of tools opens as quickly as a server with three.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from workbench.model.arrangement import Arrangement
from workbench.model.catalog import Offer
from workbench.model.offer_groups import grouped
from workbench.model.offer_marks import OfferMarks
from workbench.model.offer_search import search_offers, search_saved_calls
from workbench.model.saved_calls import SavedCall
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText, fit, fit_matches, width_of

_SAVED = "Saved calls"


@dataclass(frozen=True, slots=True)
class _Heading:
    """The row of a group."""

    title: str
    count: int


Objects: TypeAlias = Iterable[Mapping[str, Any]]

# The width of the name column where there is room for descriptions, in cells.
_NAME_WIDTH = 28
_INDENT = 3
# Rows up to this width have no column of names: what is beside a name begins right after it.
_NARROW = 2 * _NAME_WIDTH
# A rest of a row below this width has no text.
_SHORTEST_NOTE = 6


class OfferTree(Lines):
    """The saved calls and the offers of a server in groups, or the matches of a search, best match first."""

    # An action of the pane, and not a message to it: the keys typed after it are for the form.
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.do('tools', 'open_offer')", show=False)]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tree--group", "tree--count", "tree--note", "tree--match", "tree--marks"}

    DEFAULT_CSS = """
    OfferTree {
        & > .tree--group { text-style: bold; }
        & > .tree--count { color: $text-muted; }
        & > .tree--note { color: $text-muted; }
        & > .tree--match { color: $text-accent; text-style: bold underline; }
        & > .tree--marks { color: $text-warning; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._offers: Sequence[Offer] = ()
        self._marks = OfferMarks()
        self._saved: Sequence[SavedCall] = ()
        self._rows: list[_Heading | Offer | SavedCall] = []
        self._arrangement = Arrangement()
        self._query = ""
        # The offer under the cursor when the search began.
        self._before_search: Offer | None = None
        # By the keys of the matches of the search: the matched characters of their labels.
        self._positions: dict[tuple[str, str], frozenset[int]] = {}

    @property
    def line_count(self) -> int:
        return len(self._rows)

    @property
    def offer(self) -> Offer | None:
        """The offer under the cursor; None on a group."""
        return self.offer_at(self.cursor)

    @property
    def saved_call(self) -> SavedCall | None:
        """The saved call under the cursor."""
        row = self._rows[self.cursor] if self.cursor < len(self._rows) else None
        return row if isinstance(row, SavedCall) else None

    @property
    def is_sorted(self) -> bool:
        """Whether offers are sorted by name, instead of in the server's order."""
        return self._arrangement.is_sorted

    @property
    def search_text(self) -> str:
        return self._query

    @property
    def counts(self) -> tuple[int, int]:
        """The number of matches of the search, and of all offers and saved calls."""
        total = len(self._offers) + len(self._saved)
        return len(self._positions) if self._query else total, total

    @property
    def signs(self) -> frozenset[str]:
        """The signs that any of the offers has."""
        return frozenset().union(*(self._marks.of(offer) for offer in self._offers))

    def offer_at(self, index: int) -> Offer | None:
        row = self._rows[index] if index < len(self._rows) else None
        return row if isinstance(row, Offer) else None

    def show(self, offers: Sequence[Offer]) -> None:
        """Show offers; the cursor stays on its offer, if that still exists."""
        self._offers = offers
        self._lay_out()

    def show_saved_calls(self, calls: Sequence[SavedCall]) -> None:
        """Show saved calls, above the offers; the cursor stays on its call, if that still exists."""
        if calls != self._saved:
            self._saved = calls
            self._lay_out()

    def move_to_first_offer(self) -> None:
        self.move_to(next((index for index, row in enumerate(self._rows) if isinstance(row, Offer)), 0))

    def use_arrangement(self, arrangement: Arrangement) -> None:
        """Show the order and the closed groups of an arrangement, and store changes of them in it."""
        self._arrangement = arrangement
        self._lay_out()

    def show_marks(
        self,
        secrets: Objects,
        accounts: Objects,
        problems: Objects,
        warned: Collection[tuple[str, str]],
        subscribed: Mapping[str, bool],
    ) -> None:
        """Show the signs of the offers; the arguments are those of `OfferMarks`."""
        self._marks = OfferMarks(self._offers, secrets, accounts, problems, warned, subscribed)
        self.refresh()

    def shows(self, offer: Offer) -> bool:
        return offer in self._rows

    def show_offer(self, offer: Offer, *, opens_group: bool = True) -> None:
        """Put the cursor on an offer, if its group is open or is to be opened."""
        if opens_group:
            groups = grouped(self._offers)
            self._arrangement.closed_groups -= {group.title for group in groups if offer in group.offers}
            self._lay_out()
        self.move_to(next((index for index, row in enumerate(self._rows) if row == offer), self.cursor))

    def search(self, query: str) -> None:
        """Show only the offers that match a query, with the cursor on the best match; empty for all offers."""
        if not self._query:
            self._before_search = self.offer
        self._query = query.strip()
        self._lay_out()
        if self._query:
            self.move_to(0)
        elif self.offer is None and self.saved_call is None:
            self.move_to_first_offer()
            if self._before_search in self._rows:
                self.move_to(self._rows.index(self._before_search))

    def toggle_order(self) -> None:
        """Sort the offers by name, or show them in the server's order again."""
        self._arrangement.is_sorted = not self._arrangement.is_sorted
        self._lay_out()
        self.move_to(self.cursor)

    def action_select(self) -> None:
        row = self._rows[self.cursor] if self._rows else None
        if not isinstance(row, _Heading):
            super().action_select()
            return
        self._arrangement.closed_groups ^= {row.title}
        self._lay_out()

    def on_click(self, event: events.Click) -> None:
        index = self.row_clicked(event)
        if index is not None and isinstance(self._rows[index], _Heading):
            # The handler of the base class is called next, and opens the row under the cursor.
            self.cursor = index

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        row = self._rows[index]
        if isinstance(row, _Heading):
            return self._group_row(row, width)
        if isinstance(row, SavedCall):
            texts = self._label_and_note(
                row.name, row.note, self._positions.get(_key(row), ()), width - _INDENT - 1, width
            )
            return self.paint([(" " * _INDENT, ""), *texts], selected)
        marks = self._marks.of(row)
        room = max(0, width - _INDENT - 1 - (len(marks) + 1 if marks else 0))
        # Narrow rows have no room for descriptions; with the URI, resources of the same name differ.
        is_shown = width > _NARROW or bool(self._query) or row.label != row.name
        note, positions = row.note if is_shown else "", self._positions.get(row.key, ())
        texts = [(" " * _INDENT, ""), *self._label_and_note(row.label, note, positions, room, width)]
        if marks:
            texts += [(f" {marks}", "tree--marks")]
        return self.paint(texts, selected)

    def _group_row(self, group: _Heading, width: int) -> Strip:
        sign = "▸" if group.title in self._arrangement.closed_groups else "▾"
        count = f"  {group.count}"
        title = fit(group.title, min(width_of(group.title), width - _INDENT - len(count)))
        return self.paint([(f" {sign} ", "tree--count"), (title, "tree--group"), (count, "tree--count")])

    def _label_and_note(
        self, label: str, note: str, positions: Container[int], room: int, width: int
    ) -> list[StyledText]:
        """Return the label and what is beside it, together as wide as the room."""
        column = _NAME_WIDTH if width > _NARROW else min(room, width_of(label))
        texts = fit_matches(label, positions, min(room, column), "", "tree--match")
        rest = room - column - 2
        if rest < _SHORTEST_NOTE:
            return [*texts, (" " * max(0, room - column), "")]
        return [*texts, ("  ", ""), (fit(note, rest), "tree--note")]

    def _lay_out(self) -> None:
        before, saved_before = self.offer, self.saved_call
        self._rows, self._positions = [], {}
        if self._query:
            self._lay_out_matches()
        else:
            self._lay_out_groups()
        places = {_key(row): index for index, row in enumerate(self._rows) if not isinstance(row, _Heading)}
        if (row := before or saved_before) is not None:
            self.cursor = places.get(_key(row), self.cursor)
        self.lines_changed()
        self.call_later(self._post_change, before)

    def _lay_out_matches(self) -> None:
        for call, positions in search_saved_calls(self._saved, self._query):
            self._rows.append(call)
            self._positions[_key(call)] = positions
        for match in search_offers(self._offers, self._query):
            self._rows.append(match.offer)
            self._positions[match.offer.key] = match.positions

    def _lay_out_groups(self) -> None:
        groups: list[tuple[str, Sequence[Offer | SavedCall]]] = [(_SAVED, self._saved)] if self._saved else []
        groups += [(group.title, group.offers) for group in grouped(self._offers, by_name=self._arrangement.is_sorted)]
        for title, members in groups:
            self._rows.append(_Heading(title, len(members)))
            if title not in self._arrangement.closed_groups:
                self._rows += members

    def _post_change(self, before: Offer | None) -> None:
        # Called later, so that the tree is the sender: a message that a widget posts while its parent handles another
        # does not bubble past that parent.
        if self.offer != before:
            self.post_message(self.Highlighted(self, self.cursor))


def _key(row: Offer | SavedCall) -> tuple[str, str]:
    return (_SAVED, row.name) if isinstance(row, SavedCall) else row.key
