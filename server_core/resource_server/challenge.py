"""The challenge of a refusal: the `WWW-Authenticate` header, written.

Source: RFC 6750 section 3, RFC 9728 section 5.1; basic/authorization, Scope Challenge Handling.
"""

import logging
from collections.abc import Iterable, Sequence

from server_core.resource_server.header_values import checked_scope, checked_text, is_text
from server_core.resource_server.urls import checked_canonical_url

_log = logging.getLogger(__name__)


def token_challenge(metadata_address: str, scopes: Sequence[str], *, reason: str = "") -> str:
    """Return the challenge of a request that does not prove whom it speaks for.

    Args:
        metadata_address: where the client reads whom to ask for a token; empty where that is not published.
        scopes: what to ask for; none leaves that to the client.
        reason: why the token that came does not hold; empty when none came.
    """
    parts = [("resource_metadata", metadata_address)]
    if reason:
        parts += [("error", "invalid_token"), ("error_description", _sendable(reason))]
    return _bearer([*parts, ("scope", " ".join(scopes))])


def scope_challenge(metadata_address: str, scopes: Iterable[str], description: str = "") -> str:
    """Return the challenge of a request whose token lacks scopes.

    Args:
        metadata_address: where the client reads whom to ask for a token; empty where that is not published.
        scopes: all that the operation takes.
        description: more for whoever develops the client.
    """
    named = [("resource_metadata", metadata_address), ("error", "insufficient_scope"), ("scope", " ".join(scopes))]
    return _bearer([*named, ("error_description", _sendable(description))])


def build_insufficient_scope_www_authenticate(
    *, required_scopes: Iterable[str], resource_metadata_url: str | None, error_description: str | None = None
) -> str:
    """Return the challenge of a request whose token lacks scopes, for authors who answer it themselves.

    Args:
        required_scopes: all that the operation takes.
        resource_metadata_url: where the client reads whom to ask for a token.
        error_description: more for whoever develops the client.

    Raises:
        ValueError: when one of them cannot stand in a header.
    """
    scopes = [checked_scope(one) for one in required_scopes]
    address = checked_canonical_url(resource_metadata_url, "resource_metadata_url") if resource_metadata_url else ""
    return scope_challenge(address, scopes, checked_text(error_description or ""))


def _bearer(parts: Iterable[tuple[str, str]]) -> str:
    return ("Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts if value)).rstrip()


def _sendable(text: str) -> str:
    # The client must hear of the refusal, whatever an author's own check has to say about it.
    if is_text(text):
        return text
    _log.warning("A reason cannot be sent to the client in a header, and is left out: %r", text)
    return ""
