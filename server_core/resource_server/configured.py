"""What the settings say of the resource server."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from server_core.resource_server.addresses import checked_canonical_url
from server_core.resource_server.header_values import checked_scopes
from server_core.resource_server.options import AuthorizationServerEntry, entries_of

if TYPE_CHECKING:
    from server_core.resource_server.validators import ResourceServerAuth
    from server_core.settings import Settings

_PREFIX = "MCP_RESOURCE_SERVER_"


class IncompleteSettings(ConfigurationError):
    """Only the address or the authorization servers are set; an app may say the rest."""


@dataclass(frozen=True, slots=True)
class Configured:
    """The settings, read; each None where it is not set."""

    canonical_url: str | None
    authorization_servers: list[AuthorizationServerEntry] | None
    scopes_supported: list[str] | None
    default_challenge_scopes: list[str] | None

    @classmethod
    def of(cls, settings: "Settings") -> "Configured":
        """Return what the settings say.

        Raises:
            ConfigurationError: when one of them is wrong; the message names it.
        """
        url, servers = settings.resource_server_canonical_url, settings.resource_server_authorization_servers
        name = "CANONICAL_URL"
        try:
            canonical_url = checked_canonical_url(url, f"{_PREFIX}{name}") if url else None
            name = "AUTHORIZATION_SERVERS"
            entries = entries_of(servers) if servers.strip() else None
            name = "SCOPES_SUPPORTED"
            supported = checked_scopes(settings.resource_server_scopes_supported.split())
            name = "DEFAULT_CHALLENGE_SCOPES"
            challenged = checked_scopes(settings.resource_server_default_challenge_scopes.split())
        except ValueError as error:
            raise ConfigurationError(f"{_PREFIX}{name} is wrong: {error}") from None
        return cls(canonical_url, entries, supported, challenged)


def resource_server_of(settings: "Settings") -> "ResourceServerAuth":
    """Return the check of tokens that the settings ask for.

    Raises:
        ConfigurationError: when one of them is wrong.
        IncompleteSettings: when only the address or the authorization servers are set.
    """
    configured = Configured.of(settings)
    if configured.canonical_url is None or not configured.authorization_servers:
        missing = "CANONICAL_URL" if configured.canonical_url is None else "AUTHORIZATION_SERVERS"
        raise IncompleteSettings(f"{_PREFIX}{missing} is missing; without it no token can be checked.")
    from server_core.resource_server.validators import ResourceServerAuth

    return ResourceServerAuth(
        configured.authorization_servers,
        configured.canonical_url,
        scopes_supported=configured.scopes_supported or (),
        default_challenge_scopes=configured.default_challenge_scopes or (),
    )
