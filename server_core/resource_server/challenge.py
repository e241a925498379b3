"""Writes the challenge of a refusal: the `WWW-Authenticate` header.

Source: RFC 6750 section 3, RFC 9728 section 5.1; basic/authorization, Scope Challenge Handling.
"""

import logging
from collections.abc import Iterable, Sequence

from server_core.resource_server.header_values import checked_scope, checked_text, is_text
from server_core.resource_server.urls import checked_canonical_url

_log = logging.getLogger(__name__)


def token_challenge(metadata_url: str, scopes: Sequence[str], *, reason: str = "") -> str:
    """Return the challenge of a request without a valid token.

    Args:
        metadata_url: the URL of the resource metadata; empty when it is not published.
        scopes: the scopes to request; none leaves the choice to the client.
        reason: why the token is invalid; empty when there was none.
    """
    parts = [("resource_metadata", metadata_url)]
    if reason:
        parts += [("error", "invalid_token"), ("error_description", _sendable(reason))]
    return _bearer([*parts, ("scope", " ".join(scopes))])


def scope_challenge(metadata_url: str, scopes: Iterable[str], description: str = "") -> str:
    """Return the challenge of a request whose token lacks scopes.

    Args:
        metadata_url: the URL of the resource metadata; empty when it is not published.
        scopes: all scopes that the operation requires.
        description: a message for the developer of the client.
    """
    named = [("resource_metadata", metadata_url), ("error", "insufficient_scope"), ("scope", " ".join(scopes))]
    return _bearer([*named, ("error_description", _sendable(description))])


def build_insufficient_scope_www_authenticate(
    *, required_scopes: Iterable[str], resource_metadata_url: str | None, error_description: str | None = None
) -> str:
    """Return the challenge of a request whose token lacks scopes, for authors who write the response themselves.

    Args:
        required_scopes: all scopes that the operation requires.
        resource_metadata_url: the URL of the resource metadata.
        error_description: a message for the developer of the client.
    """
    scopes = [checked_scope(scope) for scope in required_scopes]
    metadata_url = (
        checked_canonical_url(resource_metadata_url, "resource_metadata_url") if resource_metadata_url else ""
    )
    return scope_challenge(metadata_url, scopes, checked_text(error_description or ""))


def _bearer(parts: Iterable[tuple[str, str]]) -> str:
    return ("Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts if value)).rstrip()


def _sendable(text: str) -> str:
    # The refusal must reach the client, even if the message of a custom validator cannot be sent.
    if is_text(text):
        return text
    _log.warning("A reason cannot be sent to the client in a header, and is omitted: %r", text)
    return ""
