"""Bytes become messages, and what is none becomes an answerable error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json

from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST, PARSE_ERROR
from server_core.protocol.jsonrpc import ErrorResponse, MalformedMessage, Notification, Request, Response, parse
from tests.tables import each_row


def test_a_request_keeps_the_type_of_its_id() -> None:
    assert parse(b'{"jsonrpc":"2.0","id":"1","method":"ping"}') == Request("1", "ping", {})
    assert parse(b'{"jsonrpc":"2.0","id":1,"method":"ping"}') == Request(1, "ping", {})


def test_a_message_without_an_id_is_a_notification() -> None:
    assert parse(b'{"jsonrpc":"2.0","method":"n","params":{"a":1}}') == Notification("n", {"a": 1})


def test_responses_and_errors_are_distinguished() -> None:
    assert parse(b'{"jsonrpc":"2.0","id":3,"result":{}}') == Response(3, {})
    error = b'{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no","data":[1]}}'
    assert parse(error) == ErrorResponse(3, -1, "no", [1])


def test_an_error_without_an_id_is_an_answer_to_what_could_not_be_read() -> None:
    assert parse(b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}') == ErrorResponse(None, -32700, "x")


def test_invalid_messages_are_malformed_with_their_code() -> None:
    for data, code in (
        (b"", PARSE_ERROR),
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b'{"a": NaN}', PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b'{"id":' + b"9" * 5000 + b"}", PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b'"text"', INVALID_REQUEST),
        (b'{"id":1,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"result":3}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"error":"no"}', INVALID_REQUEST),
    ):
        message = parse(data)
        assert isinstance(message, MalformedMessage)
        assert message.code == code
        assert "Traceback" not in message.message


def test_a_malformed_request_keeps_its_readable_id_for_the_answer() -> None:
    message = parse(b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}')
    assert isinstance(message, MalformedMessage)
    assert message.id == 7


@given(st.binary(max_size=200))
def test_any_bytes_give_a_message_and_never_an_exception(data: bytes) -> None:
    assert isinstance(parse(data), Request | Notification | Response | ErrorResponse | MalformedMessage)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_a_request_is_parsed_as_it_was_sent(value: object) -> None:
    assert parse(jsonrpc.request(5, "m", {"value": value})) == Request(5, "m", {"value": value})


def test_an_error_answer_to_the_unreadable_has_no_id_at_all() -> None:
    assert "id" not in json.loads(jsonrpc.error(None, PARSE_ERROR, "x"))


def test_a_message_is_a_single_line() -> None:
    assert b"\n" not in jsonrpc.notification("n", {"text": "a\nb\r\u2028"})


@each_row(("text", "sent"), [("a\udc80b", "a�b"), ("\ud800", "�"), ("\ud83d\ude00", "😀"), ("é😀\u2028", "é😀\u2028")])
def test_text_without_a_utf8_form_is_sent_with_the_replacement_character(text: str, sent: str) -> None:
    data = jsonrpc.notification("n", {"text": text})
    assert json.loads(data)["params"] == {"text": sent}
    # A strict reader accepts it.
    from_json(data)


@pytest.mark.parametrize("data", [b' {"jsonrpc":"2.0","method":"m"}', b'{"jsonrpc":"2.0","method":"m"}\t\r '])
def test_blanks_around_a_message_are_no_part_of_it(data: bytes) -> None:
    assert parse(data) == Notification("m", {})


def test_data_after_a_message_on_its_line_makes_it_malformed() -> None:
    message = parse(b'{"jsonrpc":"2.0","method":"m"} {}')
    assert isinstance(message, MalformedMessage)
    assert message.code == PARSE_ERROR


def test_a_value_that_contains_itself_cannot_be_sent() -> None:
    value: dict[str, object] = {}
    value["self"] = value
    with pytest.raises(ValueError, match="Circular"):
        jsonrpc.encode(value)


def test_a_value_that_could_not_be_sent_can_be_once_it_is_mended() -> None:
    value: dict[str, object] = {"a": object()}
    with pytest.raises(ValueError, match="not JSON serializable"):
        jsonrpc.encode(value)
    value["a"] = 1
    assert jsonrpc.encode(value) == b'{"a":1}'


def test_an_id_is_text_or_an_integer_and_nothing_that_equals_one() -> None:
    for value, id in (
        (1, 1),
        ("1", "1"),
        (True, None),
        (1.0, None),
        (None, None),
        ([1], None),
    ):
        assert jsonrpc.readable_id({"requestId": value}, "requestId") == id
        assert jsonrpc.readable_id({}, "requestId") is None


def test_the_place_of_a_parse_error_is_described_in_plain_words() -> None:
    assert parse(b'{"a": "\t"}') == MalformedMessage(
        PARSE_ERROR, "Parse error: Invalid control character at position 7"
    )
