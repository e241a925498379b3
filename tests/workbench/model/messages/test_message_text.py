"""The bytes that are sent for a text, and the text to edit for recorded bytes."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.model.messages.message_text import editable_text, repeated, wire_bytes

LEAVES = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10)


@given(VALUES, st.sampled_from([None, 1, 4]))
def test_json_is_sent_on_one_line_with_all_of_its_values(value: Any, indent: int | None) -> None:
    data = wire_bytes(json.dumps(value, indent=indent, ensure_ascii=False))
    assert b"\n" not in data
    assert json.loads(data) == value


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), VALUES))
def test_a_message_that_is_edited_and_left_unchanged_is_the_message_that_is_sent_again(params: dict[str, Any]) -> None:
    data = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "x", "params": params}).encode()
    assert json.loads(wire_bytes(editable_text(data, 8))) == json.loads(repeated(data, 8))


def test_numbers_and_double_keys_are_sent_as_they_are_written() -> None:
    assert wire_bytes('{"a": 1.0,\n  "a": 1e400 }\n') == b'{"a": 1.0,"a": 1e400 }'


def test_what_is_no_json_is_sent_as_it_is() -> None:
    assert wire_bytes('{"a":\n  oops') == b'{"a":\n  oops'
    assert repeated(b"{not json", 8) == b"{not json"
    assert editable_text(b"{not json \xff", 8) == "{not json \\xff"


def test_only_a_request_gets_another_id() -> None:
    assert json.loads(repeated(b'{"jsonrpc":"2.0","id":"a","method":"ping"}', 8))["id"] == 8
    assert "id" not in json.loads(repeated(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', 8))
    assert json.loads(repeated(b'{"jsonrpc":"2.0","id":3,"result":{}}', 8))["id"] == 3


def test_a_masked_secret_becomes_a_reference_and_a_recorded_reference_stays_a_text() -> None:
    data = b'{"method":"x","params":{"a":"<secret KEY>","b":"${secret:KEY}"}}'
    assert json.loads(repeated(data, 8))["params"] == {"a": "${secret:KEY}", "b": "$${secret:KEY}"}
