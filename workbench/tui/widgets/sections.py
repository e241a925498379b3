"""The sections of a view, one under the other: which of them a row shows, what is folded, and the hints in headings."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rich.cells import cell_len

from workbench.model.json_members import text_in
from workbench.model.markdown_text import is_markdown
from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.widgets.document_rows import Rows
from workbench.tui.widgets.markdown_rows import MarkdownRows
from workbench.tui.widgets.paint import StyledText, fit
from workbench.tui.widgets.table_rows import TableRows

if TYPE_CHECKING:
    from workbench.model.pictures import Picture

HEADING = -1
"""The row of a heading, where the rows of its document begin at 0."""

_GAP = 2
_FACT_ENDS = re.compile("( · |, )")


@dataclass(frozen=True, slots=True)
class Section:
    """A document of a view, under a heading; an empty heading has no row."""

    heading: str
    document: JsonDocument
    heading_class: str = "json--heading"
    item: dict[str, Any] | None = None  # The content of a result that the document describes, for saving and following.
    picture: "Picture | None" = None  # Shown below the document.
    seq: int = 0  # The message that the document is, by its number.
    is_message: bool = False  # Whether the document is a message, whose metadata begins folded.
    links: Literal["none", "heading", "all"] = "none"  # Where "#4" leads to a message: nowhere in texts of others.

    @property
    def is_markdown(self) -> bool:
        """Whether the document is a text from a server that is clearly Markdown."""
        return self.item is not None and not self.document.is_json and is_markdown(self.document.text)


class Sections:
    """Sections with the rows of their documents, and a blank row after each but the last; rows are counted from 0."""

    def __init__(self) -> None:
        self.shown: list[Section] = []
        self.rows: list[Rows] = []
        self.sources: set[int] = set()  # The numbers of those whose source the user has chosen to see.
        self.count = 0
        self._starts: list[int] = []
        # The numbers of the sections of which only the heading is shown.
        self._closed: set[int] = set()

    def show(self, sections: Sequence[Section], rows: Sequence[Rows]) -> None:
        """Replace all of them; :meth:`lay_out` is to follow."""
        self.shown, self.rows = list(sections), list(rows)
        self.sources, self._closed = set(), set()

    def lay_out(self, width: int) -> None:
        for rows in self.rows:
            rows.lay_out(width)
        self._count_rows()

    @property
    def documents(self) -> list[JsonDocument]:
        return [rows.document for rows in self.rows]

    def is_closed(self, number: int) -> bool:
        return number in self._closed

    def place(self, index: int) -> tuple[int, int]:
        """Return the section of a row, and the row in its document or `HEADING`; there has to be a section."""
        number = max(0, bisect_right(self._starts, index) - 1)
        return number, index - self._starts[number] - bool(self.shown[number].heading)

    def start(self, number: int) -> int:
        """Return the first row of a section, which is its heading if it has one."""
        return self._starts[number]

    def line_at(self, index: int) -> tuple[int, int]:
        """Return the section of a row, and the line of its document at or next to the row."""
        if not self.shown:
            return 0, 0
        number, row = self.place(index)
        rows = self.rows[number]
        return number, rows.line_of(min(max(row, 0), rows.row_count - 1)) if rows.row_count else 0

    def table_at(self, index: int) -> TableRows | None:
        """Return the table that a row below its heading belongs to."""
        if not self.shown:
            return None
        number, row = self.place(index)
        rows = self.rows[number]
        return rows if isinstance(rows, TableRows) and 0 < row < rows.row_count else None

    def reveal(self, number: int, line: int) -> int:
        """Unfold what hides a line, and return its row."""
        rows = self.rows[number]
        rows.reveal(line)
        self._closed -= {number}
        self._count_rows()
        return self._starts[number] + bool(self.shown[number].heading) + rows.row_of(line)

    def toggle(self, index: int) -> int | None:
        """Fold or unfold what begins or ends at a row, and return the row where it begins; None if nothing does."""
        if not self.shown:
            return None
        number, row = self.place(index)
        rows = self.rows[number]
        if row == HEADING:
            self._closed ^= {number}
            self._count_rows()
            return index
        if row >= rows.row_count or (line := rows.toggle(rows.line_of(row))) is None:
            return None
        return self.reveal(number, line)

    def replace_rows(self, number: int, rows: Rows) -> None:
        """Show the source of a section rendered, or a rendered one as its source."""
        self.rows[number] = rows
        self.sources ^= {number}

    def _count_rows(self) -> None:
        self._starts, count = [], 0
        for number, (section, rows) in enumerate(zip(self.shown, self.rows, strict=True)):
            self._starts.append(count)
            count += bool(section.heading) + (0 if self.is_closed(number) else rows.row_count + 1)
        is_last_closed = self.is_closed(len(self.shown) - 1)
        self.count = max(0, count if is_last_closed else count - 1)


def with_hints(heading: str, hints: list[str], width: int, name: str, hint_name: str) -> list[StyledText]:
    """Return a heading, in exactly this many cells, with as many hints at its right as there is room for."""
    text = "  ".join(hints)
    while hints and cell_len(heading) + _GAP + cell_len(text) + 1 > width:
        hints = hints[:-1]
        text = "  ".join(hints)
    if not hints:
        return [(_fit_facts(heading, width), name)]
    return [(_fit_facts(heading, width - cell_len(text) - 1), name), (f"{text} ", hint_name)]


def _fit_facts(heading: str, width: int) -> str:
    """Return a heading in exactly this many cells, without its last facts where there is no room for all."""
    facts = _FACT_ENDS.split(heading[: 4 * width])
    while len(facts) > 2 and cell_len("".join(facts)) > width:
        del facts[-2:]
    return fit("".join(facts), width)


def hints_of(section: Section, rows: Rows, *, is_source: bool) -> list[str]:
    """Return what the keys do in a section, the most useful first; `is_source` if its source was chosen."""
    if section.item is not None and section.item.get("type") == "resource_link":
        return ["enter open" if text_in(section.item, "uri").startswith(("http://", "https://")) else "enter read"]
    if section.picture is not None:
        return ["o open", "s save", "t show it" if is_source else "t hide it"]
    if isinstance(rows, TableRows):
        return ["t JSON", "enter row as JSON", "y copy", "s save"]
    if isinstance(rows, MarkdownRows):
        return ["t source", "y copy", "s save"]
    if is_source:
        return ["t table" if section.document.is_json else "t rendered", "y copy", "s save"]
    return ["y copy", "s save"] if section.document.text else []
