"""The server as an OAuth 2.1 resource server: it asks clients over HTTP for tokens, and checks them.

What is decided stands in `options`, `addresses`, `header_values`, `scopes`, `tokens` and `challenge`, which do no I/O.
`keys` fetches what tokens are signed with. `validators` are what authors choose from, `validator` is what they may
write themselves, and `admission` is what a transport asks about each request.

Specification: basic/authorization; RFC 6750, RFC 9068, RFC 9728.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server_core.resource_server.challenge import build_insufficient_scope_www_authenticate
    from server_core.resource_server.errors import (
        AuthenticationError,
        InsufficientScopeError,
        InvalidTokenError,
        KeysUnavailable,
        TokenExpiredError,
    )
    from server_core.resource_server.options import AccessTokenValidationOptions, AuthorizationServerEntry
    from server_core.resource_server.owner import ResourceOwner
    from server_core.resource_server.scopes import enforce_scopes
    from server_core.resource_server.validator import ResourceServerValidator
    from server_core.resource_server.validators import JWKSTokenValidator, ResourceServerAuth

__all__ = [
    "AccessTokenValidationOptions",
    "AuthenticationError",
    "AuthorizationServerEntry",
    "InsufficientScopeError",
    "InvalidTokenError",
    "JWKSTokenValidator",
    "KeysUnavailable",
    "ResourceOwner",
    "ResourceServerAuth",
    "ResourceServerValidator",
    "TokenExpiredError",
    "build_insufficient_scope_www_authenticate",
    "enforce_scopes",
]

# What checks tokens imports a library of cryptography, which a server that asks for none must not wait for.
_ROOMS = ("errors", "owner", "scopes", "options", "challenge", "validator", "validators")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'server_core.resource_server' has no attribute {name!r}")
    from importlib import import_module

    rooms = (import_module(f"server_core.resource_server.{room}") for room in _ROOMS)
    return next(getattr(room, name) for room in rooms if hasattr(room, name))
