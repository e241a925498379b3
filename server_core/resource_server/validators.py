"""The token validators: for the keys of an authorization server, or for several servers with metadata."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from server_core.resource_server.accepted_servers import (
    AccessTokenValidationOptions,
    AuthorizationServerEntry,
    check_algorithm,
    check_server_url,
)
from server_core.resource_server.admission import ResourceServerValidator
from server_core.resource_server.canonical_url import check_canonical_url
from server_core.resource_server.errors import (
    AuthenticationError,
    ForeignTokenError,
    InvalidTokenError,
    KeysUnavailable,
    TokenExpiredError,
)
from server_core.resource_server.jwks import Keys
from server_core.resource_server.owner import ResourceOwner, is_name, scopes_of_claims
from server_core.resource_server.token_checks import ExpectedToken, check_token, key_id
from server_core.resource_server.www_authenticate import check_scopes

if TYPE_CHECKING:
    import httpx

    from server_core.settings import Settings

T = TypeVar("T")


class JWKSTokenValidator(ResourceServerValidator):
    """Checks tokens with the keys of an authorization server; publishes no metadata.

    Args:
        jwks_uri: the URL of its keys.
        issuer: the `iss` claim of its tokens; a string or several.
        audience: the permitted audiences; a string or several.
        algorithm: its signature algorithm.
        cache_ttl: for how many seconds its keys are cached.
        validation_options: the checks to make.
        transport: the transport for fetching keys; the network when not given.

    Raises:
        ValueError: when the URL is not safe, or the algorithm is not supported.
    """

    def __init__(
        self,
        jwks_uri: str,
        issuer: str | Sequence[str],
        audience: str | Sequence[str],
        algorithm: str = "RS256",
        cache_ttl: float = 3600,
        validation_options: AccessTokenValidationOptions | None = None,
        *,
        transport: "httpx.AsyncBaseTransport | None" = None,
    ) -> None:
        self._expected = ExpectedToken(
            _names(issuer, "issuer"),
            _names(audience, "audience"),
            check_algorithm(algorithm),
            validation_options or AccessTokenValidationOptions(),
        )
        self._keys = Keys(check_server_url(jwks_uri, "jwks_uri"), cache_ttl, transport)

    async def validate_token(self, token: str) -> ResourceOwner:
        key = await self._keys.find(key_id(token, self._expected))
        if key is None:
            raise InvalidTokenError("The token is signed with a key that the authorization server does not publish")
        claims = check_token(token, key, self._expected, time.time())
        issuer = claims["iss"] if self._expected.options.verify_iss else self._expected.issuers[0]
        return ResourceOwner(
            claims["sub"],
            # RFC 9068 section 2.2; some authorization servers use `azp`, as in OpenID Connect.
            _text(claims.get("client_id")) or _text(claims.get("azp")),
            _text(claims.get("email")),
            scopes_of_claims(claims),
            claims,
            issuer,
        )


class ResourceServerAuth(ResourceServerValidator):
    """Checks tokens of one or more authorization servers, and publishes metadata that names them.

    Missing arguments come from the settings `MCP_RESOURCE_SERVER_CANONICAL_URL`,
    `MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS`, `MCP_RESOURCE_SERVER_SCOPES_SUPPORTED` and
    `MCP_RESOURCE_SERVER_DEFAULT_CHALLENGE_SCOPES`: in the environment, else in the `.env` of the calling file's
    project.

    Args:
        authorization_servers: the authorization servers whose tokens are accepted.
        canonical_url: the URL that identifies this server, like `https://mcp.example.com/mcp`.
        cache_ttl: for how many seconds keys are cached.
        scopes_supported: the scopes in the server's metadata.
        default_challenge_scopes: the scopes in the challenge to a client without a token.
        transport: the transport for fetching keys; the network when not given.

    Raises:
        ValueError: when the URL, the authorization servers or a scope is missing or invalid.
        ConfigurationError: when a setting is invalid.
    """

    def __init__(
        self,
        authorization_servers: Sequence[AuthorizationServerEntry] | None = None,
        canonical_url: str | None = None,
        cache_ttl: float = 3600,
        scopes_supported: Sequence[str] | None = None,
        default_challenge_scopes: Sequence[str] | None = None,
        *,
        transport: "httpx.AsyncBaseTransport | None" = None,
    ) -> None:
        if None in (authorization_servers, canonical_url, scopes_supported, default_challenge_scopes):
            # Here, since it imports this module.
            from server_core.resource_server.configuration import ResourceServerConfiguration

            configured = ResourceServerConfiguration.from_settings(_settings_of_caller())
            canonical_url = canonical_url or configured.canonical_url
            authorization_servers = _given_or(authorization_servers, configured.authorization_servers)
            scopes_supported = _given_or(scopes_supported, configured.scopes_supported)
            default_challenge_scopes = _given_or(default_challenge_scopes, configured.default_challenge_scopes)
        if not canonical_url:
            raise ValueError("canonical_url is missing; pass it, or set MCP_RESOURCE_SERVER_CANONICAL_URL.")
        if not authorization_servers:
            raise ValueError(
                "authorization_servers are missing; pass them, or set MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS."
            )
        self.canonical_url = check_canonical_url(canonical_url)
        self.scopes_supported = check_scopes(scopes_supported)
        self.default_challenge_scopes = check_scopes(default_challenge_scopes)
        self._servers = tuple(dict.fromkeys(server.authorization_server_url for server in authorization_servers))
        self._validators = [
            JWKSTokenValidator(
                server.jwks_uri,
                server.issuer,
                server.expected_audiences or [self.canonical_url],
                server.algorithm,
                cache_ttl,
                server.validation_options,
                transport=transport,
            )
            for server in authorization_servers
        ]

    async def validate_token(self, token: str) -> ResourceOwner:
        failures: list[AuthenticationError] = []
        for validator in self._validators:
            try:
                return await validator.validate_token(token)
            except TokenExpiredError:
                # Its signature is valid, so no other server issued it.
                raise
            except AuthenticationError as error:
                failures.append(error)
        raise next((error for error in failures if isinstance(error, KeysUnavailable)), _common_failure(failures))

    def get_resource_metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {
            "resource": self.canonical_url,
            "authorization_servers": list(self._servers),
            "bearer_methods_supported": ["header"],
        }
        if self.scopes_supported:
            metadata["scopes_supported"] = list(self.scopes_supported)
        return metadata


def _common_failure(failures: Sequence[AuthenticationError]) -> AuthenticationError:
    # The failure of the server that issued the token explains most, if it can be determined.
    of_issuer = [error for error in failures if not isinstance(error, ForeignTokenError)]
    if len(failures) == 1 or len({str(error) for error in of_issuer}) == 1:
        return (of_issuer or failures)[0]
    return InvalidTokenError("Token validation failed for all configured authorization servers")


def _names(value: str | Sequence[str], label: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not names or not all(map(is_name, names)):
        raise ValueError(f"{label} is {value!r}, but must be a name; otherwise any token would be accepted.")
    return names


def _given_or(given: T | None, configured: T | None) -> T | None:
    """Return the setting unless a value is given; an empty list counts as given."""
    return configured if given is None else given


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _settings_of_caller() -> "Settings":
    """Return the settings of the calling file's project, which may not be the working directory."""
    from server_core.settings import Settings

    # Private, but the public `inspect.stack` reads the source files of all frames.
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    file = frame.f_globals.get("__file__")
    return Settings.of_project(Path(file) if isinstance(file, str) else Path.cwd())
