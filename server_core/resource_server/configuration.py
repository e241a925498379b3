"""The configuration of the resource server, from the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from server_core.errors import ConfigurationError
from server_core.resource_server.accepted_servers import AuthorizationServerEntry, parse_entries
from server_core.resource_server.admission import Admission, ClosedGate
from server_core.resource_server.canonical_url import check_canonical_url
from server_core.resource_server.www_authenticate import check_scopes

if TYPE_CHECKING:
    from server_core.resource_server.admission import Gate
    from server_core.settings import Settings

_PREFIX = "MCP_RESOURCE_SERVER_"

SettingValue = TypeVar("SettingValue", str, list[str])
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ResourceServerConfiguration:
    """The parsed settings; None for a setting that is not set."""

    canonical_url: str | None
    authorization_servers: list[AuthorizationServerEntry] | None
    scopes_supported: list[str] | None
    default_challenge_scopes: list[str] | None

    @classmethod
    def from_settings(cls, settings: "Settings") -> "ResourceServerConfiguration":
        """Return the parsed settings, or raise ConfigurationError with the name of the setting that is invalid."""
        return cls(
            _read("CANONICAL_URL", check_canonical_url, settings.resource_server_canonical_url),
            _read("AUTHORIZATION_SERVERS", parse_entries, settings.resource_server_authorization_servers.strip()),
            _read("SCOPES_SUPPORTED", check_scopes, settings.resource_server_scopes_supported.split()),
            _read("DEFAULT_CHALLENGE_SCOPES", check_scopes, settings.resource_server_default_challenge_scopes.split()),
        )


def gate_of(settings: "Settings", *, app_may_complete: bool) -> "Gate | None":
    """Return the access check of the settings, None for no tokens; until an app completes it, all are refused."""
    if not settings.resource_server_canonical_url and not settings.resource_server_authorization_servers:
        return None
    configured = ResourceServerConfiguration.from_settings(settings)
    if configured.canonical_url is None or not configured.authorization_servers:
        missing = "CANONICAL_URL" if configured.canonical_url is None else "AUTHORIZATION_SERVERS"
        reason = f"{_PREFIX}{missing} is missing; tokens cannot be verified without it."
        if not app_may_complete:
            raise ConfigurationError(reason)
        return ClosedGate(f"This server requires tokens, but {reason}")
    # Here, because it imports the cryptography library.
    from server_core.resource_server.validators import ResourceServerAuth

    return Admission(
        ResourceServerAuth(
            configured.authorization_servers,
            configured.canonical_url,
            scopes_supported=configured.scopes_supported or (),
            default_challenge_scopes=configured.default_challenge_scopes or (),
        )
    )


def _read(name: str, check: Callable[[SettingValue], T], value: SettingValue) -> T | None:
    try:
        return check(value) if value else None
    except ValueError as error:
        raise ConfigurationError(f"{_PREFIX}{name} is invalid: {error}") from None
