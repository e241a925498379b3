"""OAuth 2.1 for servers over HTTP: the client's side, and its settings in the environment.

`urls`, `challenge`, `server_metadata`, `registration`, `authorization_code`, `scopes`, `proofs` and `tokens` do no I/O.
`web` sends requests, and `browser` asks users, with a redirect to `loopback`. `server_discovery`, `endpoints` and
`grants` combine them into the steps from a 401 response to a token, `token_store` stores tokens, and `client`
implements the protocol in `authorization`, which transports use.

The settings are environment variables, since a secret must not be passed on a command line.

Specification: basic/authorization.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from server_core.oauth.authorization import TransportAuthorization
    from server_core.oauth.grants import Grant, UserConsent
    from server_core.oauth.registration import ClientRegistration

PREFIX = "WORKBENCH_OAUTH_"


def oauth_for(url: str, consent: "UserConsent | None" = None) -> "TransportAuthorization":
    """Return the authorization with a server, configured by the environment, with the tokens stored on this machine.

    ConfigurationError for an invalid setting, ConnectionFailed for an invalid URL. `consent` asks the user, if any.
    """
    from server_core.oauth.client import OAuthAuthorization
    from server_core.oauth.token_store import TokenStore
    from server_core.secrets.vault import FileVault

    store = TokenStore(FileVault())
    return OAuthAuthorization(url, store=store, registration=registration_from(), grant=grant_from(consent))


def registration_from(environment: Mapping[str, str] = os.environ) -> "ClientRegistration":
    from server_core.oauth.registration import ClientRegistration

    if environment.get(f"{PREFIX}CLIENT_SECRET") and not environment.get(f"{PREFIX}ISSUER"):
        # Otherwise any MCP server could name its own authorization server, and receive the secret.
        raise ConfigurationError(
            f"{PREFIX}CLIENT_SECRET needs {PREFIX}ISSUER: the authorization server that may receive the secret."
        )
    key_file = environment.get(f"{PREFIX}PRIVATE_KEY_FILE", "")
    return ClientRegistration(
        client_id=environment.get(f"{PREFIX}CLIENT_ID", ""),
        client_secret=environment.get(f"{PREFIX}CLIENT_SECRET", ""),
        private_key=_read(Path(key_file).expanduser()) if key_file else "",
        algorithm=environment.get(f"{PREFIX}ALGORITHM", "") or "ES256",
        issuer=environment.get(f"{PREFIX}ISSUER", ""),
        metadata_document=environment.get(f"{PREFIX}CLIENT_METADATA", ""),
    )


def grant_from(consent: "UserConsent | None", environment: Mapping[str, str] = os.environ) -> "Grant":
    """Return the configured grant: the user's consent, or the client's own credentials."""
    from server_core.oauth.grants import AuthorizationCode, ClientCredentials

    name = environment.get(f"{PREFIX}GRANT", "") or "authorization_code"
    if name == "authorization_code":
        return AuthorizationCode(consent)
    if name == "client_credentials":
        return ClientCredentials()
    raise ConfigurationError(f"{PREFIX}GRANT is {name!r}; it must be authorization_code or client_credentials.")


def redirect_uri_from(environment: Mapping[str, str] = os.environ) -> str:
    """Return the redirect URI that the client is registered with; empty when any will do."""
    return environment.get(f"{PREFIX}REDIRECT_URI", "")


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{PREFIX}PRIVATE_KEY_FILE: {path} cannot be read as a PEM file: {error}.") from error
