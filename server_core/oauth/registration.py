"""The identity of the client: registered beforehand, a metadata document, or dynamic registration.

Rule 1: credentials are sent only to the authorization server that issued them.
Rule 2: the first available identity is used, in this order: registered beforehand, a metadata document, an earlier
dynamic registration, a new dynamic registration.

Specification: basic/authorization/client-registration; RFC 7591.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeGuard

from server_core.oauth.errors import AuthorizationFailed, TokenRefused, explain_error, short_line
from server_core.oauth.server_metadata import ServerMetadata

Authentication: TypeAlias = Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]

BY_SECRET: tuple[Authentication, ...] = ("client_secret_basic", "client_secret_post")
LONGEST_CREDENTIAL = 16 * 1024


@dataclass(frozen=True, slots=True)
class ClientRegistration:
    """The configured identity of the client."""

    client_id: str = ""  # Empty: it is not registered.
    client_secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)  # As PEM.
    algorithm: str = "ES256"
    issuer: str = ""  # That it is registered with; empty: the first that is discovered.
    metadata_document: str = ""  # The https URL of a document about it, which may serve as its id.
    name: str = "workbench"  # Shown to users.


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A client as one authorization server knows it. The names of the fields are also those of the stored JSON."""

    client_id: str  # Empty: it needs none.
    authentication: Authentication = "none"
    secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)  # As PEM.
    algorithm: str = "ES256"
    redirect_uri: str = ""
    expires_at: float = 0.0  # Of the secret, in seconds since the epoch; 0: never.
    is_registered: bool = False  # Dynamically, so that it may be registered again.


def configured_client(registration: ClientRegistration, server: ServerMetadata) -> OAuthClient | None:
    """Return the client that a server knows without registration, if any; AuthorizationFailed if another's."""
    if registration.client_id:
        # Without this check, any MCP server could name an authorization server that receives the credentials.
        if registration.issuer not in ("", server.issuer):
            raise AuthorizationFailed(
                f"The client is registered with {registration.issuer}, but the server requires tokens of"
                f" {server.issuer}; register a client there."
            )
        return OAuthClient(
            registration.client_id,
            choose_authentication(server, registration.client_secret, registration.private_key),
            registration.client_secret,
            registration.private_key,
            registration.algorithm,
        )
    if registration.metadata_document and server.supports_metadata_documents:
        return OAuthClient(registration.metadata_document)
    return None


def is_reusable(client: OAuthClient, redirect_uri: str, now: float) -> bool:
    """Return whether an earlier registration can be used again."""
    return client.redirect_uri == redirect_uri and (not client.expires_at or now < client.expires_at)


def choose_authentication(
    server: ServerMetadata, secret: str, private_key: str = "", assigned: str = ""
) -> Authentication:
    """Return the client's authentication, first what was assigned. Source: RFC 8414 section 2 for the default."""
    if private_key:
        return "private_key_jwt"
    candidates: tuple[Authentication, ...] = (*BY_SECRET, "none") if secret else ("none",)
    supported = server.authentication or ("client_secret_basic",)
    return next(
        (method for method in candidates if method == assigned),
        next((method for method in candidates if method in supported), candidates[0]),
    )


def registration_request(
    registration: ClientRegistration, server: ServerMetadata, redirect_uri: str, scopes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the body of a registration request.

    Source: RFC 7591 section 2; OpenID Connect Dynamic Client Registration 1.0 section 2 for `application_type`.
    """
    if not server.registration_endpoint:
        raise AuthorizationFailed(
            f"{server.issuer} does not support dynamic registration; register a client there, and set its id in"
            " WORKBENCH_OAUTH_CLIENT_ID."
        )
    supported = server.authentication or ("none",)
    refreshes = server.grants is None or "refresh_token" in server.grants
    body: dict[str, Any] = {
        "client_name": registration.name,
        "application_type": "native",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", *(["refresh_token"] if refreshes else [])],
        "response_types": ["code"],
        "token_endpoint_auth_method": next((method for method in ("none", *BY_SECRET) if method in supported), "none"),
    }
    return body | ({"scope": " ".join(scopes)} if scopes else {})


def read_registration(status: int, document: object, server: ServerMetadata, redirect_uri: str) -> OAuthClient:
    """Return the registered client; the document is None when it was not JSON. Source: RFC 7591 section 3.2."""
    fields: Mapping[str, Any] = document if isinstance(document, dict) else {}
    if status not in (200, 201):
        reason = explain_error(fields)
        raise TokenRefused(
            f"{server.issuer} did not register a client ({status}{f', {reason}' if reason else ''}); register one there"
            " and set its id in WORKBENCH_OAUTH_CLIENT_ID, or pass credentials with --header.",
            short_line(fields.get("error")),
        )
    client_id, secret = fields.get("client_id"), fields.get("client_secret") or ""
    if not is_credential(client_id) or (secret and not is_credential(secret)):
        raise AuthorizationFailed(f"{server.issuer} registered a client with an invalid id or secret.")
    expires_at = fields.get("client_secret_expires_at") or 0
    return OAuthClient(
        client_id,
        choose_authentication(server, secret, assigned=short_line(fields.get("token_endpoint_auth_method"))),
        secret,
        redirect_uri=redirect_uri,
        expires_at=float(expires_at) if isinstance(expires_at, int | float) else 0.0,
        is_registered=True,
    )


def is_credential(value: object) -> TypeGuard[str]:
    """Return whether a value can be an id, a secret or a token: printable ASCII of limited length."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_CREDENTIAL and value.isascii() and value.isprintable()
