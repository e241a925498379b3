"""The encoded forms of the value of a secret, as regular expressions over bytes.

One pattern covers all ways in which programs escape a text: it contains every spelling of each character, as JSON
within JSON, percent-encoded once or several times, or as a Python literal. Base64 has one pattern for each of its three
alignments, without the characters that also depend on the bytes around the value.
"""

import base64
import re
from collections.abc import Iterable
from typing import NamedTuple

LITERAL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~-")
"""Characters that no encoding of text changes (RFC 3986, section 2.3)."""
# A shorter anchor occurs in many texts, and a longer anchor is hardly rarer.
LONGEST_ANCHOR = 32
SHORTEST_ANCHOR = 3
# Shorter pieces of base64 occur in other base64 by chance.
SHORTEST_BASE64 = 6

# As many backslashes as JSON within JSON puts before a quote, five deep.
_SLASHES = rb"\\{1,31}"
_MAYBE_SLASHES = rb"\\{0,31}"
# A percent sign that was itself encoded, up to four times.
_PERCENT = rb"%(?:25){0,4}"
# An escape, or a UTF-8 character, that is truncated at the end of the text.
_CUT_OFF = rb"(?:[\\%][\\%0-9A-Za-z]{0,24}|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z"
# The number of characters of a beginning.
_BEGINNING = 3
_SHORT_ESCAPES = {"\n": b"n", "\r": b"r", "\t": b"t", "\b": b"b", "\f": b"f"}


class SecretForm(NamedTuple):
    """One form of a value, with its regular expression."""

    pattern: bytes
    # Bytes that every match of the pattern contains, to search for first; empty when there are none.
    anchor: bytes
    # The regular expression of the beginning of the form, including a beginning that the end of the text truncates.
    beginning: bytes


def as_text(value: str) -> SecretForm:
    """Return the text form of a value: plain, or with any of its characters escaped."""
    spellings = list(map(_spellings, value))
    return SecretForm(b"".join(spellings), _longest_run(value), _beginning(spellings))


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text that may come from the environment, or contain lone surrogates."""
    try:
        # Undecodable bytes of the environment are lone surrogates in Python's text; they have to be bytes again.
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def encoded_forms(value: str) -> list[SecretForm]:
    """Return the encoded forms of the value: base64 and hexadecimal."""
    plain = as_bytes(value)
    return [form for form in (*_base64(plain), *_hexadecimal(plain)) if form.pattern]


def json_strings(value: str) -> set[bytes]:
    """Return the JSON strings of a value, including those of JSON within JSON."""
    strings: set[bytes] = set()
    for is_ascii in (False, True):
        text = _json(value, is_ascii)
        for _ in range(4):
            strings.add(as_bytes(text))
            text = _json(text, is_ascii)[1:-1]
    return strings


def _json(text: str, is_ascii: bool) -> str:
    # Imported late: without secrets, it must not delay the first response.
    import json

    return json.dumps(text, ensure_ascii=is_ascii)


def _spellings(char: str) -> bytes:
    """Return the pattern of all spellings of a character."""
    if char in LITERAL:
        return re.escape(char.encode())
    raw = as_bytes(char)
    percent = b"".join(_PERCENT + _hex(byte) for byte in raw)
    escapes = [*_escapes(char), *([_SHORT_ESCAPES[char]] if char in _SHORT_ESCAPES else [])]
    ways = [percent, *(_SLASHES + escape for escape in escapes)]
    if not char.isascii():
        ways.append(b"".join(_SLASHES + b"x" + _hex(byte) for byte in raw))
    if char == "\\":
        ways.append(_SLASHES)
    else:
        # Quotes are escaped in strings; some encoders of JSON also escape slashes.
        ways.append((_MAYBE_SLASHES if char in "\"'/" else b"") + re.escape(raw))
    if char == " ":
        ways.append(rb"\+")  # In forms (application/x-www-form-urlencoded).
    return b"(?:" + b"|".join(ways) + b")"


def _beginning(spellings: list[bytes]) -> bytes:
    """Return the pattern of the first few characters, or of as many of them as fit at the end of a text."""
    pattern = b""
    for character in reversed(spellings[:_BEGINNING]):
        pattern = b"(?:" + character + (b"(?:" + pattern + rb"|\Z)" if pattern else b"") + b"|" + _CUT_OFF + b")"
    return pattern


def _escapes(char: str) -> Iterable[bytes]:
    """Yield the numeric escapes of a character in JSON and Python, without the backslash."""
    units = char.encode("utf-16-be", "surrogatepass")
    pairs = [units[start : start + 2] for start in range(0, len(units), 2)]
    yield _SLASHES.join(b"u" + _hex(high) + _hex(low) for high, low in pairs)
    if ord(char) < 256:
        yield b"x" + _hex(ord(char))
    elif len(pairs) > 1:
        yield b"U" + b"".join(map(_hex, ord(char).to_bytes(4, "big")))


def _hex(byte: int) -> bytes:
    """Return the pattern of a byte's two hexadecimal digits, in upper or lower case."""
    return b"".join(b"[%s%s]" % (c.encode(), c.upper().encode()) if c.isalpha() else c.encode() for c in f"{byte:02x}")


def _base64(plain: bytes) -> Iterable[SecretForm]:
    """Yield the base64 forms (RFC 4648, sections 4 and 5): the bytes before a value shift it by 0 to 2 of 3 bytes."""
    for shift, shared in ((0, 0), (1, 2), (2, 3)):
        text = base64.b64encode(bytes(shift) + plain).decode()
        # The first and the last characters may contain bits of the neighbours of the value.
        whole = (shift + len(plain)) * 8 // 6
        core = text[shared:whole]
        if len(core) < SHORTEST_BASE64:
            continue
        has_neighbour = (shift + len(plain)) % 3 != 0
        end = rb"[A-Za-z0-9+/_-]?(?:=|" + _PERCENT + rb"3[dD]){0,2}" if has_neighbour else b""
        spellings = list(map(_base64_spellings, core))
        yield SecretForm(b"".join(spellings) + end, _longest_run(core), _beginning(spellings))


def _base64_spellings(char: str) -> bytes:
    urlsafe = {"+": b"-", "/": b"_"}.get(char)
    return char.encode() if urlsafe is None else b"(?:" + urlsafe + b"|" + _spellings(char) + b")"


def _hexadecimal(plain: bytes) -> Iterable[SecretForm]:
    text = plain.hex()
    for digits in {text, text.upper()}:
        yield SecretForm(
            digits.encode(), digits[:LONGEST_ANCHOR].encode(), _beginning([digit.encode() for digit in digits])
        )


def _longest_run(text: str) -> bytes:
    """Return the longest piece of a text that all of its spellings contain; empty when it is too short."""
    runs = "".join(char if char in LITERAL else " " for char in text).split(" ")
    run = max(runs, key=len)
    return run[:LONGEST_ANCHOR].encode() if len(run) >= SHORTEST_ANCHOR else b""
