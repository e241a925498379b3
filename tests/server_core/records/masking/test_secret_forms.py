"""A long value is masked in every form in which programs write it, whatever stands beside it."""

import base64
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_core.records.masking import Masker
from tests.tables import each_row

SECRETS = (
    "pä\"ss'/wo rd+1\\x",
    "ghp_0123456789abcdefABCDEF",
    "two\nlines\tof & <it>",
    "\U0001f511 key & lock",
    "a/b+c=d/e+f==",
)
URI_KEEPS = ";,/?:@&=+$-_.!~*'()#"
"""What encodeURI of JavaScript leaves as it is; encodeURIComponent leaves "-_.!~*'()"."""


def nest_in_json(text: str, depth: int, is_ascii: bool) -> str:
    for _ in range(depth):
        text = json.dumps({"k": text}, ensure_ascii=is_ascii)
    return text


def escape_by_number(text: str) -> str:
    """Return a text with every character of it escaped as JSON escapes characters."""
    units = text.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def escape_in_layers(text: str, layers: list[str]) -> str:
    """Return a text encoded several times."""
    for layer in layers:
        text = LAYERS[layer](text)
    return text


LAYERS: dict[str, Callable[[str], str]] = {
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON in UTF-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "quote": lambda text: quote(text, safe=""),
    "quote_plus": quote_plus,
}
FORMS = {
    "plain": lambda value: value,
    "repr": lambda value: repr(value)[1:-1],
    "ascii": lambda value: ascii(value)[1:-1],
    "repr of bytes": lambda value: repr(value.encode())[2:-1],
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON as Go writes it": lambda value: json.dumps(value)[1:-1].replace("<", "\\u003c").replace("&", "\\u0026"),
    "JSON as PHP writes it": lambda value: json.dumps(value)[1:-1].replace("/", "\\/"),
    "quote": lambda value: quote(value, safe=""),
    "quote in lower case": lambda value: re.sub("%..", lambda match: match.group().lower(), quote(value, safe="")),
    "quote_plus": quote_plus,
    "encodeURIComponent": lambda value: quote(value, safe="-_.!~*'()"),
    "encodeURI": lambda value: quote(value, safe=URI_KEEPS),
    "double percent": lambda value: quote(quote(value, safe=""), safe=""),
    "each character escaped": escape_by_number,
    "each character escaped in upper case": lambda value: escape_by_number(value).upper().replace("U", "u"),
    "each character escaped twice": lambda value: escape_by_number(escape_by_number(value)),
    "each character escaped, in JSON": lambda value: json.dumps(escape_by_number(value))[1:-1],
    "each character escaped, in percent": lambda value: quote(escape_by_number(value), safe=""),
    "one character escaped": lambda value: value[:-3] + escape_by_number(value[-3]) + value[-2:],
    "each byte escaped": lambda value: "".join(f"\\x{byte:02x}" for byte in value.encode()),
    "each byte in percent": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    "each byte in percent, in JSON, in percent": lambda value: quote(
        json.dumps("".join(f"%{byte:02x}" for byte in value.encode()))[1:-1], safe=""
    ),
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 without padding": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "base64 for addresses": lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    "base64 in a query": lambda value: quote(base64.b64encode(value.encode()).decode(), safe=""),
    "hexadecimal": lambda value: value.encode().hex(),
    "HEXADECIMAL": lambda value: value.encode().hex().upper(),
}


@each_row("secret", SECRETS)
def test_each_form_is_masked_as_a_whole(secret: str) -> None:
    for form in FORMS.values():
        assert Masker({"KEY": secret}).mask_text(f"a {form(secret)} b") == "a <secret KEY> b"


@each_row("secret", SECRETS)
def test_json_within_json_is_masked(secret: str) -> None:
    for is_ascii in (
        False,
        True,
    ):
        for depth in range(1, 5):
            text = "it is " + nest_in_json(f"<{secret}>", depth, is_ascii)
            assert Masker({"KEY": secret}).mask_text(text) == "it is " + nest_in_json("<<secret KEY>>", depth, is_ascii)


@given(st.sampled_from(SECRETS), st.lists(st.sampled_from(list(LAYERS)), max_size=4))
def test_layers_of_json_and_percent_in_any_order_are_masked(secret: str, layers: list[str]) -> None:
    text = escape_in_layers(f"<{secret}>", layers)
    assert Masker({"KEY": secret}).mask_text(text) == escape_in_layers("<", layers) + "<secret KEY>" + escape_in_layers(
        ">", layers
    )


def test_the_escapes_of_a_value_that_resembles_an_escaped_one_are_masked() -> None:
    for value in ("pass%41word-long", "pass\\u0041word-long", "ends-in-slash\\"):
        masker = Masker({"KEY": value})
        for text in (
            value,
            json.dumps(value)[1:-1],
            quote(value),
            quote(json.dumps(value)[1:-1]),
            escape_by_number(value),
        ):
            assert masker.mask_text(f"a {text} b") == "a <secret KEY> b"


def test_text_beside_an_escaped_value_is_unchanged() -> None:
    masker = Masker({"KEY": "hunter2-longer-pass"})
    value = escape_by_number("hunter2-longer-pass")
    assert (
        masker.mask_text(f"50%25 \\x41{value}%20\\\\u0042 {value}")
        == "50%25 \\x41<secret KEY>%20\\\\u0042 <secret KEY>"
    )


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_value_that_is_escaped_in_strings_of_json_is_masked(is_nested: bool) -> None:
    text = '{"a": "it is hun\\u0074er2-longer-pass", "b": ["\\u0041"]}'
    masked = Masker({"KEY": "hunter2-longer-pass"}).mask_text(json.dumps([text]) if is_nested else text)
    inner = '{"a": "it is <secret KEY>", "b": ["\\u0041"]}'
    assert masked == (json.dumps([inner]) if is_nested else inner)


@given(st.binary(max_size=7), st.sampled_from(SECRETS), st.binary(max_size=7), st.booleans())
def test_base64_of_a_text_with_a_value_shows_only_its_edges(
    before: bytes, secret: str, after: bytes, is_urlsafe: bool
) -> None:
    encode = base64.urlsafe_b64encode if is_urlsafe else base64.b64encode
    masked = Masker({"KEY": secret}).mask(b"Basic " + encode(before + secret.encode() + after) + b" ")
    left = masked.removeprefix(b"Basic ").removesuffix(b" ").split(b"<secret KEY>")
    assert len(left) == 2
    head = base64.b64decode(left[0] + b"A" * (-len(left[0]) % 4), b"-_" if is_urlsafe else None)
    assert len(head) <= len(before) + 3
    assert len(left[1]) <= len(after) * 8 // 6 + 4


def test_credentials_of_basic_authorization_are_masked_for_every_user() -> None:
    masker = Masker({"PASSWORD": "correct-horse"})
    for user in ("", "a", "ab", "abc", "abcd"):
        masked = masker.mask_text("Basic " + base64.b64encode(f"{user}:correct-horse".encode()).decode())
        assert "<secret PASSWORD>" in masked
        assert len(masked.replace("<secret PASSWORD>", "")) <= len("Basic ") + len(user) * 2 + 4


def test_short_values_are_masked_in_base64_and_hexadecimal_too() -> None:
    masker = Masker({"KEY": "s3same"})
    for user in ("a", "ab", "abc"):
        assert "<secret KEY>" in masker.mask_text(base64.b64encode(f"{user}:s3same".encode()).decode())
    assert masker.mask_text(b"s3same".hex()) == "<secret KEY>"


def test_a_text_of_escapes_alone_costs_time_in_proportion_to_its_length() -> None:
    masker = Masker({"KEY": '\\"\\"\\"\\"\\"'})
    assert masker.mask(b"\\" * 200_000) == b"\\" * 200_000
