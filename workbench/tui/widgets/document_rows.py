"""The rows in which a view shows a document."""

from typing import Protocol

from textual.strip import Strip

from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.text_search import TextSearch


class Rows(Protocol):
    """The rows of a document; nothing in it folds, except where a subclass overrides the methods that fold."""

    document: JsonDocument

    @property
    def row_count(self) -> int: ...

    def lay_out(self, width: int) -> None:
        """Compute the rows at a width."""

    def line_of(self, row: int) -> int:
        """Return the line of the document that a row belongs to."""

    def row_of(self, line: int) -> int:
        """Return the first row of a line, or of the line that hides it."""

    def strip(self, row: int, background: str, search: TextSearch | None) -> Strip:
        """Return a row on the background of a component class, with the matches of a search."""

    def continues(self, row: int) -> bool:
        """Whether a row continues the line of the row above, without a line break."""
        return False

    def toggle(self, line: int) -> int | None:
        """Fold or unfold what begins or ends at a line, and return its first line; None if nothing does."""
        return None

    def toggle_all(self) -> None:
        """Unfold everything if something is folded; else fold it."""
        return

    def reveal(self, line: int) -> bool:
        """Unfold what hides a line, and return whether something did."""
        return False
