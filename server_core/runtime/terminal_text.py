"""Untrusted text made safe for a terminal: characters that move the cursor, recolour or reorder text are escaped.

Servers and projects choose their own names, descriptions and results, and a terminal interprets what is printed to it.
"""

import json
import re

# C0 and C1 controls and DEL, line and paragraph separators, marks that reorder or hide text, tags, and lone
# surrogates, which cannot be encoded. The joiners U+200C and U+200D stay: scripts and emoji need them.
_UNSAFE = (
    "\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_ANY = re.compile(f"[{_UNSAFE}]")
_ANY_BUT_BREAKS = re.compile(f"(?![\n\t])[{_UNSAFE}]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escaped(text: str) -> str:
    """Return the text on one line, with every unsafe character written as an escape."""
    return _ANY.sub(_escape, text)


def escaped_lines(text: str) -> str:
    """Return the text with every unsafe character but line breaks and tabs written as an escape."""
    return _ANY_BUT_BREAKS.sub(_escape, text.replace("\r\n", "\n"))


def escaped_in_json(text: str) -> str:
    """Return JSON text with unsafe characters as escapes; line breaks and tabs, between tokens, stay."""
    return _ANY_BUT_BREAKS.sub(_json_escape, text)


def is_safe(text: str) -> bool:
    """Return whether a text can be displayed, and typed in again, unchanged; line breaks and tabs are safe."""
    return _ANY_BUT_BREAKS.search(text) is None


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1].replace("\x7f", "\\u007f")


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
