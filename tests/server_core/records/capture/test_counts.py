"""The calls, errors and clients of a capture."""

import json
from pathlib import Path
from typing import Any

from server_core.protocol.envelope import CLIENT_INFO
from server_core.records.capture.capture_listing import describe_capture, list_captures
from server_core.records.capture.capture_store import CaptureStore
from server_core.records.capture.search import search_capture
from server_core.records.tap import Direction, Kind, Tap

IN, OUT = Direction.IN, Direction.OUT


def emit(tap: Tap, kind: Kind, direction: Direction, session: str = "s1", **members: Any) -> None:
    tap.emit(kind, json.dumps({"jsonrpc": "2.0", **members}).encode(), session=session, direction=direction)


def emit_conversation(tap: Tap) -> None:
    info = {"name": "claude", "version": "1"}
    emit(tap, Kind.REQUEST, IN, id=0, method="initialize", params={"clientInfo": info})
    emit(tap, Kind.REQUEST, IN, id=1, method="tools/call", params={"name": "greet"})
    emit(tap, Kind.RESPONSE, OUT, id=1, result={"content": [{"type": "text", "text": 'say "isError":true'}]})
    meta = {CLIENT_INFO: {"name": "workbench"}}
    emit(tap, Kind.REQUEST, IN, "s2", id=1, method="tools/call", params={"name": "fail", "_meta": meta})
    emit(tap, Kind.RESPONSE, OUT, "s2", id=1, result={"isError": True})
    emit(tap, Kind.REQUEST, IN, "s2", id=2, method="tools/call", params={"requestState": "x", "_meta": meta})
    emit(tap, Kind.ERROR, OUT, id=3, error={"code": -32602, "message": "Größe?"})


def begun() -> tuple[Tap, CaptureStore, Path]:
    tap = Tap()
    store = CaptureStore(tap, core_id="c1", project="demo", server="1.0", started=1000.0)
    store.start()
    emit_conversation(tap)
    store.flush()
    assert store.path is not None
    return tap, store, store.path


def test_calls_errors_and_clients_are_counted_while_a_capture_is_written() -> None:
    tap, store, path = begun()
    info = describe_capture(path)
    assert (info.calls, info.errors, info.clients, info.server) == (2, 2, ("claude", "workbench"), "1.0")
    assert sorted(info.tools) == ["fail", "greet"]
    emit(tap, Kind.REQUEST, IN, id=9, method="tools/call", params={"name": "greet"})
    store.close()
    info = describe_capture(path)
    assert (info.calls, info.errors, info.clients) == (3, 2, ("claude", "workbench"))
    assert info.tools == ("greet", "fail"), "the most called first"


def test_captures_beyond_the_time_for_counting_are_counted_when_they_are_listed_again() -> None:
    tap, store, path = begun()
    assert [capture.calls for capture in list_captures(counting_seconds=0)] == [None]
    assert [capture.calls for capture in list_captures()] == [2]
    emit(tap, Kind.REQUEST, IN, id=9, method="tools/call", params={"name": "greet"})
    store.close()
    # What was counted before is continued.
    assert [capture.calls for capture in list_captures(counting_seconds=0)] == [3]
    assert path.exists()


def test_a_truncated_capture_is_not_counted() -> None:
    tap, store, path = begun()
    for _ in range(100):
        tap.emit(Kind.STDOUT, b"x" * 1000)
    store.close()
    path.write_bytes(path.read_bytes()[:-8192])
    info = describe_capture(path)
    assert (info.problem, info.calls, info.errors) == ("", None, None)


def test_a_search_returns_the_records_with_a_text_and_what_is_around_it() -> None:
    _, store, path = begun()
    store.close()
    (match,) = search_capture(path, "GREET", 10)
    assert (match.record.seq, match.match) == (2, "greet")
    assert match.before.endswith('"name": "')
    # Escaped in JSON or not.
    assert [match.record.seq for match in search_capture(path, 'say "is', 10)] == [3]
    assert [match.record.seq for match in search_capture(path, "GRöße?", 10)] == [7]
    assert [match.record.seq for match in search_capture(path, "Größe", 10)] == [7]
    assert [match.record.seq for match in search_capture(path, "tools/call", 2)] == [2, 4]


def test_the_signs_of_patterns_are_searched_as_they_are() -> None:
    _, store, path = begun()
    store.close()
    assert list(search_capture(path, "%", 10)) == []
    assert list(search_capture(path, "is_rror", 10)) == []
