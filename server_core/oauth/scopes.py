"""Which scopes to ask for: no more than the server needs, and never fewer than before.

Specification: basic/authorization, Scope Selection Strategy and Step-Up Authorization Flow.
"""

from server_core.oauth.authorization_code import OFFLINE
from server_core.oauth.challenge import unite
from server_core.oauth.metadata import ServerMetadata


def choose_scopes(
    challenged: tuple[str, ...], supported: tuple[str, ...] | None, earlier: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the scopes to ask for; none leaves the choice to the authorization server.

    Args:
        challenged: what the refusal named.
        supported: what the protected server's metadata names; None when it does not.
        earlier: what was asked for before.
    """
    return unite(earlier, challenged or (() if earlier else supported or ()))


def with_refreshing(scopes: tuple[str, ...], server: ServerMetadata) -> tuple[str, ...]:
    """Return the scopes with the one that gives a refresh token, where the authorization server lists it.

    It is not added to nothing: that would take the server's own choice away.
    """
    return unite(scopes, [OFFLINE]) if scopes and OFFLINE in (server.scopes or ()) else scopes
