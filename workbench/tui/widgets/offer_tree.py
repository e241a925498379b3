"""The tree of a server's offers: tools, resources with their templates, prompts; each group can be closed.

It is a virtual list of rows, so that a server with thousands of tools opens as quickly as a server with three.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.strip import Strip

from workbench.model.catalog import Offer, OfferKind
from workbench.model.short_text import first_paragraph
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText, fit

_GROUPS = {
    "Tools": (OfferKind.TOOL,),
    "Resources": (OfferKind.RESOURCE, OfferKind.TEMPLATE),
    "Prompts": (OfferKind.PROMPT,),
}
# The width of the name column where there is room for descriptions, in cells.
_NAME_WIDTH = 28


@dataclass(frozen=True, slots=True)
class _Group:
    """The row above the offers of a kind."""

    title: str
    count: int


class OfferTree(Lines):
    """The offers of a server, grouped by kind and searchable by words."""

    # An action of the pane, and not a message to it: the keys typed after it are for the form.
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.do('tools', 'open_offer')", show=False)]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tree--group", "tree--count", "tree--note"}

    DEFAULT_CSS = """
    OfferTree {
        & > .tree--group { text-style: bold; }
        & > .tree--count { color: $text-muted; }
        & > .tree--note { color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._offers: Sequence[Offer] = ()
        self._rows: list[_Group | Offer] = []
        # The titles of the closed groups.
        self._closed_groups: set[str] = set()
        self._words: list[str] = []

    @property
    def line_count(self) -> int:
        return len(self._rows)

    @property
    def offer(self) -> Offer | None:
        """The offer under the cursor; None on a group."""
        return self.offer_at(self.cursor)

    def offer_at(self, index: int) -> Offer | None:
        row = self._rows[index] if index < len(self._rows) else None
        return row if isinstance(row, Offer) else None

    def show(self, offers: Sequence[Offer]) -> None:
        """Show offers; the cursor stays on its offer, if that still exists."""
        self._offers = offers
        self._lay_out()

    def show_offer(self, offer: Offer) -> None:
        self._closed_groups -= {title for title, kinds in _GROUPS.items() if offer.kind in kinds}
        self._lay_out()
        self.move_to(next((index for index, row in enumerate(self._rows) if row == offer), self.cursor))

    def search(self, text: str) -> None:
        """Show only the offers that have all these words in their name, title or description.

        The cursor moves to the offer whose name is most similar to the text.
        """
        self._words = text.lower().split()
        self._lay_out()
        if self._words or self.offer is None:
            query = text.strip().lower()
            distances = [
                (_distance(row.name, query), index) for index, row in enumerate(self._rows) if isinstance(row, Offer)
            ]
            self.move_to(min(distances, default=(0, 0))[1])

    def action_select(self) -> None:
        row = self._rows[self.cursor] if self._rows else None
        if not isinstance(row, _Group):
            super().action_select()
            return
        self._closed_groups ^= {row.title}
        self._lay_out()

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        row = self._rows[index]
        if isinstance(row, _Group):
            sign = "▸" if row.title in self._closed_groups else "▾"
            return self.paint(
                [(f" {sign} ", "tree--count"), (row.title, "tree--group"), (f"  {row.count}", "tree--count")]
            )
        texts: list[StyledText] = [("   ", "")]
        if width <= 2 * _NAME_WIDTH:
            texts.append((fit(row.name, width - 4), ""))
        else:
            note = first_paragraph(row.description)
            texts += [(fit(row.name, _NAME_WIDTH), ""), ("  ", ""), (fit(note, width - _NAME_WIDTH - 6), "tree--note")]
        return self.paint(texts, selected)

    def _lay_out(self) -> None:
        before = self.offer
        matches = [offer for offer in self._offers if offer.matches(self._words)]
        self._rows = []
        for title, kinds in _GROUPS.items():
            members = [offer for offer in matches if offer.kind in kinds]
            if not members:
                continue
            self._rows.append(_Group(title, len(members)))
            # A search covers closed groups too.
            if title not in self._closed_groups or self._words:
                self._rows += members
        if before is not None:
            keys = {row.key: index for index, row in enumerate(self._rows) if isinstance(row, Offer)}
            self.cursor = keys.get(before.key, self.cursor)
        self.lines_changed()
        self.call_later(self._post_change, before)

    def _post_change(self, before: Offer | None) -> None:
        # Called later, so that the tree is the sender: a message that a widget posts while its parent handles another
        # does not bubble past that parent.
        if self.offer != before:
            self.post_message(self.Highlighted(self, self.cursor))


def _distance(name: str, query: str) -> int:
    """Return the distance of a name from a search text: 0 if they are equal, 3 if the name does not contain it."""
    lower = name.lower()
    return 0 if lower == query else 1 if lower.startswith(query) else 2 if query in lower else 3
