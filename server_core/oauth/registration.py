"""The identity of the client: registered beforehand, a metadata document, or dynamic registration.

Rule 1: credentials are sent only to the authorization server that issued them.
Rule 2: the first available identity is used, in this order: registered beforehand, a metadata document, an earlier
dynamic registration, a new dynamic registration.

Specification: basic/authorization/client-registration; RFC 7591.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeGuard

from server_core.oauth.errors import AuthorizationFailed, TokenRefused, remark
from server_core.oauth.metadata import ServerMetadata

Authentication: TypeAlias = Literal["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]

BY_SECRET: tuple[Authentication, ...] = ("client_secret_basic", "client_secret_post")
LONGEST_CREDENTIAL = 16 * 1024


@dataclass(frozen=True, slots=True)
class ClientRegistration:
    """The configured identity of the client.

    Attributes:
        client_id: the id that it is registered with; empty when it is not registered.
        client_secret: its secret, if it has any.
        private_key: its private key as PEM, if it has any.
        algorithm: the signature algorithm of the key.
        issuer: the authorization server that it is registered with; empty: the first that is discovered.
        metadata_document: the https URL of its metadata document, which may serve as its id.
        name: its name, shown to users.
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)
    algorithm: str = "ES256"
    issuer: str = ""
    metadata_document: str = ""
    name: str = "workbench"


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A client as one authorization server knows it.

    Attributes:
        client_id: its id; empty when it needs none.
        authentication: how it authenticates at the token endpoint.
        secret: its secret, if it has any.
        private_key: its private key as PEM, if it has any.
        algorithm: the signature algorithm of the key.
        redirect_uri: its registered redirect URI.
        expires_at: when the secret expires, in seconds since the epoch; 0: never.
        is_registered: whether it was registered dynamically, and may be registered again.
    """

    client_id: str
    authentication: Authentication = "none"
    secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)
    algorithm: str = "ES256"
    redirect_uri: str = ""
    expires_at: float = 0.0
    is_registered: bool = False


def known_client(registration: ClientRegistration, server: ServerMetadata) -> OAuthClient | None:
    """Return the client that a server knows without dynamic registration; None when there is none.

    Raises:
        AuthorizationFailed: when the client was registered with another authorization server.
    """
    if registration.client_id:
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
    if registration.metadata_document and server.takes_metadata_documents:
        return OAuthClient(registration.metadata_document)
    return None


def still_serves(client: OAuthClient, redirect_uri: str, now: float) -> bool:
    """Return whether an earlier registration can be used again."""
    return client.redirect_uri == redirect_uri and (not client.expires_at or now < client.expires_at)


def choose_authentication(
    server: ServerMetadata, secret: str, private_key: str = "", assigned: str = ""
) -> Authentication:
    """Return the method of client authentication at a token endpoint.

    Args:
        server: the metadata of the server.
        secret: the client's secret; empty when there is none.
        private_key: the client's key; empty when there is none.
        assigned: the method in the registration response.

    Source: RFC 8414 section 2: the default is `client_secret_basic`.
    """
    if private_key:
        return "private_key_jwt"
    able: tuple[Authentication, ...] = (*BY_SECRET, "none") if secret else ("none",)
    supported = server.authentication or ("client_secret_basic",)
    return next(
        (method for method in able if method == assigned),
        next((method for method in able if method in supported), able[0]),
    )


def registration_request(
    registration: ClientRegistration, server: ServerMetadata, redirect_uri: str, scopes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the body of a registration request.

    Raises:
        AuthorizationFailed: when the server does not support registration.

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
    """Return the client that was registered.

    Args:
        status: the HTTP status of the response.
        document: its JSON; None when it was not JSON.
        server: the authorization server.
        redirect_uri: the registered redirect URI.

    Raises:
        AuthorizationFailed: when no client was registered.

    Source: RFC 7591 section 3.2.
    """
    fields: Mapping[str, Any] = document if isinstance(document, dict) else {}
    if status not in (200, 201):
        reason = ": ".join(filter(None, (remark(fields.get("error")), remark(fields.get("error_description")))))
        raise TokenRefused(
            f"{server.issuer} did not register a client ({status}{f', {reason}' if reason else ''}); register one there"
            " and set its id in WORKBENCH_OAUTH_CLIENT_ID, or pass credentials with --header.",
            remark(fields.get("error")),
        )
    client_id, secret = fields.get("client_id"), fields.get("client_secret") or ""
    if not is_credential(client_id) or (secret and not is_credential(secret)):
        raise AuthorizationFailed(f"{server.issuer} registered a client with an invalid id or secret.")
    expires_at = fields.get("client_secret_expires_at") or 0
    return OAuthClient(
        client_id,
        choose_authentication(server, secret, assigned=remark(fields.get("token_endpoint_auth_method"))),
        secret,
        redirect_uri=redirect_uri,
        expires_at=float(expires_at) if isinstance(expires_at, int | float) else 0.0,
        is_registered=True,
    )


def is_credential(value: object) -> TypeGuard[str]:
    """Return whether a value can be an id, a secret or a token: printable ASCII of limited length."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_CREDENTIAL and value.isascii() and value.isprintable()
