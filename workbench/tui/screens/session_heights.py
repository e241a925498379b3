"""The heights of the two lists of Sessions: the clients have the rows that they need, the captures all others."""

from textual.widget import Widget

from workbench.tui.widgets.panels import Panels

# The title or frame of a panel, and the heading of its list.
_FRAMED, _UNFRAMED = 3, 2
# The details of a client beside the list.
_DETAIL = 6
# Of all rows, at most one of so many is for the clients.
_SHARE = 6


def share_height(panels: Panels, clients: Widget, count: int) -> None:
    """Set the height of the list of clients, of which there are so many."""
    rows = max(1, count)
    most = max(_UNFRAMED + 2, panels.app.size.height // _SHARE)
    if panels.has_class("-narrow"):
        clients.styles.height = min(rows + _UNFRAMED, most)
        panels.styles.clear_rule("grid_rows")
    else:
        clients.styles.clear_rule("height")
        panels.styles.grid_rows = f"{min(max(rows, _DETAIL) + _FRAMED, most)} 1fr"
