"""Text cut or padded to a number of cells."""

from rich.cells import cell_len, set_cell_size

from workbench.model.short_text import escaped


def fit(text: str, width: int) -> str:
    """Return the text in exactly this many cells: padded with spaces, or cut with an ellipsis."""
    if width <= 0:
        return ""
    # A cell may hold a few code points; text beyond that limit is never visible.
    text = escaped(text[: 4 * width])
    length = len(text) if text.isascii() else cell_len(text)
    if length <= width:
        return text + " " * (width - length)
    return set_cell_size(text, width - 1) + "…"


def fit_right(text: str, width: int) -> str:
    """Return the text in exactly this many cells, aligned to the right."""
    cut = fit(text, width).rstrip()
    return " " * (width - cell_len(cut)) + cut
