"""An array becomes messages, and what is wrong with one of them is no matter of the others."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from server_core.protocol.batches import BatchMessage, is_batch, parse_batch
from server_core.protocol.codes import INVALID_REQUEST, PARSE_ERROR
from server_core.protocol.envelope import PROTOCOL_VERSION
from server_core.protocol.jsonrpc import MalformedMessage, Notification, Request, Response, encode, parse
from tests.tables import each_row

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def batch_messages(*values: Any, limit: int = 10) -> list[BatchMessage]:
    parsed = parse_batch(encode(list(values)), limit)
    assert isinstance(parsed, list)
    return parsed


def test_each_message_of_an_array_is_read_as_if_it_had_come_alone() -> None:
    parsed = batch_messages(PING, {"jsonrpc": "2.0", "method": "n"}, {"jsonrpc": "2.0", "id": 9, "result": {}})
    assert [item.message for item in parsed] == [Request(1, "ping", {}), Notification("n", {}), Response(9, {})]
    assert [item.expects_response for item in parsed] == [True, False, False]
    assert [parse(item.data) for item in parsed] == [item.message for item in parsed]


@each_row(
    ("data", "code"),
    [(b"[]", INVALID_REQUEST), (b" [ ] ", INVALID_REQUEST), (b"[1,", PARSE_ERROR), (b"{}", INVALID_REQUEST)],
)
def test_an_invalid_batch_is_refused_as_a_whole(data: bytes, code: int) -> None:
    refusal = parse_batch(data, 10)
    assert isinstance(refusal, MalformedMessage)
    assert (refusal.code, refusal.id) == (code, None)


def test_a_batch_has_a_longest_length() -> None:
    assert len(batch_messages(PING, {**PING, "id": 2}, limit=2)) == 2
    refusal = parse_batch(encode([PING, {**PING, "id": 2}]), 1)
    assert isinstance(refusal, MalformedMessage)
    assert "at most 1" in refusal.message


def test_an_invalid_message_in_a_batch_is_refused_alone() -> None:
    for value in (
        None,
        1,
        "text",
        [],
        [PING],
        {},
        {"jsonrpc": "1.0", "id": 3},
    ):
        bad, good = batch_messages(value, PING)
        assert isinstance(bad.message, MalformedMessage)
        assert bad.expects_response
        assert good.message == Request(1, "ping", {})


def test_an_id_belongs_to_one_request_of_a_batch() -> None:
    first, second, other = batch_messages(PING, PING, {**PING, "id": "1"})
    assert isinstance(first.message, Request)
    assert isinstance(second.message, MalformedMessage)
    assert second.message.id is None
    assert other.message == Request("1", "ping", {})


def test_initialize_is_no_part_of_a_batch() -> None:
    (piece,) = batch_messages({**PING, "method": "initialize"})
    assert isinstance(piece.message, MalformedMessage)
    assert piece.message.id == 1


def test_a_stateless_request_is_no_part_of_a_batch() -> None:
    (piece,) = batch_messages({**PING, "params": {"_meta": {PROTOCOL_VERSION: "2026-07-28"}}})
    assert isinstance(piece.message, MalformedMessage)
    assert "no batches" in piece.message.message


def test_a_batch_is_known_by_its_first_bracket() -> None:
    assert is_batch(b"\n [1]")
    assert not is_batch(b'{"a": [1]}')
    assert not is_batch(b"")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params"]), inner),
    max_leaves=10,
)


@given(st.lists(_VALUES))
def test_every_value_of_an_array_becomes_one_message(values: list[Any]) -> None:
    parsed = parse_batch(json.dumps(values).encode(), 1000)
    assert len(parsed) == len(values) if isinstance(parsed, list) else not values
