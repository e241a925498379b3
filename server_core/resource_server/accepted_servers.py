"""The configuration of authorization servers whose tokens are accepted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import check_url
from server_core.resource_server.owner import is_name

if TYPE_CHECKING:
    from pydantic import ConfigDict

ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA", "Ed25519"}
)
"""Asymmetric algorithms only, since a server that can check a token must not be able to issue it."""
ED25519 = frozenset({"EdDSA", "Ed25519"})
"""Two names of one algorithm. Source: RFC 9864 section 2.2."""


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


_AS_JSON: "ConfigDict" = {"alias_generator": _camel, "populate_by_name": True, "extra": "forbid"}


@dataclass(frozen=True, slots=True)
class AccessTokenValidationOptions:
    """The checks of a token besides its signature, `sub` and `aud`, which are always checked.

    Attributes:
        verify_exp: `exp` must be present and in the future.
        verify_iat: `iat`, if present, must not be in the future.
        verify_iss: `iss` must be the expected issuer.
        verify_nbf: `nbf`, if present, must not be in the future.
        leeway: seconds by which clocks may differ.

    Raises:
        ValueError: when the leeway is negative.
    """

    __pydantic_config__: ClassVar["ConfigDict"] = _AS_JSON

    verify_exp: bool = True
    verify_iat: bool = True
    verify_iss: bool = True
    verify_nbf: bool = True
    leeway: int = 0

    def __post_init__(self) -> None:
        if self.leeway < 0:
            raise ValueError(f"leeway is {self.leeway}, but must be a number of seconds, 0 or more.")


@dataclass(frozen=True, slots=True)
class AuthorizationServerEntry:
    """An authorization server whose tokens are accepted.

    Attributes:
        authorization_server_url: its issuer identifier, from which clients discover its metadata.
        issuer: the `iss` claim of its tokens.
        jwks_uri: the URL of its keys.
        algorithm: its signature algorithm.
        expected_audiences: the permitted audiences of its tokens; the server's canonical URL when not given.
        validation_options: the checks of its tokens.

    Raises:
        ValueError: when a URL is not safe, a name is empty, or the algorithm is not supported.
    """

    __pydantic_config__: ClassVar["ConfigDict"] = _AS_JSON

    authorization_server_url: str
    issuer: str
    jwks_uri: str
    algorithm: str = "RS256"
    expected_audiences: Sequence[str] | None = None
    validation_options: AccessTokenValidationOptions = field(default_factory=AccessTokenValidationOptions)

    def __post_init__(self) -> None:
        check_server_url(self.authorization_server_url, "authorization_server_url")
        check_server_url(self.jwks_uri, "jwks_uri")
        check_algorithm(self.algorithm)
        if not is_name(self.issuer):
            raise ValueError(f"issuer is {self.issuer!r}, but must be the issuer of the tokens (the claim iss).")
        if isinstance(self.expected_audiences, str):
            raise ValueError(f"expected_audiences must be a list, such as [{self.expected_audiences!r}].")
        if not all(map(is_name, self.expected_audiences or ())):
            raise ValueError(f"expected_audiences are {self.expected_audiences!r}, but each must be a name (aud).")


def check_algorithm(algorithm: str) -> str:
    """Return the name of an algorithm, or raise ValueError when it is not supported."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"Unsupported algorithm {algorithm!r}; use one of {', '.join(sorted(ALGORITHMS))}.")
    return algorithm


def check_server_url(url: str, label: str) -> str:
    """Return a URL that may be requested, or raise ValueError."""
    try:
        return check_url(url, label, url)
    except AuthorizationFailed as error:
        raise ValueError(str(error)) from None


def parse_entries(text: str) -> list[AuthorizationServerEntry]:
    """Parse a JSON array of entries, whose members are named in snake_case or camelCase.

    Raises:
        ValueError: names the member that is missing, unknown or invalid.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(list[AuthorizationServerEntry]).validate_json(text, strict=True)
    except ValidationError as error:
        issue = error.errors(include_url=False, include_input=False)[0]
        location = ".".join(str(part) for part in issue["loc"])
        raise ValueError(f"{location}: {issue['msg']}" if location else issue["msg"]) from None
