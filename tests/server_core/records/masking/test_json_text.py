"""Whatever the values of secrets are, a message that is JSON is JSON once it is masked, with the same keys."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from server_core.records.masking import Masker
from server_core.records.masking.masked_secret import LONG, WORDS
from tests.tables import each_row

UGLY = (
    *("true", "null", "message", "result", "text", "type", "name", "0", "1", "", "a", "jsonrpc", "2.0", "id"),
    *(
        "tools/call",
        '"',
        "\\",
        "\n",
        "{}",
        "[",
        ",",
        ":",
        '":"',
        "\\u",
        "\\n",
        "u0022",
        "-1",
        "1e5",
        "\ud800",
        "ä",
        "%",
    ),
    *("1234", "12345678", "1234567.5", "hunter2", "hunter2-hunter2", '"},{"id":1', "}}}}}}}}", "structuredContent"),
)
values = st.sampled_from(UGLY) | st.text(max_size=12) | st.text('ab"\\/{}[]:, \n1', min_size=1, max_size=12)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | values


@st.composite
def messages_and_secrets(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, str]]:
    """A message in which the values of secrets stand: whole, as parts, as keys, as numbers and in JSON within it."""
    secrets = dict(zip("ABCD", draw(st.lists(values, min_size=1, max_size=4)), strict=False))
    inside = st.sampled_from(sorted(secrets.values()))
    texts = inside | values | st.builds("{} {}".format, values, inside) | st.builds(json.dumps, st.lists(inside))
    numbers = st.sampled_from(
        [int(value) for value in secrets.values() if value.isdecimal() and value.isascii()] or [7]
    )
    anything = st.recursive(
        leaves | texts | numbers,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    )
    params = st.dictionaries(st.sampled_from(("name", "arguments", "_meta", "type", "data", "content")), anything)
    message = {"jsonrpc": "2.0", "id": draw(st.integers() | texts), "method": draw(texts), "params": draw(params)}
    return message, secrets


def strings(value: Any) -> list[str]:
    """Return every string and key in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def shape(value: Any) -> Any:
    """Return a JSON value without its texts and numbers: how many there are, in what."""
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return value if value is None or isinstance(value, bool) else "number" if isinstance(value, int | float) else "text"


def is_strong(value: str) -> bool:
    """Return whether a value is masked wherever it stands."""
    return len(value) >= LONG and value not in WORDS and not value.isdigit() and "secret" not in value


@given(messages_and_secrets(), st.booleans(), st.sampled_from([(",", ":"), (", ", ": ")]))
@example(({"id": 1, "result": {"content": [{"type": "text", "text": "a\\"}]}}, {"A": "\\"}), True, (",", ":"))
@example(({"id": 1, "method": "print", "params": {"data": "{}}}}}}}}"}}, {"A": "}}}}}}}}"}), False, (",", ":"))
@example(({"id": 1, "method": "print", "params": {"data": "[] [][][][]"}}, {"A": "[][][][]"}), False, (",", ":"))
def test_json_stays_json_with_its_keys_and_no_strong_value_in_it(
    given: tuple[dict[str, Any], dict[str, str]], is_ascii: bool, separators: tuple[str, str]
) -> None:
    message, secrets = given
    data = json.dumps(message, ensure_ascii=is_ascii, separators=separators).encode("utf-8", "replace")
    message = json.loads(data)
    masked = json.loads(Masker(secrets).mask(data))
    strong = [value for value in secrets.values() if is_strong(value)]
    assert masked.keys() == message.keys()
    assert not [text for text in strings(masked) for value in strong if value in text]
    if not any(value in text for text in strings(message) for value in strong):
        assert shape(masked) == shape(message)


def test_members_that_identify_a_message_are_never_masked() -> None:
    for value in UGLY:
        messages: list[dict[str, Any]] = [
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "greet", "arguments": {"to": "Ada"}},
            },
            {"jsonrpc": "2.0", "id": "id", "result": {"content": [{"type": "text", "text": "Hello, Ada!"}]}},
            {"jsonrpc": "2.0", "id": 0, "error": {"code": -32603, "message": "It failed."}},
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "It works."}},
            {"event": "session_opened", "transport": "stdio", "id": 1},
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}},
        ]
        masker = Masker({"KEY": value})
        for message in messages:
            data = json.dumps(message).encode()
            assert masker.mask(data) == data


@each_row(
    "part",
    [
        lambda value: {"method": "tools/call", "params": {"name": "greet", "arguments": {"type": value}}},
        lambda value: {"result": {"content": [{"type": "text", "text": value}]}},
        lambda value: {"result": {"content": [], "structuredContent": {"id": value}}},
        lambda value: {"result": {"content": [{"type": "text", "text": json.dumps({"pin": value})}]}},
        lambda value: {"error": {"code": 1, "message": value}},
        lambda value: {"method": "notifications/message", "params": {"level": "info", "data": [value]}},
    ],
)
def test_the_weakest_value_is_masked_where_it_is_a_whole_text(part: Any) -> None:
    for value in [item for item in UGLY if item.strip() and item != "\ud800"]:
        message = {"jsonrpc": "2.0", "id": 1, **part(value)}
        for is_ascii in (True, False):
            masked = json.loads(Masker({"KEY": value}).mask(json.dumps(message, ensure_ascii=is_ascii).encode()))
            assert masked == {"jsonrpc": "2.0", "id": 1, **part("<secret KEY>")}


def test_a_word_is_masked_as_a_whole_text_alone_and_what_is_no_word_also_among_others() -> None:
    texts = ["sesame", "open sesame", "s3same", "open s3same!", "s3same_street", "open-sesame!", "opensesame-street"]
    masker = Masker({"WORD": "sesame", "SHORT": "s3same", "LONG": "open-sesame!"})
    masked = json.loads(masker.mask(json.dumps({"params": {"data": texts}}).encode()))
    assert masked["params"]["data"] == [
        *("<secret WORD>", "open sesame", "<secret SHORT>", "open <secret SHORT>!", "s3same_street"),
        *("<secret LONG>", "opensesame-street"),
    ]
    assert masker.mask(b"open sesame, s3same; true") == b"open <secret WORD>, <secret SHORT>; true"


def test_numbers_become_0_in_data_and_long_ones_everywhere() -> None:
    masker = Masker({"PIN": "1234", "CARD": "12345678"})
    message = b'{"id":1234,"error":{"code":1234,"data":{"pin":1234,"n":[1234.5,91234,12345678]}},"x":12345678}'
    assert masker.mask(message) == (b'{"id":1234,"error":{"code":1234,"data":{"pin":0,"n":[0,91234,0]}},"x":0}')


def test_a_value_that_reaches_across_several_values_hides_each_of_them() -> None:
    account = json.dumps({"type": "account", "key": "k-1", "number": 7})
    masked = Masker({"ACCOUNT": account}).mask(b'{"result": ' + account.encode() + b"}")
    assert json.loads(masked) == {"result": {"type": "<secret ACCOUNT>", "key": "<secret ACCOUNT>", "number": 0}}


def test_text_that_only_begins_like_json_is_masked_as_text() -> None:
    masker = Masker({"KEY": "hunter2-hunter2", "WORD": "sesame"})
    for text in ('{"a": hunter2-hunter2 sesame', "[INFO] hunter2-hunter2 sesame", '"hunter2-hunter2" is "sesame'):
        masked = masker.mask_text(text)
        assert "hunter2" not in masked
        assert "sesame" not in masked


def test_nesting_beyond_all_measure_is_masked_as_well() -> None:
    depth = 100_000
    masked = Masker({"KEY": "hunter2-hunter2"}).mask(b"[" * depth + b'"hunter2-hunter2"' + b"]" * depth)
    assert masked == b"[" * depth + b'"<secret KEY>"' + b"]" * depth


@pytest.mark.parametrize(("text", "value"), [("{}}}}}}}}", "}}}}}}}}"), ("[] [][][][]", "[][][][]")])
def test_a_value_of_brackets_is_masked_in_a_text_that_resembles_json(text: str, value: str) -> None:
    assert value not in Masker({"A": value}).mask_text(text)


def test_json_stays_json_where_its_brackets_equal_a_value() -> None:
    message = json.dumps({"id": 1, "result": [[[[[[[[7]]]]]]]]}).encode()
    assert Masker({"A": "]]]]]]]]"}).mask(message) == message
