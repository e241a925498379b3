"""Text cut or filled to a number of cells."""

from rich.cells import cell_len, set_cell_size

from workbench.model.short_text import escaped


def fit(text: str, width: int) -> str:
    """Return the text in exactly so many cells: filled with spaces, or cut with an ellipsis."""
    if width <= 0:
        return ""
    # A cell may hold a few code points; what lies beyond cannot come into sight.
    text = escaped(text[: 4 * width])
    length = len(text) if text.isascii() else cell_len(text)
    if length <= width:
        return text + " " * (width - length)
    return set_cell_size(text, width - 1) + "…"


def fit_right(text: str, width: int) -> str:
    """Return the text in exactly so many cells, at the right side of them."""
    cut = fit(text, width).rstrip()
    return " " * (width - cell_len(cut)) + cut
