"""The authorization code grant with PKCE: the authorization request, and the parameters of the redirect.

Rule 1: `state` is checked first, then the issuer, and only then the other parameters (RFC 9207 section 2.4).
Rule 2: issuers are compared as strings, without normalization.

Specification: basic/authorization, Authorization Response Validation; OAuth 2.1 section 4.1, RFC 7636.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from server_core.oauth.errors import AuthorizationFailed, TokenRefused, short_line
from server_core.oauth.scopes import OFFLINE_ACCESS
from server_core.oauth.server_metadata import ServerMetadata
from server_core.oauth.urls import with_query

MAX_PARAMETERS = 50
STATE_BYTES, VERIFIER_BYTES = 32, 48
"""More than RFC 6749 section 10.10 and RFC 7636 section 7.1 require, so that neither can be guessed."""


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """An authorization request that is not answered yet."""

    server: ServerMetadata
    redirect_uri: str
    state: str = field(repr=False)  # The response must repeat it.
    verifier: str = field(repr=False)


def new_authorization_request(server: ServerMetadata, redirect_uri: str) -> AuthorizationRequest:
    if not server.authorization_endpoint:
        raise AuthorizationFailed(f"{server.issuer} has no authorization endpoint; configure another grant for it.")
    # Security considerations, Authorization Code Protection: without the field, PKCE is not supported.
    if "S256" not in (server.challenge_methods or ()):
        raise AuthorizationFailed(f"{server.issuer} does not declare support for PKCE with S256, which is required.")
    return AuthorizationRequest(server, redirect_uri, *new_secrets())


def new_secrets() -> tuple[str, str]:
    """Return a `state` and a PKCE code verifier."""
    return secrets.token_urlsafe(STATE_BYTES), secrets.token_urlsafe(VERIFIER_BYTES)


def authorization_url(request: AuthorizationRequest, client_id: str, resource: str, scopes: tuple[str, ...]) -> str:
    """Return the URL to open in the user's browser; without scopes, the choice is left to the server."""
    query = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": request.redirect_uri,
        "state": request.state,
        "code_challenge": code_challenge(request.verifier),
        "code_challenge_method": "S256",
        "resource": resource,
    }
    if scopes:
        query["scope"] = " ".join(scopes)
    if OFFLINE_ACCESS in scopes:
        query["prompt"] = "consent"  # OpenID Connect Core section 11: without it the scope has no effect.
    return with_query(request.server.authorization_endpoint, query)


def code_challenge(verifier: str) -> str:
    """Return the S256 code challenge of a verifier. Source: RFC 7636 section 4.2."""
    return urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")


def redirect_parameters(url: str) -> dict[str, str]:
    """Return the query parameters of a redirect, given its URL or the part after the host."""
    try:
        pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError as error:
        raise AuthorizationFailed("The authorization response cannot be parsed.") from error
    parameters = dict(pairs)
    if len(parameters) != len(pairs):
        raise AuthorizationFailed("The authorization response repeats a parameter, and is ignored.")
    return parameters


def code_of_redirect(parameters: Mapping[str, str], request: AuthorizationRequest) -> str:
    """Return the code in the response to an authorization request; TokenRefused when the server or the user refused."""
    # In constant time, since the state is a secret.
    if not hmac.compare_digest(parameters.get("state", "").encode(), request.state.encode()):
        raise AuthorizationFailed("The authorization response belongs to another request, and is ignored.")
    issuer = parameters.get("iss")
    if issuer is None and request.server.sends_issuer:
        raise AuthorizationFailed("The authorization response lacks the issuer (`iss`), and is ignored.")
    if issuer is not None and issuer != request.server.issuer:
        raise AuthorizationFailed("The authorization response came from another server, and is ignored.")
    return read_code(parameters, request.server.issuer)


def read_code(parameters: Mapping[str, str], server_name: str) -> str:
    """Return the code of a response whose `state` and issuer are checked; `server_name` is for error messages."""
    if parameters.get("error"):
        error, description = (short_line(parameters.get(name)) for name in ("error", "error_description"))
        reason = f"{error} ({description})" if description else error
        raise TokenRefused(f"{server_name} refused authorization: {reason}.", error)
    if not (code := parameters.get("code")):
        raise AuthorizationFailed("The authorization response contains no code.")
    return code
