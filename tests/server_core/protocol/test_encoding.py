"""The JSON text of results."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from server_core.protocol import jsonrpc


def text(value: Any, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": value}], **more}


@given(st.text())
def test_a_text_is_encoded_like_any_other_value(value: str) -> None:
    assert jsonrpc.encode_result(text(value)) == jsonrpc.encode(text(value))


def test_every_other_result_is_encoded_as_any_value() -> None:
    for result in (
        {},
        {"content": []},
        {"content": None},
        {"content": {"type": "text", "text": "x"}},
        {"content": ["text"]},
        {"content": [{"type": "text", "text": 7}]},
        {"content": [{"type": "text", "other": "x"}]},
        {"content": [{"type": "image", "data": ""}]},
        {"content": [{"type": "text", "text": "x", "annotations": {}}]},
        text("x", isError=True),
        text("x", structuredContent={"a": 1}),
        text("half a pair: \ud800"),
    ):
        assert jsonrpc.encode_result(result) == jsonrpc.encode(result)
        json.loads(jsonrpc.encode_result(result))
