"""OAuth 2.1 for servers over HTTP: the client's side.

`urls`, `challenge`, `metadata`, `registration`, `authorization_code`, `scopes`, `proofs` and `tokens` do no I/O. `web`
sends requests, and `browser` asks users, with a redirect to `loopback`. `discovery`, `endpoints` and `grants` combine
them into the steps from a 401 response to a token, `store` stores tokens, and `client` implements the protocol in
`authorization`, which transports use.

Specification: basic/authorization.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.oauth.authorization import TransportAuthorization
    from server_core.oauth.grants import UserConsent


def oauth_for(url: str, consent: "UserConsent | None" = None) -> "TransportAuthorization":
    """Return the authorization with a server, configured by the environment, with the tokens stored on this machine.

    Args:
        url: the URL of the server's endpoint.
        consent: how to ask the user for consent; None: there is no user to ask.

    Raises:
        ConfigurationError: when a setting is invalid.
        ConnectionFailed: when the URL is invalid.
    """
    from server_core.oauth.client import OAuthAuthorization
    from server_core.oauth.settings import grant_from, registration_from
    from server_core.oauth.store import TokenStore
    from server_core.secrets.vault import FileVault

    return OAuthAuthorization(
        url, store=TokenStore(FileVault()), registration=registration_from(), grant=grant_from(consent)
    )
