"""The keys of a dialog in one or more rows; a key and its title stay together."""

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

_SEPARATOR = " · "


class KeyHints(Widget):
    """Hints such as "r release · e edit", as many in each row as fit."""

    DEFAULT_CSS = """
    KeyHints { height: auto; color: $text-muted; }
    """

    def __init__(self, hints: str) -> None:
        super().__init__()
        self._hints = hints.split(_SEPARATOR)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(rows_of_hints(self._hints, width))

    def render(self) -> Content:
        return Content("\n".join(rows_of_hints(self._hints, self.size.width)))


def rows_of_hints(hints: list[str], width: int) -> list[str]:
    """Return hints in rows, which break only between two of them."""
    rows: list[str] = []
    for hint in hints:
        longer = f"{rows[-1]}{_SEPARATOR}{hint}" if rows else hint
        if rows and cell_len(longer) <= width:
            rows[-1] = longer
        else:
            rows.append(hint)
    return rows
