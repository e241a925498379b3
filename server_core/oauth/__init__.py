"""OAuth 2.1 for servers over HTTP: who asks, whom they ask, and what they get.

What is decided stands in `addresses`, `challenge`, `metadata`, `registration`, `authorization_code`, `scopes`, `proofs`
and `tokens`, which do no I/O. `web`, `consent` and `browser` are the edges: servers, and people. `discovery`,
`endpoints` and `grants` lead over them from a refusal to a token, `store` keeps it, and `client` is what a transport
is given, in the shape that `authorization` says.

Specification: basic/authorization.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.oauth.authorization import Authorization
    from server_core.oauth.consent import Consent


def oauth_for(url: str, consent: "Consent | None" = None) -> "Authorization":
    """Return the authorization with a server, as the environment sets it, with what is kept on this machine.

    Args:
        url: the address of the server's endpoint.
        consent: the way to have a person agree; None: there is nobody to ask.

    Raises:
        ConfigurationError: when a setting is wrong.
        ConnectionFailed: when the address is none.
    """
    from server_core.oauth.client import OAuth
    from server_core.oauth.settings import grant_from, registration_from
    from server_core.oauth.store import FileStore

    return OAuth(url, store=FileStore(), registration=registration_from(), grant=grant_from(consent))
