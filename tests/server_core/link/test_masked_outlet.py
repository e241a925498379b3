"""A terminal is shown no secret, and identifiers are not masked."""

import json
from typing import Any

from server_core.link.masked_outlet import MaskedOutlet
from server_core.protocol.jsonrpc import RequestId
from server_core.records.masking import Masker

SECRET = 'hush "hush"'


class CollectedMessages:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        self.messages.append(message)

    full = False

    async def drain(self) -> None: ...


def sent(message: dict[str, Any], **secrets: str) -> dict[str, Any]:
    collected = CollectedMessages()
    MaskedOutlet(collected, Masker(secrets or {"KEY": SECRET})).send(json.dumps(message).encode(), 1)
    received = json.loads(collected.messages[0])
    assert isinstance(received, dict)
    return received


def test_displayed_texts_contain_no_secret() -> None:
    for part in (
        {"result": {"content": [{"type": "text", "text": f"it is {SECRET}"}]}},
        {"result": {"content": [{"type": "text", "text": json.dumps({"k": SECRET})}]}},
        {"result": {"structuredContent": {"deep": [{SECRET: SECRET}], "type": SECRET}}},
        {"result": {"contents": [{"uri": "a://b", "text": SECRET}]}},
        {"result": {"messages": [{"role": "user", "content": {"type": "text", "text": SECRET}}]}},
        {"error": {"code": 1, "message": SECRET, "data": {"type": SECRET}}},
        {"method": "notifications/message", "params": {"level": "info", "data": {"a": SECRET}}},
        {"method": "notifications/progress", "params": {"progress": 1, "message": SECRET}},
    ):
        shown = json.dumps(sent({"jsonrpc": "2.0", "id": 1, **part}))
        assert "hush" not in shown
        assert "<secret KEY>" in shown


def test_names_and_uris_are_not_masked_though_a_secret_is_a_common_word() -> None:
    tools = {"tools": [{"name": "text", "inputSchema": {"enum": ["text"], "properties": {"text": {}}}}]}
    assert sent({"id": "text", "result": tools}, KEY="text") == {"id": "text", "result": tools}
    blocks = [{"type": "text", "text": text} for text in ("text", "a text")]
    shown = sent({"id": "text", "result": {"content": blocks}}, KEY="text")["result"]["content"]
    assert shown == [{"type": "text", "text": "<secret KEY>"}, {"type": "text", "text": "a text"}]


def test_numbers_stay_numbers() -> None:
    result = {"structuredContent": {"pin": 12345, "other": 6, "yes": True}}
    assert sent({"id": 1, "result": result}, PIN="12345")["result"]["structuredContent"] == {
        "pin": 0,
        "other": 6,
        "yes": True,
    }


def test_every_answer_of_a_batch_is_masked() -> None:
    collected = CollectedMessages()
    answers = [{"id": 1, "result": {"content": [SECRET]}}, {"id": 2, "error": {"message": SECRET}}, {"id": 3}]
    MaskedOutlet(collected, Masker({"KEY": SECRET})).send(json.dumps(answers).encode(), None)
    first, second, third = json.loads(collected.messages[0])
    assert SECRET not in json.dumps([first, second])
    assert third == {"id": 3}
