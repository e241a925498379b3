"""The keys for a section of a view, in its heading while the cursor is in it."""

from typing import TYPE_CHECKING

from rich.cells import cell_len

from workbench.model.json_members import text_in
from workbench.tui.widgets.markdown_rows import MarkdownRows
from workbench.tui.widgets.paint import StyledText, fit
from workbench.tui.widgets.rows import Rows
from workbench.tui.widgets.table_rows import TableRows

if TYPE_CHECKING:
    from workbench.tui.widgets.json_view import Section

_GAP = 2


def with_hints(heading: str, hints: list[str], width: int, name: str, hint_name: str) -> list[StyledText]:
    """Return a heading, in exactly this many cells, with as many hints at its right as there is room for."""
    text = "  ".join(hints)
    while hints and cell_len(heading) + _GAP + cell_len(text) + 1 > width:
        hints = hints[:-1]
        text = "  ".join(hints)
    if not hints:
        return [(fit(heading, width), name)]
    return [(fit(heading, width - cell_len(text) - 1), name), (f"{text} ", hint_name)]


def hints_of(section: "Section", rows: Rows, *, is_source: bool) -> list[str]:
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
