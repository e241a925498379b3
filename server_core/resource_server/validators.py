"""The checks of tokens that authors choose from: one authorization server's keys, or several with their metadata."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from server_core.resource_server.errors import (
    AuthenticationError,
    ForeignTokenError,
    InvalidTokenError,
    KeysUnavailable,
    TokenExpiredError,
)
from server_core.resource_server.header_values import checked_scopes
from server_core.resource_server.keys import Keys
from server_core.resource_server.options import (
    AccessTokenValidationOptions,
    AuthorizationServerEntry,
    checked_address,
    checked_algorithm,
)
from server_core.resource_server.owner import ResourceOwner, is_name
from server_core.resource_server.scopes import granted_scopes
from server_core.resource_server.tokens import Expected, check_token, key_id
from server_core.resource_server.urls import checked_canonical_url
from server_core.resource_server.validator import ResourceServerValidator

if TYPE_CHECKING:
    import httpx

    from server_core.settings import Settings

T = TypeVar("T")


class JWKSTokenValidator(ResourceServerValidator):
    """Checks tokens with the keys that an authorization server publishes; says nobody where to get one.

    Args:
        jwks_uri: where its keys are published.
        issuer: what its tokens say that they are from; one or several.
        audience: whom they may be for; one or several.
        algorithm: what it signs with.
        cache_ttl: for how many seconds its keys are kept.
        validation_options: what of a token is checked.
        transport: carries the requests for keys; the network when not given.

    Raises:
        ValueError: when the address is not safe to ask, or there is no such algorithm.
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
        self._expected = Expected(
            _several(issuer, "issuer"),
            _several(audience, "audience"),
            checked_algorithm(algorithm),
            validation_options or AccessTokenValidationOptions(),
        )
        self._keys = Keys(checked_address(jwks_uri, "jwks_uri"), cache_ttl, transport)

    async def validate_token(self, token: str) -> ResourceOwner:
        """Return whom a token speaks for.

        Raises:
            TokenExpiredError: when its time is over.
            InvalidTokenError: when it does not hold for another reason.
            KeysUnavailable: when the keys cannot be had.
        """
        key = await self._keys.find(key_id(token, self._expected))
        if key is None:
            raise InvalidTokenError("The token is signed with a key that the authorization server does not publish")
        claims = check_token(token, key, self._expected, time.time())
        issuer = claims["iss"] if self._expected.options.verify_iss else self._expected.issuers[0]
        return ResourceOwner(
            claims["sub"],
            _text(claims.get("client_id")) or _text(claims.get("azp")),
            _text(claims.get("email")),
            granted_scopes(claims),
            claims,
            issuer,
        )


class ResourceServerAuth(ResourceServerValidator):
    """Checks tokens of one or several authorization servers, and tells clients where to get one.

    What is not given here comes from the settings `MCP_RESOURCE_SERVER_CANONICAL_URL`,
    `MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS`, `MCP_RESOURCE_SERVER_SCOPES_SUPPORTED` and
    `MCP_RESOURCE_SERVER_DEFAULT_CHALLENGE_SCOPES`: of the environment, else of the `.env` of the file that calls.

    Args:
        authorization_servers: those whose tokens are taken.
        canonical_url: how clients name this server, like `https://mcp.example.com/mcp`.
        cache_ttl: for how many seconds keys are kept.
        scopes_supported: what the metadata says that the basic use of the server takes.
        default_challenge_scopes: what a client without a token is told to ask for.
        transport: carries the requests for keys; the network when not given.

    Raises:
        ValueError: when the address, the authorization servers or a scope is missing or wrong.
        ConfigurationError: when it is wrong in the settings.
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
            from server_core.resource_server.configured import Configured

            said = Configured.of(_settings_of_caller())
            canonical_url = canonical_url or said.canonical_url
            authorization_servers = _or(authorization_servers, said.authorization_servers)
            scopes_supported = _or(scopes_supported, said.scopes_supported)
            default_challenge_scopes = _or(default_challenge_scopes, said.default_challenge_scopes)
        if not canonical_url:
            raise ValueError("canonical_url is missing; give it, or set MCP_RESOURCE_SERVER_CANONICAL_URL.")
        if not authorization_servers:
            raise ValueError(
                "authorization_servers are missing; give them, or set MCP_RESOURCE_SERVER_AUTHORIZATION_SERVERS."
            )
        self.canonical_url = checked_canonical_url(canonical_url)
        self.scopes_supported = checked_scopes(scopes_supported)
        self.default_challenge_scopes = checked_scopes(default_challenge_scopes)
        self._servers = tuple(dict.fromkeys(one.authorization_server_url for one in authorization_servers))
        self._validators = [
            JWKSTokenValidator(
                one.jwks_uri,
                one.issuer,
                one.expected_audiences or [self.canonical_url],
                one.algorithm,
                cache_ttl,
                one.validation_options,
                transport=transport,
            )
            for one in authorization_servers
        ]

    async def validate_token(self, token: str) -> ResourceOwner:
        """Return whom a token speaks for, by the first authorization server that vouches for it.

        Raises:
            TokenExpiredError: when its time is over.
            InvalidTokenError: when it does not hold for another reason.
            KeysUnavailable: when it might hold, but the keys of an authorization server cannot be had.
        """
        failures: list[AuthenticationError] = []
        for validator in self._validators:
            try:
                return await validator.validate_token(token)
            except TokenExpiredError:
                # Its signature holds, so that no other has made it.
                raise
            except AuthenticationError as error:
                failures.append(error)
        raise next((one for one in failures if isinstance(one, KeysUnavailable)), _of_all(failures))

    def get_resource_metadata(self) -> dict[str, Any]:
        """Return the server's metadata. Source: RFC 9728 section 2."""
        metadata: dict[str, Any] = {
            "resource": self.canonical_url,
            "authorization_servers": list(self._servers),
            "bearer_methods_supported": ["header"],
        }
        if self.scopes_supported:
            metadata["scopes_supported"] = list(self.scopes_supported)
        return metadata


def _of_all(failures: Sequence[AuthenticationError]) -> AuthenticationError:
    of_its_own = [one for one in failures if not isinstance(one, ForeignTokenError)]
    if len(failures) == 1 or len({str(one) for one in of_its_own}) == 1:
        return (of_its_own or failures)[0]
    return InvalidTokenError("Token validation failed for all configured authorization servers")


def _several(named: str | Sequence[str], what: str) -> tuple[str, ...]:
    several = (named,) if isinstance(named, str) else tuple(named)
    if not several or not all(map(is_name, several)):
        raise ValueError(f"{what} is {named!r}, but must be a name, or a token could be anybody's.")
    return several


def _or(given: T | None, said: T | None) -> T | None:
    """What the settings say where nothing is given; an empty list is."""
    return said if given is None else given


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _settings_of_caller() -> "Settings":
    """The settings of the project of the author's file, which may not lie in the working directory."""
    from server_core.settings import Settings

    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    file = frame.f_globals.get("__file__")
    return Settings.of_project(Path(file) if isinstance(file, str) else Path.cwd())
