"""The authorization code grant with PKCE: what a person's browser is sent to, and what it comes back with.

Rule 1: `state` is checked first, then who answered, and only then what they say (RFC 9207 section 2.4).
Rule 2: an issuer is compared as text, without any normalization.

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
MOST_PARAMETERS = 50


@dataclass(frozen=True, slots=True)
class Pending:
    """An authorization that a person was asked for.

    Attributes:
        server: the authorization server that was asked.
        redirect_uri: where the answer comes.
        state: what the answer must repeat.
        verifier: what proves to the token endpoint that we asked.
    """

    server: ServerMetadata
    redirect_uri: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)


def begin(server: ServerMetadata, redirect_uri: str) -> Pending:
    """Return an authorization to ask for, with fresh secrets.

    Raises:
        AuthorizationFailed: when the server has no place to ask, or does not check the proof that we asked.
    """
    if not server.authorization_endpoint:
        raise AuthorizationFailed(f"{server.issuer} has no place where people can agree; it needs another grant.")
    # Security considerations, Authorization Code Protection: who does not say so does not check it.
    if "S256" not in (server.challenge_methods or ()):
        raise AuthorizationFailed(f"{server.issuer} does not say that it checks PKCE with S256; it is not safe to use.")
    return Pending(server, redirect_uri, secrets.token_urlsafe(32), secrets.token_urlsafe(48))


def authorization_address(pending: Pending, client_id: str, resource: str, scopes: tuple[str, ...]) -> str:
    """Return the address that a person's browser is sent to.

    Args:
        pending: the authorization.
        client_id: who asks.
        resource: the server that the token is for.
        scopes: what is asked for; none leaves it to the server.
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
    place = urlsplit(pending.server.authorization_endpoint)
    joined = "&".join(filter(None, (place.query, urlencode(query, quote_via=quote))))
    return urlunsplit((place.scheme, place.netloc, place.path, joined, ""))


def code_challenge(verifier: str) -> str:
    """Return what shows a verifier without telling it.

    Source: RFC 7636 section 4.2.
    """
    return urlsafe_b64encode(hashlib.sha256(verifier.encode("ascii")).digest()).rstrip(b"=").decode("ascii")


def read_callback(address: str) -> dict[str, str]:
    """Return the parameters that a browser came back with.

    Args:
        address: where it came back to, or its part behind the host.

    Raises:
        AuthorizationFailed: when they are too many, or one stands there twice.
    """
    try:
        pairs = parse_qsl(urlsplit(address).query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
    except ValueError as error:
        raise AuthorizationFailed("The answer to the authorization cannot be read.") from error
    parameters = dict(pairs)
    if len(parameters) != len(pairs):
        raise AuthorizationFailed("The answer to the authorization says the same thing twice; it is not used.")
    return parameters


def check_callback(parameters: Mapping[str, str], pending: Pending) -> str:
    """Return the code of an answer to an authorization request.

    Raises:
        AuthorizationFailed: when it is no answer to this request, or not from the server that was asked.
        TokenRefused: when the server, or the person, said no.
    """
    if not hmac.compare_digest(parameters.get("state", "").encode(), pending.state.encode()):
        raise AuthorizationFailed("The answer to the authorization belongs to another request; it is not used.")
    issuer = parameters.get("iss")
    if issuer is None and pending.server.sends_issuer:
        raise AuthorizationFailed("The answer to the authorization does not say who gave it; it is not used.")
    if issuer is not None and issuer != pending.server.issuer:
        raise AuthorizationFailed("The answer to the authorization came from another server; it is not used.")
    return read_code(parameters, pending.server.issuer)


def read_code(parameters: Mapping[str, str], who: str) -> str:
    """Return the code of an answer that belongs to a request of ours.

    Args:
        parameters: what the browser came back with.
        who: the server that was asked, for messages.

    Raises:
        AuthorizationFailed: when it holds none.
        TokenRefused: when the server, or the person, said no.
    """
    if error := parameters.get("error"):
        said = remark(parameters.get("error_description"))
        message = f"{who} gave no authorization: {remark(error)}{f' ({said})' if said else ''}."
        raise TokenRefused(message, remark(error))
    if not (code := parameters.get("code")):
        raise AuthorizationFailed("The answer to the authorization holds no code.")
    return code
