"""The rows of a replay: what became of each request, or what will be sent."""

from workbench.model.describe import json_text
from workbench.replay.report import Status
from workbench.tui.widgets.paint import StyledText
from workbench.workspace.capture_replay import ReplayRow

_SIGNS = {
    Status.SAME: ("✓ same", "table--good"),
    Status.DIFFERS: ("✗ differs", "table--bad"),
    Status.SKIPPED: ("· skipped", "table--muted"),
}


def differs(row: ReplayRow) -> bool:
    return row.outcome is not None and row.outcome.status is Status.DIFFERS


def cells_of(row: ReplayRow) -> tuple[StyledText, ...]:
    outcome = row.outcome
    if outcome is None:
        return _state(row), (row.title, ""), ("changed" if row.exchange and row.exchange.is_changed else "", "")
    return _SIGNS[outcome.status], (row.title, ""), (str(len(outcome.differences) or ""), "table--muted")


def _state(row: ReplayRow) -> StyledText:
    if row.exchange is not None and row.exchange.skipped and not row.is_sent:
        return ("→ skip" if row.is_next else "· skip"), "table--muted"
    if row.is_next:
        return "→ next", "table--warn"
    if row.is_sent:
        return "… sent", "table--warn"
    return ("· waits" if row.is_waiting else "· not sent"), "table--muted"


def lines_of(row: ReplayRow) -> list[str]:
    """Return what became of a request, or what will be sent, a line each."""
    if row.outcome is not None:
        return row.outcome.describe() or ["The answer is the same."]
    if row.exchange is None:
        return []
    why_not = [] if row.is_sent or not row.exchange.obstacle else [f"It is skipped: {row.exchange.obstacle}"]
    return [*why_not, *json_text(row.exchange.shown_params, indent=2).splitlines()]
