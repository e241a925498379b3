"""The author's side of a failure, and the run that it belongs to."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.history import History
from workbench.model.traffic.failure_details import FailureDetails, read_failure_details

pytestmark = pytest.mark.promises("debug exposure")

EVENT: dict[str, Any] = {
    "event": "tool_failed",
    "tool": "book",
    "id": 7,
    "kind": "TOOL_RUNTIME_FATAL",
    "message": "An unhandled KeyError was raised by the tool.",
    "developer_message": "KeyError: 'soup'",
    "file": "/home/ada/tools.py",
    "line": 12,
    "traceback": "Traceback:\n  File \"/home/ada/tools.py\", line 12, in book\nKeyError: 'soup'\n",
    "extra": None,
    "adapter_problems": [],
}
RESULT = {
    "isError": True,
    "content": [{"type": "text", "text": f"[KIND] X during execution of tool 'book': {EVENT['message']}"}],
}


def failure_details(**changes: Any) -> FailureDetails:
    details = read_failure_details({**EVENT, **changes})
    assert details is not None
    return details


def test_an_event_of_a_failure_is_read() -> None:
    details = failure_details(extra={"service": "_http"}, adapter_problems=["It was passed over."])
    assert (details.developer_message, details.place) == ("KeyError: 'soup'", "/home/ada/tools.py:12")
    assert details.traceback.endswith("KeyError: 'soup'")
    assert (details.extra, details.problems) == ({"service": "_http"}, ("It was passed over.",))


@each_row(
    "changes",
    [{"event": "task_changed"}, {"id": None}, {"id": [7]}, {"tool": 5}],
)
def test_other_events_have_no_failure_details(changes: dict[str, Any]) -> None:
    assert read_failure_details({**EVENT, **changes}) is None


def test_members_of_any_shape_harm_nothing() -> None:
    changes = {"message": 5, "developer_message": [], "file": 3, "line": "x", "traceback": {}, "adapter_problems": "x"}
    assert failure_details(**changes) == FailureDetails(7, "book", "")


def test_hostile_texts_are_escaped() -> None:
    details = failure_details(developer_message="a\x1b[2Jb", file="/x\x1b\n.py", traceback="\x1b]0;x\x07")
    shown = details.developer_message + details.place + details.traceback
    assert "\x1b" not in shown
    assert "\n" not in details.place


def test_a_failure_belongs_to_the_run_with_its_id() -> None:
    history = History()
    first, second = history.start("book", {}), history.start("book", {})
    first.request_id, second.request_id = 7, 8
    assert history.add_details(failure_details())
    assert first.failure_details == failure_details()
    assert second.failure_details is None


def test_a_failure_recorded_after_the_result_belongs_to_it_when_the_message_is_the_same() -> None:
    history = History()
    run = history.start("book", {})
    run.request_id = 7
    run.finish(RESULT, 1.0)
    assert not history.add_details(failure_details(message="Another."))
    assert history.add_details(failure_details())


def test_a_failure_of_a_call_of_others_belongs_to_no_run() -> None:
    history = History()
    assert not history.add_details(failure_details())
    run = history.start("book", {})
    run.request_id = 7
    run.finish({"content": []}, 1.0)
    assert not history.add_details(failure_details())
    assert not history.add_details(failure_details(tool="greet"))
    assert run.failure_details is None


def test_a_call_that_asked_the_user_continues_under_another_id() -> None:
    history = History()
    run = history.start("book", {})
    run.request_id = 3
    assert history.add_details(failure_details())
    assert run.failure_details is not None
