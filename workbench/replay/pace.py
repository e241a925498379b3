"""Tasks go at their own pace: how far one is when it is asked about differs from run to run, and means nothing.

Source: 2025-11-25, basic/utilities/tasks; the tasks extension of 2026-07-28.
"""

from typing import Any

from workbench.client.tasks import LONGEST_MS, SHORTEST_MS, USUAL_MS, WORKING
from workbench.replay.handles import is_task


def lags(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a task still works that had got further when it was recorded: it has to be asked about again.

    Args:
        recorded: the body of the answer in the capture.
        replayed: the body of the answer now.
    """
    before, now = recorded.get("result"), replayed.get("result")
    return is_task(before) and is_task(now) and before["status"] != WORKING and now["status"] == WORKING


def is_ahead(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a task has got somewhere, wherever that is, that still worked when it was recorded.

    Args:
        recorded: the body of the answer in the capture.
        replayed: the body of the answer now.
    """
    before, now = recorded.get("result"), replayed.get("result")
    return is_task(before) and is_task(now) and before["status"] == WORKING and now["status"] != WORKING


def pause(replayed: dict[str, Any]) -> float:
    """Return after how many seconds a task may be asked about again.

    Args:
        replayed: the body of the answer that tells how it is.
    """
    state = replayed["result"]
    wanted = state.get("pollIntervalMs", state.get("pollInterval"))
    milliseconds = wanted if isinstance(wanted, int | float) else USUAL_MS
    return min(max(milliseconds, SHORTEST_MS), LONGEST_MS) / 1000
