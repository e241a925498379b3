"""What authors say of the authorization servers whose tokens they take."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.urls import check
from server_core.resource_server.owner import is_name

if TYPE_CHECKING:
    from pydantic import ConfigDict

ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "EdDSA", "Ed25519"}
)
"""Asymmetric alone: who can check a token must not be able to make one."""
ED25519 = frozenset({"EdDSA", "Ed25519"})
"""Two names of one algorithm. Source: RFC 9864 section 2.2."""


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(one.capitalize() for one in others)


_AS_JSON: "ConfigDict" = {"alias_generator": _camel, "populate_by_name": True, "extra": "forbid"}


@dataclass(frozen=True, slots=True)
class AccessTokenValidationOptions:
    """What of a token is checked besides its signature, `sub` and `aud`, which always are.

    Attributes:
        verify_exp: it must say when its time is over, and that must not have come.
        verify_iat: it must not have been issued in the future, where it says when it was.
        verify_iss: it must be from the issuer that is expected.
        verify_nbf: its time must have begun, where it says when that is.
        leeway: seconds that clocks may differ.

    Raises:
        ValueError: when the leeway is less than nothing.
    """

    __pydantic_config__: ClassVar["ConfigDict"] = _AS_JSON

    verify_exp: bool = True
    verify_iat: bool = True
    verify_iss: bool = True
    verify_nbf: bool = True
    leeway: int = 0

    def __post_init__(self) -> None:
        if self.leeway < 0:
            raise ValueError(f"leeway is {self.leeway}, but must be a number of seconds from 0 up.")


@dataclass(frozen=True, slots=True)
class AuthorizationServerEntry:
    """One authorization server whose tokens are taken.

    Attributes:
        authorization_server_url: where clients get them; what its metadata is found from.
        issuer: what its tokens say that they are from.
        jwks_uri: where its keys are published.
        algorithm: what it signs with.
        expected_audiences: whom its tokens may be for; the server's canonical URL when not given.
        validation_options: what is checked of them.

    Raises:
        ValueError: when an address is not safe to ask, a name is empty, or there is no such algorithm.
    """

    __pydantic_config__: ClassVar["ConfigDict"] = _AS_JSON

    authorization_server_url: str
    issuer: str
    jwks_uri: str
    algorithm: str = "RS256"
    expected_audiences: Sequence[str] | None = None
    validation_options: AccessTokenValidationOptions = field(default_factory=AccessTokenValidationOptions)

    def __post_init__(self) -> None:
        checked_address(self.authorization_server_url, "authorization_server_url")
        checked_address(self.jwks_uri, "jwks_uri")
        checked_algorithm(self.algorithm)
        if not is_name(self.issuer):
            raise ValueError(f"issuer is {self.issuer!r}, but must say what tokens say that they are from (iss).")
        if isinstance(self.expected_audiences, str):
            raise ValueError(f"expected_audiences must be a list, like [{self.expected_audiences!r}].")
        if not all(map(is_name, self.expected_audiences or ())):
            raise ValueError(f"expected_audiences are {self.expected_audiences!r}, but each must be a name (aud).")


def checked_algorithm(algorithm: str) -> str:
    """Return the name of an algorithm.

    Raises:
        ValueError: when tokens signed with it are not taken.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"Unsupported algorithm {algorithm!r}; use one of {', '.join(sorted(ALGORITHMS))}.")
    return algorithm


def checked_address(url: str, what: str) -> str:
    """Return an address that may be asked.

    Raises:
        ValueError: when it is none, or not https except on this machine.
    """
    try:
        return check(url, what, url)
    except AuthorizationFailed as error:
        raise ValueError(str(error)) from None


def entries_of(text: str) -> list[AuthorizationServerEntry]:
    """Return the entries that a JSON array stands for, their names in snake_case or camelCase.

    Raises:
        ValueError: when it is none, a name is missing or unknown, or a value does not fit; the message says which.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(list[AuthorizationServerEntry]).validate_json(text, strict=True)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in wrong["loc"])
        raise ValueError(f"{place}: {wrong['msg']}" if place else wrong["msg"]) from None
