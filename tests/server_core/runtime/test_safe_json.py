"""JSON of untrusted origin: whatever is wrong with a text or a value is a ValueError."""

from typing import Any

import pytest

from server_core.runtime.safe_json import NestingError, dump_json, parse_json, parse_json_or_none

DEEP = "[" * 100_000


def nested(levels: int) -> Any:
    value: Any = None
    for _ in range(levels):
        value = [value]
    return value


def test_a_text_is_parsed_with_the_options_of_json() -> None:
    assert parse_json(b'{"a": 1.5}', parse_float=str) == {"a": "1.5"}


def test_unparsable_text_is_a_value_error() -> None:
    for text in ("", "{", "nonsense", b"\xff", DEEP):
        with pytest.raises(ValueError, match=r"Expecting|invalid start byte|too deeply"):
            parse_json(text)
        assert parse_json_or_none(text) is None
    with pytest.raises(NestingError):
        parse_json(DEEP)


def test_unwritable_data_is_a_value_error() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (object(), {1, 2}, {(): 1}, float("nan"), endless, nested(100_000)):
        with pytest.raises(ValueError, match=r"JSON|keys must be|Circular|too deeply"):
            dump_json(value, allow_nan=False)
    with pytest.raises(NestingError):
        dump_json(nested(100_000))
    with pytest.raises(ValueError, match="Object of type object is not JSON serializable"):
        dump_json(object())
