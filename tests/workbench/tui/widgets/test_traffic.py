"""The columns of the list of messages at every width."""

from typing import Any

from server_core.records.tap import Direction, Kind
from tests.workbench.tui.fakes import conversation, record
from workbench.model.traffic.timeline import Timeline
from workbench.tui.widgets.traffic_columns import columns_for, heading_of, row_text


def titles(width: int) -> list[str]:
    return [column.title for column, _ in columns_for(width)]


def test_the_columns_fill_the_width_where_it_suffices() -> None:
    for width in range(20, 201):
        laid_out = columns_for(width)
        needed = sum(column.width for column, _ in laid_out) + 1
        assert sum(wide for _, wide in laid_out) == max(width, needed), width


def test_a_wide_list_shows_all_columns_and_a_narrow_list_the_important_columns() -> None:
    most = ["#", "time", "way", "kind", "message", "id", "status", "took", "size"]
    assert titles(170) == [*most, "waterfall", "revision", "client"]
    assert titles(140) == [*most, "waterfall", "revision"]
    assert titles(110) == [*most, "revision"]
    assert titles(100) == ["#", "time", "way", "kind", "message", "id", "status", "took", "size"]
    assert titles(68) == ["#", "time", "way", "message", "status", "took"]
    assert titles(80) == ["#", "time", "way", "kind", "message", "id", "status", "took"]
    assert titles(48) == ["#", "way", "message", "status"]


def test_the_heading_of_a_message_has_its_kind_and_status() -> None:
    timeline = Timeline()
    timeline.extend(conversation())
    assert heading_of(timeline[4]) == "→ in request #5 · ✓ ok · 750 ms · id 1 · 122 B · session s1"
    assert heading_of(timeline[11]).startswith("· stderr #12")


def test_an_open_subscription_is_shown_as_open_and_not_as_waiting() -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {}}
    timeline = Timeline()
    timeline.extend([record(1, Kind.REQUEST, Direction.IN, request)])
    assert "… open" in heading_of(timeline[0])


def rows_of(*messages: tuple[Kind, Direction, dict[str, Any]]) -> list[str]:
    timeline = Timeline()
    timeline.extend([record(seq, kind, way, body) for seq, (kind, way, body) in enumerate(messages, start=1)])
    return [row_text(entry).strip() for entry in timeline]


def call(number: int, **params: Any) -> tuple[Kind, Direction, dict[str, Any]]:
    return Kind.REQUEST, Direction.IN, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def notification(method: str, **params: Any) -> tuple[Kind, Direction, dict[str, Any]]:
    return Kind.NOTIFICATION, Direction.OUT, {"jsonrpc": "2.0", "method": method, "params": params}


def response(number: int, text: str) -> tuple[Kind, Direction, dict[str, Any]]:
    result = {"content": [{"type": "text", "text": text}]}
    return Kind.RESPONSE, Direction.OUT, {"jsonrpc": "2.0", "id": number, "result": result}


def test_progress_shows_its_count_and_its_message_and_no_token() -> None:
    rows = rows_of(
        notification("notifications/progress", progressToken="t" * 40, progress=3, total=15, message="Grinding"),
        notification("notifications/progress", progressToken="t" * 40, progress=0.5),
    )
    assert rows == ["progress 3/15 Grinding", "progress 0.5"]


def test_a_log_message_shows_its_level_and_its_text() -> None:
    assert rows_of(notification("notifications/message", level="info", logger="db", data="ready")) == [
        "message info db: ready"
    ]


def test_two_calls_of_a_tool_and_their_responses_have_different_rows() -> None:
    rows = rows_of(
        call(1, name="greet", arguments={"name": "Ada"}),
        response(1, "Hello, Ada!"),
        call(2, name="greet", arguments={"name": "Lisa"}),
        response(2, "Hello, Lisa!"),
    )
    assert rows == [
        'tools/call greet {"name": "Ada"}',
        "greet: Hello, Ada!",
        'tools/call greet {"name": "Lisa"}',
        "greet: Hello, Lisa!",
    ]


def test_a_stateless_response_begins_with_what_it_contains() -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    result = {"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "tools": []}}
    rows = rows_of((Kind.REQUEST, Direction.IN, listing), (Kind.RESPONSE, Direction.OUT, result))
    assert rows == ["tools/list", "tools/list: tools=[]"]


def test_a_very_long_response_is_not_parsed_for_its_row() -> None:
    rows = rows_of(call(1, name="dump"), response(1, "x" * 300_000))
    assert rows[1] == "dump: …"
