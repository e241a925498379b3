"""Scope selection: no more than the server needs, and never fewer than before.

Specification: basic/authorization, Scope Selection Strategy and Step-Up Authorization Flow.
"""

from server_core.oauth.authorization_code import OFFLINE
from server_core.oauth.challenge import unite
from server_core.oauth.metadata import ServerMetadata


def choose_scopes(
    challenged: tuple[str, ...], supported: tuple[str, ...] | None, earlier: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the scopes to request; none leaves the choice to the authorization server.

    Args:
        challenged: the scopes named by the challenge.
        supported: the scopes in the protected server's metadata; None when not given.
        earlier: the scopes requested before.
    """
    return unite(earlier, challenged or (() if earlier else supported or ()))


def with_refreshing(scopes: tuple[str, ...], server: ServerMetadata) -> tuple[str, ...]:
    """Return the scopes with `offline_access`, which requests a refresh token, where the authorization server lists it.

    It is not added to an empty list, which leaves the choice to the server.
    """
    return unite(scopes, [OFFLINE]) if scopes and OFFLINE in (server.scopes or ()) else scopes
