"""The log of a run has everything that happened during the call, in order."""

from typing import Any

import pytest

from server_core.records.tap import Kind, Record
from tests.workbench.model.records import IN, OUT, Wire
from workbench.model.history import CallRun
from workbench.model.traffic import run_log
from workbench.model.traffic.run_log import RunLog, Tone
from workbench.model.traffic.run_records import RunRecords
from workbench.model.traffic.timeline import Timeline

QUESTION = {"mode": "form", "message": "Which dessert?"}


def log_of(*records: Record) -> RunLog:
    timeline = Timeline()
    timeline.extend(records)
    log = RunLog(RunRecords(timeline, CallRun(1, "greet", {}, 1000, request_id=1)))
    log.refresh()
    return log


def texts(log: RunLog) -> list[tuple[str, str]]:
    return [(line.source, line.text) for line in log.lines]


def message(wire: Wire, **params: Any) -> Record:
    return wire.notification("notifications/message", params, call="1")


def test_prints_log_messages_and_progress_are_in_order_with_the_time_since_the_request() -> None:
    wire = Wire()
    log = log_of(
        wire.call(1, "greet", "t1"),
        wire.raw(Kind.STDOUT, b"greeting\n", call="1"),
        wire.raw(Kind.STDERR, b"careful\n", call="1"),
        message(wire, level="info", logger="db", data="connected"),
        message(wire, level="error", data={"code": 7}),
        wire.notification(
            "notifications/progress", {"progressToken": "t1", "progress": 3, "total": 5, "message": "tea"}
        ),
        wire.result(1),
    )
    assert texts(log) == [
        ("print", "greeting"),
        ("stderr", "careful"),
        ("info", "db: connected"),
        ("error", '{"code": 7}'),
        ("progress", "3/5 tea"),
    ]
    assert [round(line.time, 3) for line in log.lines] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert [line.tone for line in log.lines[1:4]] == [Tone.WARNING, Tone.PLAIN, Tone.ERROR]


def test_the_questions_of_a_session_are_with_their_answers() -> None:
    wire = Wire()
    log = log_of(
        wire.call(1, "greet"),
        wire.request("q1", "elicitation/create", QUESTION, direction=OUT, call="1"),
        wire.result("q1", {"action": "accept", "content": {"dessert": "cake"}}, direction=IN),
        wire.request("q2", "roots/list", direction=OUT, call="1"),
        wire.error("q2", direction=IN),
    )
    assert texts(log) == [
        ("asks", "form: Which dessert?"),
        ("answer", 'accept {"dessert": "cake"}'),
        ("asks", "roots: folders to work in"),
        ("answer", "refused: -32602 Unknown tool"),
    ]


def test_the_questions_of_rounds_are_with_their_answers() -> None:
    wire = Wire()
    asked = {"q": {"method": "elicitation/create", "params": QUESTION}}
    answer = {"q": {"action": "decline"}}
    log = log_of(
        wire.call(1, "greet"),
        wire.result(1, {"resultType": "input_required", "inputRequests": asked, "requestState": "a"}),
        wire.request(2, "tools/call", {"name": "greet", "inputResponses": answer, "requestState": "a"}),
        wire.result(2, {"content": []}),
    )
    assert texts(log) == [("asks", "form: Which dessert?"), ("answer", "decline")]


def test_a_failure_is_shown_with_its_place_in_the_code() -> None:
    wire = Wire()
    call = wire.call(1, "greet")
    failed = wire.lifecycle("tool_failed", "s1", id=1, tool="greet", message="No.", file="/app/tea.py", line=3)
    assert texts(log_of(call, failed)) == [("failed", "No. (/app/tea.py:3)")]


def test_an_output_of_several_lines_is_split_and_made_safe() -> None:
    wire = Wire()
    log = log_of(wire.call(1, "greet"), wire.raw(Kind.STDOUT, b"one\n\n\x1b[31mtwo\n", call="1"))
    assert [(line.text, line.continues) for line in log.lines] == [("one", False), ("", True), ("\\x1b[31mtwo", True)]


def test_the_oldest_lines_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_log, "MAX_LINES", 3)
    wire = Wire()
    timeline = Timeline()
    log = RunLog(RunRecords(timeline, CallRun(1, "greet", {}, 1000, request_id=1)))
    timeline.extend([wire.call(1, "greet")])
    for number in range(5):
        timeline.extend([wire.raw(Kind.STDOUT, f"{number}\n".encode(), call="1")])
        assert log.refresh()
    assert (log.dropped, log.count, texts(log)) == (2, 5, [("print", "2"), ("print", "3"), ("print", "4")])
    timeline.extend([wire.raw(Kind.STDOUT, f"{number}\n".encode(), call="1") for number in range(9)])
    log.refresh()
    assert (log.count, texts(log)) == (14, [("print", "6"), ("print", "7"), ("print", "8")])
    assert not log.refresh()


def test_an_output_of_very_many_lines_is_cut() -> None:
    wire = Wire()
    log = log_of(wire.call(1, "greet"), wire.raw(Kind.STDOUT, b"x\n" * 1000, call="1"))
    assert len(log.lines) == run_log.MAX_LINES_OF_A_RECORD + 1
    assert log.lines[-1].text == "… the rest is in the Inspector"


def test_http_requests_of_the_tool_are_lines() -> None:
    wire = Wire()
    request = {"id": 1, "method": "GET", "url": "https://tea.example/menu?q=<hidden>", "ms": 31.2}
    log = log_of(
        wire.call(1, "greet"),
        wire.lifecycle("http_request_ended", "s1", **request, ok=True, status=200, bytes=1200),
        wire.lifecycle("http_request_ended", "s1", **request, ok=False, error="ConnectError"),
        wire.lifecycle("http_request_ended", "s1", id=1, ok=None, status="x", ms="y", url=["z"]),
        wire.result(1),
    )
    assert texts(log) == [
        ("http", "GET 200 · 31 ms · 1.2 KB · https://tea.example/menu?q=<hidden>"),
        ("http", "GET ConnectError · 31 ms · https://tea.example/menu?q=<hidden>"),
        ("http", "no response"),
    ]
    assert [line.tone for line in log.lines] == [Tone.PLAIN, Tone.WARNING, Tone.WARNING]
