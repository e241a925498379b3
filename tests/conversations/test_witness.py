"""The witness detects messages that do not match a revision."""

from typing import Any

from tests.conversations.witness import schema_of
from tests.tables import each_row

TOOL = {"name": "a", "inputSchema": {"type": "object", "$defs": {}}}


@each_row(
    ("date", "method", "result"),
    [
        ("2025-11-25", "tools/list", {"tools": [TOOL], "resultType": "complete"}),
        ("2025-11-25", "tools/list", {"tools": [TOOL], "ttlMs": 0, "cacheScope": "public"}),
        ("2025-11-25", "ping", {"resultType": "complete"}),
        ("2025-06-18", "tools/list", {"tools": [{**TOOL, "icons": []}]}),
        ("2025-06-18", "tools/call", {"content": [], "structuredContent": [1]}),
        ("2025-03-26", "tools/call", {"content": [], "structuredContent": {}}),
        ("2025-03-26", "tools/list", {"tools": [{**TOOL, "title": "A"}]}),
        ("2024-11-05", "tools/list", {"tools": [{**TOOL, "annotations": {}}]}),
        ("2024-11-05", "tools/call", {"content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]}),
        ("2026-07-28", "tools/list", {"tools": [TOOL], "ttlMs": 0, "cacheScope": "public"}),
        ("2026-07-28", "tools/call", {"resultType": "input_required", "inputRequests": {"a": {"method": "ping"}}}),
    ],
)
def test_a_result_of_another_revision_is_noticed(date: str, method: str, result: dict[str, Any]) -> None:
    assert schema_of(date).of_result(method, {}, result)


@each_row("date", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_a_result_of_the_revision_passes(date: str) -> None:
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"} if date == "2026-07-28" else {}
    assert schema_of(date).of_result("tools/list", {}, {"tools": [TOOL], "_meta": {"a/b": 1}, **hints}) == []


@each_row(
    ("date", "message"),
    [
        (
            "2024-11-05",
            {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1, "message": ""}},
        ),
        (
            "2025-06-18",
            {"method": "elicitation/create", "params": {"mode": "form", "message": "", "requestedSchema": {}}},
        ),
        ("2026-07-28", {"method": "ping", "params": {}}),
    ],
)
def test_a_message_of_another_revision_is_noticed(date: str, message: dict[str, Any]) -> None:
    assert schema_of(date).of_call(message)


def test_an_error_without_its_data_is_noticed() -> None:
    error = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32022, "message": "no", "data": {"supported": []}}}
    assert schema_of("2026-07-28").of_error(error)
    error["error"]["data"]["requested"] = "v1"
    assert schema_of("2026-07-28").of_error(error) == []
