"""The challenge of a refusal, the `WWW-Authenticate` header, and the values that may be written into it.

Scopes and descriptions cannot escape a quote (RFC 6750 section 3), so values that could inject parameters are refused.

Source: RFC 6750 section 3, RFC 9728 section 5.1; basic/authorization, Scope Challenge Handling.
"""

import logging
import re
from collections.abc import Iterable, Sequence

from server_core.oauth.scopes import is_scope
from server_core.resource_server.canonical_url import check_canonical_url

_log = logging.getLogger(__name__)

_INVALID = re.compile(r"[^\x20-\x21\x23-\x5B\x5D-\x7E]")


def token_challenge(metadata_url: str, scopes: Sequence[str], *, reason: str = "") -> str:
    """Return the challenge of a request without a valid token; without scopes the client chooses.

    The reason is empty when there was no token, and therefore no error (RFC 6750 section 3.1).
    """
    parts = [("resource_metadata", metadata_url)]
    if reason:
        parts += [("error", "invalid_token"), ("error_description", _text_or_empty(reason))]
    return _bearer([*parts, ("scope", " ".join(scopes))])


def scope_challenge(metadata_url: str, scopes: Iterable[str], description: str = "") -> str:
    """Return the challenge of a request whose token lacks some of the scopes that the operation requires."""
    parts = [("resource_metadata", metadata_url), ("error", "insufficient_scope"), ("scope", " ".join(scopes))]
    return _bearer([*parts, ("error_description", _text_or_empty(description))])


def build_insufficient_scope_www_authenticate(
    *, required_scopes: Iterable[str], resource_metadata_url: str | None, error_description: str | None = None
) -> str:
    """Return the challenge of a request whose token lacks scopes, for authors who write the response themselves.

    Args:
        required_scopes: all scopes that the operation requires.
        resource_metadata_url: the URL of the resource metadata.
        error_description: a message for the developer of the client.
    """
    scopes = [check_scope(scope) for scope in required_scopes]
    metadata_url = check_canonical_url(resource_metadata_url, "resource_metadata_url") if resource_metadata_url else ""
    return scope_challenge(metadata_url, scopes, check_text(error_description or ""))


def check_scope(text: object) -> str:
    if not isinstance(text, str) or not is_scope(text):
        raise ValueError(
            f"{text!r} is not a scope: a scope is printable ASCII without spaces, quotes and backslashes (RFC 6750)."
        )
    return text


def check_scopes(scopes: Iterable[str] | None) -> list[str] | None:
    """Return scopes in order, without duplicates, or raise ValueError; None when there are none."""
    if isinstance(scopes, str):
        raise ValueError(f"Scopes must be a list such as {scopes.split()!r}, not the string {scopes!r}.")
    return list(dict.fromkeys(check_scope(scope) for scope in scopes or ())) or None


def check_text(text: str) -> str:
    """Return a string that can be written between quotes, or raise ValueError."""
    if (wrong := _INVALID.search(text)) is not None:
        raise ValueError(
            f"{text!r} cannot be sent in a header: character {wrong.start()} is not printable ASCII, or is a quote or "
            "backslash (RFC 6750)."
        )
    return text


def _bearer(parts: Iterable[tuple[str, str]]) -> str:
    return ("Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts if value)).rstrip()


def _text_or_empty(text: str) -> str:
    # The refusal must reach the client, even if the message of a custom validator cannot be sent.
    if not _INVALID.search(text):
        return text
    _log.warning("A reason cannot be sent to the client in a header, and is omitted: %r", text)
    return ""
