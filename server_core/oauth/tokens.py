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

from server_core.oauth.errors import AuthorizationFailed, TokenRefused, short_line
from server_core.oauth.registration import OAuthClient, is_credential
from server_core.oauth.scopes import parse_scopes
from server_core.records.masking import Masker

ASSERTION_SECONDS = 300
EXPIRY_MARGIN_SECONDS = 30.0
"""How long before its expiry a token is no longer used, since the request has to arrive in time, and clocks differ."""

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
    """The tokens for a resource. The names of the fields are also those of the stored JSON."""

    server: str  # The URL of the MCP endpoint that they were requested for.
    issuer: str
    resource: str  # Its identifier.
    client_id: str
    access_token: str = field(repr=False)
    kind: str = "Bearer"  # Or `DPoP`.
    expires_at: float = 0.0  # Seconds since the epoch; 0: not known.
    refresh_token: str = field(default="", repr=False)
    requested: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()  # The granted scopes.
    key: str = field(default="", repr=False)  # The key that they are bound to, as PEM; empty: they are not bound.

    def expires_soon(self, now: float) -> bool:
        """Return whether the access token has expired, or is about to."""
        return expires_soon(self.expires_at, now)


@dataclass(frozen=True, slots=True)
class TokenResponse:
    """The response of a token endpoint."""

    access_token: str = field(repr=False)
    kind: str = "Bearer"  # Or `DPoP`, or the type in a token exchange.
    lifetime: float | None = None  # In seconds; None when not given.
    refresh_token: str = field(default="", repr=False)
    scopes: tuple[str, ...] | None = None  # None: those that were requested (RFC 6749 section 5.1).

    def expires_at(self, now: float) -> float:
        """Return when the token expires, in seconds since the epoch; 0: not known."""
        return 0.0 if self.lifetime is None else now + self.lifetime


def expires_soon(expires_at: float, now: float) -> bool:
    """Return whether a token has expired, or is about to; 0: it is not known when it expires."""
    return bool(expires_at) and now >= expires_at - EXPIRY_MARGIN_SECONDS


def authenticate(client: OAuthClient, form: Mapping[str, str], issuer: str, now: float) -> tuple[dict[str, str], str]:
    """Return a token request with authentication: form and `Authorization`; the issuer is an assertion's audience."""
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


def read_token_response(status: int, document: object, issuer: str, form: Mapping[str, str]) -> TokenResponse:
    """Return a token endpoint's response; TokenRefused has no secrets of the form. `document` is None for no JSON."""
    fields: Mapping[str, Any] = document if isinstance(document, dict) else {}
    if status != 200:
        masker = Masker({name: form[name] for name in SECRET_FIELDS if form.get(name)})
        code, description = (masker.mask_text(short_line(fields.get(name))) for name in ("error", "error_description"))
        reason = f": {code}{f' ({description})' if description else ''}" if code else ""
        raise TokenRefused(f"{issuer} refused to issue a token (status {status}){reason}.", code)
    access_token, refresh_token = fields.get("access_token"), fields.get("refresh_token") or ""
    if not is_credential(access_token) or " " in access_token or (refresh_token and not is_credential(refresh_token)):
        raise AuthorizationFailed(f"{issuer} returned an invalid token response.")
    return TokenResponse(
        access_token=access_token,
        kind=short_line(fields.get("token_type")),
        lifetime=_lifetime(fields.get("expires_in")),
        refresh_token=refresh_token,
        scopes=parse_scopes(fields.get("scope")) or None,
    )


def token_kind(response: TokenResponse, issuer: str) -> str:
    """Return the type of a token as its `Authorization` header has it: `Bearer` or `DPoP`."""
    kind = {"bearer": "Bearer", "dpop": "DPoP"}.get(response.kind.lower())
    if kind is None:
        raise AuthorizationFailed(f"{issuer} issued a token of the unknown type {response.kind!r}.")
    return kind


def _lifetime(value: object) -> float | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return float(value)  # Some servers send a string, although a number is required.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        return None
    return float(value)
