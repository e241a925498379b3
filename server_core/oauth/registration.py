"""As whom to ask for tokens: a client that was registered beforehand, a metadata document, or a registration now.

Rule 1: credentials belong to the authorization server that issued them, and are shown to no other.
Rule 2: of what a server offers the first of these is taken: what was registered beforehand, a metadata document, what
was registered earlier, a new registration.

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
class Registration:
    """What is known beforehand about the client that asks.

    Attributes:
        client_id: under which it was registered; empty when it was not.
        client_secret: what it authenticates with, where it has a secret.
        private_key: what it authenticates with, as PEM, where it has a key.
        algorithm: how the key signs.
        issuer: the authorization server that it was registered with; empty: the first that is met.
        metadata_document: the https address of a document about it, which may serve as its id.
        name: what people are told about who asks.
    """

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)
    algorithm: str = "ES256"
    issuer: str = ""
    metadata_document: str = ""
    name: str = "workbench"


@dataclass(frozen=True, slots=True)
class Client:
    """A client as one authorization server knows it.

    Attributes:
        client_id: its id; empty for one that needs none.
        authentication: how it authenticates at the token endpoint.
        secret: what it authenticates with, where it has a secret.
        private_key: what it authenticates with, as PEM, where it has a key.
        algorithm: how the key signs.
        redirect_uri: what was registered as the place to come back to.
        expires_at: when the secret ends, in seconds since the epoch; 0: never.
        is_registered: whether it was registered by us, and may be so again.
    """

    client_id: str
    authentication: Authentication = "none"
    secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)
    algorithm: str = "ES256"
    redirect_uri: str = ""
    expires_at: float = 0.0
    is_registered: bool = False


def known_client(registration: Registration, server: ServerMetadata) -> Client | None:
    """Return the client that a server knows without a registration now; None when there is none.

    Raises:
        AuthorizationFailed: when the client was registered with another authorization server.
    """
    if registration.client_id:
        if registration.issuer not in ("", server.issuer):
            raise AuthorizationFailed(
                f"The client was registered with {registration.issuer}, but the server asks for tokens of"
                f" {server.issuer}; register a client there."
            )
        return Client(
            registration.client_id,
            choose_authentication(server, registration.client_secret, registration.private_key),
            registration.client_secret,
            registration.private_key,
            registration.algorithm,
        )
    if registration.metadata_document and server.takes_metadata_documents:
        return Client(registration.metadata_document)
    return None


def still_serves(client: Client, redirect_uri: str, now: float) -> bool:
    """Return whether what was registered earlier can be used again."""
    return client.redirect_uri == redirect_uri and (not client.expires_at or now < client.expires_at)


def choose_authentication(server: ServerMetadata, secret: str, private_key: str = "", told: str = "") -> Authentication:
    """Return how to authenticate at a token endpoint.

    Args:
        server: what it says about itself.
        secret: the client's secret; empty when there is none.
        private_key: the client's key; empty when there is none.
        told: what the registration was answered with.

    Source: RFC 8414 section 2: who says nothing takes `client_secret_basic`.
    """
    if private_key:
        return "private_key_jwt"
    able: tuple[Authentication, ...] = (*BY_SECRET, "none") if secret else ("none",)
    taken = server.authentication or ("client_secret_basic",)
    return next((one for one in able if one == told), next((one for one in able if one in taken), able[0]))


def registration_request(
    registration: Registration, server: ServerMetadata, redirect_uri: str, scopes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the body of a registration.

    Raises:
        AuthorizationFailed: when the server offers none.

    Source: RFC 7591 section 2; OpenID Connect Dynamic Client Registration 1.0 section 2 for the type.
    """
    if not server.registration_endpoint:
        raise AuthorizationFailed(
            f"{server.issuer} does not let clients register themselves; register one there, and give its id in"
            " WORKBENCH_OAUTH_CLIENT_ID."
        )
    takes = server.authentication or ("none",)
    refreshes = server.grants is None or "refresh_token" in server.grants
    body: dict[str, Any] = {
        "client_name": registration.name,
        "application_type": "native",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", *(["refresh_token"] if refreshes else [])],
        "response_types": ["code"],
        "token_endpoint_auth_method": next((one for one in ("none", *BY_SECRET) if one in takes), "none"),
    }
    return body | ({"scope": " ".join(scopes)} if scopes else {})


def read_registration(status: int, document: object, server: ServerMetadata, redirect_uri: str) -> Client:
    """Return the client that a registration made.

    Args:
        status: the HTTP status of the answer.
        document: its JSON; None when it was none.
        server: the authorization server.
        redirect_uri: what was registered.

    Raises:
        AuthorizationFailed: when there was none made.

    Source: RFC 7591 section 3.2.
    """
    fields: Mapping[str, Any] = document if isinstance(document, dict) else {}
    if status not in (200, 201):
        said = ": ".join(filter(None, (remark(fields.get("error")), remark(fields.get("error_description")))))
        raise TokenRefused(
            f"{server.issuer} did not register a client ({status}{f', {said}' if said else ''}); register one there and"
            " give its id in WORKBENCH_OAUTH_CLIENT_ID, or give the server what it wants with --header.",
            remark(fields.get("error")),
        )
    client_id, secret = fields.get("client_id"), fields.get("client_secret") or ""
    if not is_credential(client_id) or (secret and not is_credential(secret)):
        raise AuthorizationFailed(f"{server.issuer} registered a client with an id or a secret that cannot be one.")
    expires_at = fields.get("client_secret_expires_at") or 0
    return Client(
        client_id,
        choose_authentication(server, secret, told=remark(fields.get("token_endpoint_auth_method"))),
        secret,
        redirect_uri=redirect_uri,
        expires_at=float(expires_at) if isinstance(expires_at, int | float) else 0.0,
        is_registered=True,
    )


def is_credential(value: object) -> TypeGuard[str]:
    """Return whether a value can be an id, a secret or a token: printable, in ASCII, and of a bounded length."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_CREDENTIAL and value.isascii() and value.isprintable()
