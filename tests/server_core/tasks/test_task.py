"""The life of a task, as a table."""

import pytest

from server_core.tasks.task import STATUSES, TRANSITIONS, IllegalTransition, Status, TaskState
from tests.tables import each_row

TASK = TaskState("t1", "", "dig", created=100.0, updated=100.0, ttl=60.0)
QUESTION = {"method": "elicitation/create", "params": {}}
# Source: 2025-11-25, basic/utilities/tasks, task status lifecycle.
ALLOWED = {
    ("working", "input_required"),
    ("working", "completed"),
    ("working", "failed"),
    ("working", "cancelled"),
    ("input_required", "working"),
    ("input_required", "completed"),
    ("input_required", "failed"),
    ("input_required", "cancelled"),
}


def in_status(status: Status) -> TaskState:
    return TASK if status == "working" else TASK.with_status(status, 101.0)


@each_row("before", STATUSES)
def test_only_the_transitions_in_the_table_are_allowed(before: Status) -> None:
    task = in_status(before)
    for after in STATUSES:
        if (before, after) in ALLOWED:
            assert task.with_status(after, 102.0).status == after
        else:
            with pytest.raises(IllegalTransition, match=f"is {before}, and cannot become {after}"):
                task.with_status(after, 102.0)


def test_every_status_has_its_line_in_the_table() -> None:
    assert set(TRANSITIONS) == set(STATUSES)


@each_row("status", STATUSES)
def test_a_task_has_ended_when_nothing_can_follow(status: Status) -> None:
    assert in_status(status).is_ended == (status in ("completed", "failed", "cancelled"))


def test_a_task_waits_for_input_as_long_as_a_question_is_open() -> None:
    both = TASK.with_requests({"a": QUESTION, "b": QUESTION}, 101.0)
    assert (both.status, set(both.questions)) == ("input_required", {"a", "b"})
    asking = both.with_requests({"b": QUESTION}, 102.0)
    assert (asking.status, set(asking.questions), asking.updated) == ("input_required", {"b"}, 102.0)
    none = asking.with_requests({}, 103.0)
    assert (none.status, none.questions) == ("working", {})


def test_an_end_leaves_no_question_behind() -> None:
    asking = TASK.with_requests({"a": QUESTION}, 101.0)
    assert asking.with_status("cancelled", 102.0).questions == {}


def test_a_task_without_an_end_never_expires() -> None:
    assert TASK.expires == 160.0
    assert TaskState("t2", "", "dig", 100.0, 100.0, None).expires is None
