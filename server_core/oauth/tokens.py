"""Token requests and token responses.

No message that is made here holds a token or a secret.

Source: OAuth 2.1 sections 2.4 and 3.2, RFC 6749 section 5, RFC 7523, RFC 8707 section 2.2.
"""

import secrets
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus

from server_core.oauth.challenge import read_scopes
from server_core.oauth.errors import AuthorizationFailed, TokenRefused, remark
from server_core.oauth.registration import OAuthClient, is_credential
from server_core.records.masking import Masker

ASSERTION_SECONDS = 300
EARLY_SECONDS = 30.0
"""How long before its expiry a token is no longer used."""

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
CLIENT_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

SECRET_FIELDS = (
    "code",
    "code_verifier",
    "refresh_token",
    "client_secret",
    "assertion",
    "client_assertion",
    "subject_token",
    "device_code",
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens for a resource.

    Attributes:
        server: the URL of the MCP endpoint that they were requested for.
        issuer: the authorization server.
        resource: the identifier of the resource.
        client_id: the client that they were issued to.
        access_token: the access token.
        kind: its type: `Bearer` or `DPoP`.
        expires_at: when it expires, in seconds since the epoch; 0: not known.
        refresh_token: the refresh token; empty when there is none.
        requested: the requested scopes.
        scopes: the granted scopes.
        key: the key that they are bound to, as PEM; empty when they are not bound to a key.
    """

    server: str
    issuer: str
    resource: str
    client_id: str
    access_token: str = field(repr=False)
    kind: str = "Bearer"
    expires_at: float = 0.0
    refresh_token: str = field(default="", repr=False)
    requested: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    key: str = field(default="", repr=False)

    def is_over(self, now: float) -> bool:
        """Return whether the access token has expired, or is about to."""
        return bool(self.expires_at) and now >= self.expires_at - EARLY_SECONDS


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of a token endpoint.

    Attributes:
        access_token: the token.
        kind: `Bearer` or `DPoP`, or the type in a token exchange.
        lifetime: seconds until it expires; None when not given.
        refresh_token: the refresh token; empty when there is none.
        scopes: the granted scopes; None when they are the requested scopes.
    """

    access_token: str = field(repr=False)
    kind: str = "Bearer"
    lifetime: float | None = None
    refresh_token: str = field(default="", repr=False)
    scopes: tuple[str, ...] | None = None


def authenticated(client: OAuthClient, form: Mapping[str, str], issuer: str, now: float) -> tuple[dict[str, str], str]:
    """Return a token request with the client's authentication: its form, and its `Authorization` header.

    Args:
        client: the client that requests the token.
        form: the form of the grant.
        issuer: the authorization server, the audience of an assertion.
        now: seconds since the epoch.

    Raises:
        AuthorizationFailed: when the client's key cannot sign.
    """
    if client.authentication == "client_secret_basic":
        # RFC 6749 section 2.3.1: each is encoded as in a form, before the two are joined.
        pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret)}"
        return dict(form), f"Basic {b64encode(pair.encode('ascii')).decode('ascii')}"
    if client.authentication == "private_key_jwt":
        assertion = client_assertion(client, issuer, now)
        return {**form, "client_assertion_type": CLIENT_ASSERTION, "client_assertion": assertion}, ""
    identity = {"client_id": client.client_id} if client.client_id else {}
    if client.authentication == "client_secret_post":
        identity["client_secret"] = client.secret
    return {**form, **identity}, ""


def client_assertion(client: OAuthClient, issuer: str, now: float) -> str:
    """Return a JWT that proves possession of the client's key.

    Raises:
        AuthorizationFailed: when the key cannot sign.

    Source: RFC 7523 section 3, with the issuer as the only audience (draft-ietf-oauth-rfc7523bis).
    """
    import jwt

    claims = {
        "iss": client.client_id,
        "sub": client.client_id,
        "aud": issuer,
        "jti": secrets.token_urlsafe(16),
        "iat": int(now),
        "exp": int(now) + ASSERTION_SECONDS,
    }
    try:
        return jwt.encode(claims, client.private_key, client.algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, NotImplementedError) as error:
        raise AuthorizationFailed(
            f"The client's private key cannot sign with {client.algorithm}; it must be a matching key in PEM format."
        ) from error


def read_answer(status: int, document: object, issuer: str, form: Mapping[str, str]) -> Answer:
    """Return the response of a token endpoint.

    Args:
        status: its HTTP status.
        document: its JSON; None when it was not JSON.
        issuer: the authorization server, for error messages.
        form: the form that was sent, so that no message repeats its secrets.

    Raises:
        TokenRefused: when the request was refused.
        AuthorizationFailed: when the response is invalid.
    """
    fields: Mapping[str, Any] = document if isinstance(document, dict) else {}
    if status != 200:
        masker = Masker({name: form[name] for name in SECRET_FIELDS if form.get(name)})
        code, description = (masker.mask_text(remark(fields.get(name))) for name in ("error", "error_description"))
        reason = f": {code}{f' ({description})' if description else ''}" if code else ""
        raise TokenRefused(f"{issuer} refused to issue a token (status {status}){reason}.", code)
    access_token, refresh_token = fields.get("access_token"), fields.get("refresh_token") or ""
    if not is_credential(access_token) or " " in access_token or (refresh_token and not is_credential(refresh_token)):
        raise AuthorizationFailed(f"{issuer} returned an invalid token response.")
    return Answer(
        access_token=access_token,
        kind=remark(fields.get("token_type")),
        lifetime=_lifetime(fields.get("expires_in")),
        refresh_token=refresh_token,
        scopes=read_scopes(fields.get("scope")) or None,
    )


def token_kind(answer: Answer, issuer: str) -> str:
    """Return the type of a token: `Bearer` or `DPoP`.

    Raises:
        AuthorizationFailed: when the type is not supported.
    """
    kind = {"bearer": "Bearer", "dpop": "DPoP"}.get(answer.kind.lower())
    if kind is None:
        raise AuthorizationFailed(f"{issuer} issued a token of the unknown type {answer.kind!r}.")
    return kind


def _lifetime(value: object) -> float | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return float(value)  # Some servers send a string, although a number is required.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        return None
    return float(value)
