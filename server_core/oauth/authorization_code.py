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
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from server_core.oauth.errors import AuthorizationFailed, TokenRefused, remark
from server_core.oauth.metadata import ServerMetadata

OFFLINE = "offline_access"
MAX_PARAMETERS = 50


@dataclass(frozen=True, slots=True)
class Pending:
    """An authorization request that is not answered yet.

    Attributes:
        server: the authorization server.
        redirect_uri: the redirect URI.
        state: the `state` parameter, which the response must repeat.
        verifier: the PKCE code verifier.
    """

    server: ServerMetadata
    redirect_uri: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)


def begin(server: ServerMetadata, redirect_uri: str) -> Pending:
    """Return a new authorization request, with fresh secrets.

    Raises:
        AuthorizationFailed: when the server has no authorization endpoint, or does not support PKCE.
    """
    if not server.authorization_endpoint:
        raise AuthorizationFailed(f"{server.issuer} has no authorization endpoint; configure another grant for it.")
    # Security considerations, Authorization Code Protection: without the field, PKCE is not supported.
    if "S256" not in (server.challenge_methods or ()):
        raise AuthorizationFailed(f"{server.issuer} does not declare support for PKCE with S256, which is required.")
    return Pending(server, redirect_uri, secrets.token_urlsafe(32), secrets.token_urlsafe(48))


def authorization_url(pending: Pending, client_id: str, resource: str, scopes: tuple[str, ...]) -> str:
    """Return the URL to open in the user's browser.

    Args:
        pending: the authorization request.
        client_id: the id of the client.
        resource: the server that the token is for.
        scopes: the requested scopes; none leaves the choice to the server.
    """
    query = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": pending.redirect_uri,
        "state": pending.state,
        "code_challenge": code_challenge(pending.verifier),
        "code_challenge_method": "S256",
        "resource": resource,
    }
    if scopes:
        query["scope"] = " ".join(scopes)
    if OFFLINE in scopes:
        query["prompt"] = "consent"  # OpenID Connect Core section 11: without it the scope has no effect.
    endpoint = urlsplit(pending.server.authorization_endpoint)
    joined = "&".join(filter(None, (endpoint.query, urlencode(query, quote_via=quote))))
    return urlunsplit((endpoint.scheme, endpoint.netloc, endpoint.path, joined, ""))


def code_challenge(verifier: str) -> str:
    """Return the S256 code challenge of a verifier.

    Source: RFC 7636 section 4.2.
    """
    return urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")


def read_callback(url: str) -> dict[str, str]:
    """Return the query parameters of a redirect.

    Args:
        url: the URL that the browser requested, or its part after the host.

    Raises:
        AuthorizationFailed: when there are too many parameters, or a parameter is repeated.
    """
    try:
        pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError as error:
        raise AuthorizationFailed("The authorization response cannot be parsed.") from error
    parameters = dict(pairs)
    if len(parameters) != len(pairs):
        raise AuthorizationFailed("The authorization response repeats a parameter, and is ignored.")
    return parameters


def check_callback(parameters: Mapping[str, str], pending: Pending) -> str:
    """Return the code in the response to an authorization request.

    Raises:
        AuthorizationFailed: when the response belongs to another request, or comes from another server.
        TokenRefused: when the server or the user refused.
    """
    if not hmac.compare_digest(parameters.get("state", "").encode(), pending.state.encode()):
        raise AuthorizationFailed("The authorization response belongs to another request, and is ignored.")
    issuer = parameters.get("iss")
    if issuer is None and pending.server.sends_issuer:
        raise AuthorizationFailed("The authorization response lacks the issuer (`iss`), and is ignored.")
    if issuer is not None and issuer != pending.server.issuer:
        raise AuthorizationFailed("The authorization response came from another server, and is ignored.")
    return read_code(parameters, pending.server.issuer)


def read_code(parameters: Mapping[str, str], server_name: str) -> str:
    """Return the code in a response whose request is known.

    Args:
        parameters: the query parameters of the redirect.
        server_name: the authorization server, for error messages.

    Raises:
        AuthorizationFailed: when the response holds no code.
        TokenRefused: when the server or the user refused.
    """
    if error := parameters.get("error"):
        description = remark(parameters.get("error_description"))
        message = f"{server_name} refused authorization: {remark(error)}{f' ({description})' if description else ''}."
        raise TokenRefused(message, remark(error))
    if not (code := parameters.get("code")):
        raise AuthorizationFailed("The authorization response contains no code.")
    return code
