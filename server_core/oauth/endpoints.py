"""Requests to the registration and token endpoints of an authorization server."""

import time
from collections.abc import Callable, Mapping

from server_core.oauth.challenge import read_nonce
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.proofs import ProofKey
from server_core.oauth.registration import ClientRegistration, OAuthClient, read_registration, registration_request
from server_core.oauth.server_discovery import ProtectedResource
from server_core.oauth.server_metadata import ServerMetadata
from server_core.oauth.tokens import TokenResponse, Tokens, authenticate, read_token_response, token_kind
from server_core.oauth.web import Web


async def register(
    web: Web, server: ServerMetadata, registration: ClientRegistration, redirect_uri: str, scopes: tuple[str, ...]
) -> OAuthClient:
    body = registration_request(registration, server, redirect_uri, scopes)
    response = await web.post(server.registration_endpoint, "The registration endpoint", {}, json=body)
    return read_registration(response.status, response.document, server, redirect_uri)


async def request_token(
    web: Web,
    resource: ProtectedResource,
    client: OAuthClient,
    grant: Mapping[str, str],
    key: ProofKey | None = None,
    clock: Callable[[], float] = time.time,
) -> TokenResponse:
    """Request a token, again when the server requires its nonce in the proof; TokenRefused when it refuses.

    The grant is the form without the client's authentication; without a key, the token is not bound.
    Source: RFC 8707 section 2.2; RFC 9449 sections 5 and 8.
    """
    server = resource.server
    form = {**grant, "resource": resource.identifier}
    nonce = ""
    while True:
        # Signed again for each request: an assertion or a proof may be used once.
        signed, authorization = authenticate(client, form, server.issuer, clock())
        headers = {"Authorization": authorization} if authorization else {}
        if key is not None:
            headers["DPoP"] = key.prove("POST", server.token_endpoint, nonce=nonce)
        response = await web.post(server.token_endpoint, "The token endpoint", headers, data=signed)
        try:
            return read_token_response(response.status, response.document, server.issuer, signed)
        except TokenRefused as error:
            required_nonce = read_nonce(response.headers)
            if error.code != "use_dpop_nonce" or key is None or nonce or not required_nonce:
                raise  # Not about a nonce, or repeating the server's nonce did not help.
            nonce = required_nonce


def tokens_of(
    response: TokenResponse,
    *,
    server: str,
    resource: ProtectedResource,
    client: OAuthClient,
    requested: tuple[str, ...],
    key: ProofKey | None,
    now: float,
    refresh_token: str = "",
) -> Tokens:
    """Return the tokens of a response, with everything that is needed to use them later.

    Args:
        key: the key that the token was to be bound to.
        refresh_token: the refresh token to retain when the response holds none.
    """
    issuer = resource.server.issuer
    kind = token_kind(response, issuer)
    if kind == "DPoP" and key is None:
        raise AuthorizationFailed(f"{issuer} issued a DPoP token for a request without a proof.")
    return Tokens(
        server=server,
        issuer=issuer,
        resource=resource.identifier,
        client_id=client.client_id,
        access_token=response.access_token,
        kind=kind,
        expires_at=response.expires_at(now),
        # RFC 6749 section 6: a server that issues no new refresh token lets the client keep the old one.
        refresh_token=response.refresh_token or refresh_token,
        requested=requested,
        scopes=requested if response.scopes is None else response.scopes,
        key=key.pem() if kind == "DPoP" and key is not None else "",
    )
