"""The OAuth settings, read from the environment: secrets are never passed on a command line."""

import os
from collections.abc import Mapping
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.oauth.grants import AuthorizationCode, ClientCredentials, Grant, UserConsent
from server_core.oauth.registration import ClientRegistration

PREFIX = "WORKBENCH_OAUTH_"


def registration_from(environment: Mapping[str, str] = os.environ) -> ClientRegistration:
    """Return the configured registration of the client."""
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


def grant_from(consent: UserConsent | None, environment: Mapping[str, str] = os.environ) -> Grant:
    """Return the configured grant: the user's consent, or the client's own credentials."""
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
