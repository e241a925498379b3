"""What may stand in a `WWW-Authenticate` header: whatever else gets there would be read as something we never said.

Source: RFC 6750 section 3: scopes and texts have no way to escape a quote, so what holds one is refused.
"""

import re
from collections.abc import Iterable

_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")
_NO_TEXT = re.compile(r"[^\x20-\x21\x23-\x5B\x5D-\x7E]")


def is_scope(text: str) -> bool:
    """Return whether a text can be one scope."""
    return _SCOPE.fullmatch(text) is not None


def checked_scope(text: object) -> str:
    """Return a scope.

    Raises:
        ValueError: when it is none: empty, with a space or a quote in it, or not ASCII.
    """
    if not isinstance(text, str) or not is_scope(text):
        raise ValueError(
            f"{text!r} is no scope: a scope is printable ASCII without spaces, quotes and backslashes (RFC 6750)."
        )
    return text


def checked_scopes(scopes: Iterable[str] | None) -> list[str] | None:
    """Return scopes in their order, each once; None for none.

    Raises:
        ValueError: when one of them is no scope.
    """
    if isinstance(scopes, str):
        raise ValueError(f"Scopes are a list like {scopes.split()!r}, not the text {scopes!r}.")
    return list(dict.fromkeys(checked_scope(one) for one in scopes or ())) or None


def is_text(text: str) -> bool:
    """Return whether a text can stand between quotes."""
    return _NO_TEXT.search(text) is None


def checked_text(text: str) -> str:
    """Return a text that can stand between quotes.

    Raises:
        ValueError: when it cannot.
    """
    if (wrong := _NO_TEXT.search(text)) is not None:
        raise ValueError(
            f"{text!r} cannot be sent in a header: character {wrong.start()} is no printable ASCII, or a quote or "
            "backslash (RFC 6750)."
        )
    return text
