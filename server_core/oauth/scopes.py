"""Scopes: which are valid, and which to request: no more than the server needs, and never fewer than before.

Specification: basic/authorization, Scope Selection Strategy and Step-Up Authorization Flow; RFC 6749 section 3.3.
"""

import re
from collections.abc import Iterable

MAX_SCOPES = 200
OFFLINE_ACCESS = "offline_access"
"""The scope that requests a refresh token. Source: OpenID Connect Core section 11."""

_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")


def is_scope(text: str) -> bool:
    """Return whether a string is a valid scope: printable ASCII without spaces, quotes and backslashes."""
    return _SCOPE.fullmatch(text) is not None


def parse_scopes(text: object) -> tuple[str, ...]:
    """Return the valid scopes of a space-separated list, without duplicates."""
    return join_scopes(text.split(" ")) if isinstance(text, str) else ()


def join_scopes(*lists: Iterable[str]) -> tuple[str, ...]:
    """Return the valid scopes of several lists, in order, without duplicates; their number is limited."""
    scopes = dict.fromkeys(scope for names in lists for scope in names if is_scope(scope))
    return tuple(scopes)[:MAX_SCOPES]


def choose_scopes(
    challenged: tuple[str, ...], supported: tuple[str, ...] | None, earlier: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the scopes to request, of the challenge, the metadata or earlier; none leaves the choice to the server."""
    return join_scopes(earlier, challenged or (() if earlier else supported or ()))


def with_offline_access(scopes: tuple[str, ...], supported: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the scopes with `offline_access`, if supported; an empty list leaves the choice to the server."""
    return join_scopes(scopes, [OFFLINE_ACCESS]) if scopes and OFFLINE_ACCESS in (supported or ()) else scopes
