"""The values of a `WWW-Authenticate` header; anything else could inject parameters.

Source: RFC 6750 section 3: scopes and descriptions cannot escape a quote, so values with quotes are refused.
"""

import re
from collections.abc import Iterable

_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")
_NO_TEXT = re.compile(r"[^\x20-\x21\x23-\x5B\x5D-\x7E]")


def is_scope(text: str) -> bool:
    """Return whether a string is a valid scope."""
    return _SCOPE.fullmatch(text) is not None


def checked_scope(text: object) -> str:
    """Return a scope.

    Raises:
        ValueError: when it is not valid: empty, with a space or a quote in it, or not ASCII.
    """
    if not isinstance(text, str) or not is_scope(text):
        raise ValueError(
            f"{text!r} is not a scope: a scope is printable ASCII without spaces, quotes and backslashes (RFC 6750)."
        )
    return text


def checked_scopes(scopes: Iterable[str] | None) -> list[str] | None:
    """Return scopes in order, without duplicates; None when there are none.

    Raises:
        ValueError: when a scope is not valid.
    """
    if isinstance(scopes, str):
        raise ValueError(f"Scopes must be a list such as {scopes.split()!r}, not the string {scopes!r}.")
    return list(dict.fromkeys(checked_scope(scope) for scope in scopes or ())) or None


def is_text(text: str) -> bool:
    """Return whether a string can be written between quotes."""
    return _NO_TEXT.search(text) is None


def checked_text(text: str) -> str:
    """Return a string that can be written between quotes.

    Raises:
        ValueError: when it cannot.
    """
    if (wrong := _NO_TEXT.search(text)) is not None:
        raise ValueError(
            f"{text!r} cannot be sent in a header: character {wrong.start()} is not printable ASCII, or is a quote or "
            "backslash (RFC 6750)."
        )
    return text
