"""Tasks have their own pace: the status that a poll returns varies from run to run and is no difference.

Source: 2025-11-25, basic/utilities/tasks; the tasks extension of 2026-07-28.
"""

from typing import Any

from workbench.client.tasks import LONGEST_MS, SHORTEST_MS, USUAL_MS, WORKING
from workbench.replay.handles import is_task


def lags(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a task is still working that had ended in the recording: it has to be polled again.

    Args:
        recorded: the body of the answer in the capture.
        replayed: the body of the answer now.
    """
    before, now = recorded.get("result"), replayed.get("result")
    return is_task(before) and is_task(now) and before["status"] != WORKING and now["status"] == WORKING


def is_ahead(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a task has ended, in whatever way, that was still working in the recording.

    Args:
        recorded: the body of the answer in the capture.
        replayed: the body of the answer now.
    """
    before, now = recorded.get("result"), replayed.get("result")
    return is_task(before) and is_task(now) and before["status"] == WORKING and now["status"] != WORKING


def pause(replayed: dict[str, Any]) -> float:
    """Return after how many seconds a task may be polled again.

    Args:
        replayed: the body of the answer with the task's state.
    """
    state = replayed["result"]
    wanted = state.get("pollIntervalMs", state.get("pollInterval"))
    milliseconds = wanted if isinstance(wanted, int | float) else USUAL_MS
    return min(max(milliseconds, SHORTEST_MS), LONGEST_MS) / 1000
