"""HTTP headers repeat the content of a stateless message, in a form that headers can carry."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_core.errors import ProtocolError
from server_core.protocol.codes import HEADER_MISMATCH
from server_core.protocol.envelope import PROTOCOL_VERSION
from server_core.protocol.headers import (
    check_message_headers,
    check_parameter_headers,
    decode_value,
    encode_value,
    message_headers,
    parameter_headers,
)
from tests.tables import each_row

VERSION = "2026-07-28"
CALL = {"name": "greet", "arguments": {}, "_meta": {PROTOCOL_VERSION: VERSION}}
GOOD = {"mcp-protocol-version": VERSION, "mcp-method": "tools/call", "mcp-name": "greet"}
REGION = {"mcp-param-region": ("region",), "mcp-param-level": ("more", "level")}


@given(st.text())
def test_every_text_is_decoded_from_a_header(text: str) -> None:
    try:
        value = encode_value(text)
    except UnicodeEncodeError:
        return  # Half of a surrogate pair is no text that a message can hold.
    assert all(" " <= item <= "~" for item in value)
    assert decode_value(value) == text


def test_a_text_that_a_header_cannot_contain_is_sent_as_base64() -> None:
    for text, value in (
        ("plain", "plain"),
        ("inner  spaces", "inner  spaces"),
        ("", ""),
        (" edge", "=?base64?IGVkZ2U=?="),
        ("tab\there", "=?base64?dGFiCWhlcmU=?="),
        ("a\r\nb", "=?base64?YQ0KYg==?="),
        ("ä", "=?base64?w6Q=?="),
        ("=?base64?SGVsbG8=?=", "=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?="),
    ):
        assert encode_value(text) == value


@each_row("value", ["=?base64?SGVsbG8", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?=", "=?base64?=", "=?base64?"])
def test_a_value_without_both_markers_is_literal(value: str) -> None:
    assert decode_value(value) == value


@each_row("value", ["=?base64?SGVsbG8?=", "=?base64?SGVs!G8=?=", "=?base64?/w==?="])
def test_a_value_marked_as_base64_that_is_not_is_a_mismatch(value: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_value(value)
    assert caught.value.code == HEADER_MISMATCH


def test_a_message_has_its_version_method_and_name_in_headers() -> None:
    assert message_headers("tools/call", CALL) == {
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "greet",
    }
    assert message_headers("resources/read", {"uri": "a://ä"})["Mcp-Name"].startswith("=?base64?")
    assert message_headers("tasks/get", {"taskId": "t"})["Mcp-Name"] == "t"
    assert message_headers("tools/list", {"name": "none"}) == {"Mcp-Method": "tools/list"}


def check(headers: dict[str, str], repeated: set[str] | None = None, params: dict[str, Any] | None = None) -> None:
    check_message_headers(headers, repeated or set(), "tools/call", params or CALL, VERSION)


def test_headers_that_match_the_body_are_accepted() -> None:
    check(GOOD)
    check({**GOOD, "mcp-name": "  greet\t"})
    check({**GOOD, "mcp-name": "=?base64?Z3JlZXQ=?="})


@each_row("header", GOOD)
def test_a_missing_or_different_header_is_a_mismatch(header: str) -> None:
    for value in (
        None,
        "other",
        "GREET",
        "TOOLS/CALL",
    ):
        headers = {name: text for name, text in GOOD.items() if name != header}
        if value is not None:
            headers[header] = value
        with pytest.raises(ProtocolError, match=f"Header mismatch: the {header} header") as caught:
            check(headers)
        assert caught.value.code == HEADER_MISMATCH


@each_row("header", GOOD)
def test_a_repeated_header_is_a_mismatch(header: str) -> None:
    with pytest.raises(ProtocolError, match="more than one"):
        check(GOOD, {header})


def test_parameters_go_into_headers_when_they_have_a_value() -> None:
    assert parameter_headers(REGION, {"region": "eu west", "more": {"level": 3}}) == {
        "mcp-param-region": "eu west",
        "mcp-param-level": "3",
    }
    assert parameter_headers(REGION, {"region": None}) == {}
    assert parameter_headers(REGION, {"region": True, "more": "text"}) == {"mcp-param-region": "true"}


def test_headers_of_parameters_fit_the_arguments() -> None:
    for headers, arguments in (
        ({}, {}),
        ({"mcp-param-region": "eu"}, {"region": "eu"}),
        ({"mcp-param-region": "=?base64?ZXU=?="}, {"region": "eu"}),
        ({"mcp-param-level": "42.0"}, {"more": {"level": 42}}),
        ({"mcp-param-region": "false"}, {"region": False}),
        ({"mcp-param-region": ""}, {"region": ""}),
    ):
        check_parameter_headers(headers, set(), REGION, arguments)


def test_headers_of_parameters_that_differ_from_the_arguments_are_a_mismatch() -> None:
    for headers, arguments in (
        ({}, {"region": "eu"}),
        ({"mcp-param-region": "eu"}, {}),
        ({"mcp-param-region": "EU"}, {"region": "eu"}),
        ({"mcp-param-region": "1"}, {"region": True}),
        ({"mcp-param-level": "43"}, {"more": {"level": 42}}),
        ({"mcp-param-level": "many"}, {"more": {"level": 42}}),
        ({"mcp-param-region": "=?base64?ZXU?="}, {"region": "eu"}),
        ({"mcp-param-region": "eu"}, None),
        ({"mcp-param-region": "eu"}, {"region": ["eu"]}),
    ):
        with pytest.raises(ProtocolError) as caught:
            check_parameter_headers(headers, set(), REGION, arguments)
        assert caught.value.code == HEADER_MISMATCH


def test_a_header_of_a_parameter_that_the_body_lacks_is_reported_as_such() -> None:
    with pytest.raises(ProtocolError, match=r"mcp-param-region header is 'eu', but the body has none$"):
        check_parameter_headers({"mcp-param-region": "eu"}, set(), REGION, {})
