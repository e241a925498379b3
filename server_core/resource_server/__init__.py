"""The server as an OAuth 2.1 resource server: it requires tokens of clients over HTTP, and checks them.

`accepted_servers`, `canonical_url`, `owner`, `token_checks` and `www_authenticate` do no I/O. `jwks` fetches the keys
of authorization servers. `validators` holds the validators that authors can use, and `admission` checks each request of
a transport with a validator. `configuration` reads the settings.

Specification: basic/authorization; RFC 6750, RFC 9068, RFC 9728.
"""

from typing import TYPE_CHECKING

from server_core.lazy_names import lazy_names

if TYPE_CHECKING:
    from server_core.resource_server.accepted_servers import AccessTokenValidationOptions, AuthorizationServerEntry
    from server_core.resource_server.admission import ResourceServerValidator
    from server_core.resource_server.errors import (
        AuthenticationError,
        InsufficientScopeError,
        InvalidTokenError,
        KeysUnavailable,
        TokenExpiredError,
    )
    from server_core.resource_server.owner import ResourceOwner, enforce_scopes
    from server_core.resource_server.validators import JWKSTokenValidator, ResourceServerAuth
    from server_core.resource_server.www_authenticate import build_insufficient_scope_www_authenticate

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

# Checking tokens imports a cryptography library, which a server without authorization must not wait for.
__getattr__, __dir__ = lazy_names(
    globals(), "errors", "owner", "accepted_servers", "www_authenticate", "admission", "validators"
)
