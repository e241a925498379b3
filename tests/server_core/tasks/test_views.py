"""A task in the form of both wires."""

import time

import pytest

from server_core.tasks.task import TaskState
from server_core.tasks.views import common_members, poll_ms, ttl_ms
from tests.tables import each_row


@pytest.mark.parametrize(("age", "wait"), [(0.0, 100), (0.2, 100), (4.0, 1000), (3600.0, 5000), (-10.0, 100)])
def test_the_poll_interval_grows_with_the_age_of_the_task(
    monkeypatch: pytest.MonkeyPatch, age: float, wait: int
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0 + age)
    assert poll_ms(TaskState("t1", "", "dig", 1000.0, 1000.0, 60.0)) == wait


@each_row(("ttl", "milliseconds"), [(None, None), (60.0, 60_000), (0.0, 1), (1.5, 1500)])
def test_the_time_to_live_is_given_in_milliseconds(ttl: float | None, milliseconds: int | None) -> None:
    assert ttl_ms(TaskState("t1", "", "dig", 1000.0, 1000.0, ttl)) == milliseconds


def test_times_are_in_utc() -> None:
    task = TaskState("t1", "", "dig", 1753000000.25, 1753000001.0, None)
    assert common_members(task, "working") == {
        "taskId": "t1",
        "status": "working",
        "createdAt": "2025-07-20T08:26:40.250Z",
        "lastUpdatedAt": "2025-07-20T08:26:41.000Z",
    }
    assert common_members(task, "failed", "no")["statusMessage"] == "no"
