"""The OAuth client of one MCP server, used by its transport.

Rule 1: one authorization at a time; requests that waited for it use its result.
Rule 2: every authorization begins with the server's metadata, so that a change of its authorization server is noticed,
and no token or credential of the old server is sent to the new.
Rule 3: when a token that was just issued is refused, it is not requested again.

Specification: basic/authorization.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from server_core.oauth.authorization import AuthorizationRefusal
from server_core.oauth.challenge import Challenge, read_challenge
from server_core.oauth.endpoints import register, request_token, tokens_of
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.grants import AuthorizationCode, Grant, GrantContext
from server_core.oauth.proofs import ProofKey
from server_core.oauth.registration import ClientRegistration, OAuthClient, configured_client, is_reusable
from server_core.oauth.scopes import choose_scopes, join_scopes, with_offline_access
from server_core.oauth.server_discovery import ProtectedResource, discover
from server_core.oauth.server_metadata import ServerMetadata
from server_core.oauth.token_store import TokenStore
from server_core.oauth.tokens import Tokens
from server_core.oauth.urls import canonical_url, check_url, origin
from server_core.oauth.web import Web

if TYPE_CHECKING:
    import httpx


class OAuthAuthorization:
    """The authorization of a client with a server; a `TransportAuthorization`. AuthorizationFailed for an invalid URL.

    By default tokens are stored in memory, and the grant is an authorization code without a user to ask.
    """

    def __init__(
        self,
        server_url: str,
        *,
        store: TokenStore | None = None,
        registration: ClientRegistration | None = None,
        grant: Grant | None = None,
        transport: "httpx.AsyncBaseTransport | None" = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._server = canonical_url(server_url)
        self._store = store or TokenStore()
        self._registration = registration or ClientRegistration()
        self._grant = grant or AuthorizationCode()
        self._transport = transport
        self._clock = clock
        self._lock = asyncio.Lock()
        self._tokens: Tokens | None = None
        self._is_loaded = False
        # How the current tokens were obtained: decides what a refusal of them leads to.
        self._source: Literal["stored", "refreshed", "granted"] = "stored"
        self._key: ProofKey | None = None
        self._nonce = ""

    def __repr__(self) -> str:
        return f"OAuthAuthorization({self._server!r})"

    async def headers(self, method: str, url: str) -> Mapping[str, str]:
        if origin(url) != origin(self._server):
            return {}  # A token is sent only to the server that it was issued for.
        async with self._lock:
            self._load()
            if self._tokens is not None and self._tokens.expires_soon(self._clock()):
                await self._replace_expired(self._tokens)
            return self._authorization_headers(method, url)

    async def handle_refusal(self, refusal: AuthorizationRefusal) -> bool:
        if origin(refusal.url) != origin(self._server):
            return False
        challenge = read_challenge(refusal.headers)
        async with self._lock:
            if refusal.sent_headers.get("Authorization") != self._authorization():
                return True  # A concurrent request was refused as well, and has replaced the token.
            if not challenge.is_for_oauth:
                return False
            if self._tokens is not None and challenge.error == "use_dpop_nonce" and challenge.nonce:
                self._nonce = challenge.nonce  # RFC 9449 section 9.
                return True
            if refusal.status == 403:
                return await self._step_up(challenge)
            await self._replace_refused(challenge, refusal.attempt)
            return True

    # Which token to request. The caller holds the lock.

    async def _replace_expired(self, tokens: Tokens) -> None:
        if tokens.refresh_token:
            async with self._web() as web:
                if await self._refresh(web, await self._discover(web, Challenge()), tokens):
                    return
        self._tokens = None  # The next 401 response names the requirements again.

    async def _replace_refused(self, challenge: Challenge, attempt: int) -> None:
        """Replace the token that the server refused, or request the first token."""
        tokens = self._tokens
        if tokens is not None and self._source == "granted" and attempt:
            raise AuthorizationFailed(f"{self._server} rejects the token that {tokens.issuer} has just issued for it.")
        async with self._web() as web:
            resource = await self._discover(web, challenge)
            # A refreshed token was refused as well, so refreshing it again would not help.
            is_refreshed_in_vain = attempt and self._source == "refreshed"
            if tokens is None or is_refreshed_in_vain or not await self._refresh(web, resource, tokens):
                earlier = () if tokens is None else tokens.requested
                await self._authorize(web, resource, choose_scopes(challenge.scopes, resource.scopes, earlier))

    async def _step_up(self, challenge: Challenge) -> bool:
        """Request the scopes that a request needs, together with those requested before."""
        tokens = self._tokens
        if (
            tokens is None
            or challenge.error != "insufficient_scope"
            or not set(challenge.scopes) - set(tokens.requested)
        ):
            return False  # The server was asked for them already, and did not grant them.
        async with self._web() as web:
            resource = await self._discover(web, challenge)
            await self._authorize(web, resource, join_scopes(tokens.requested, challenge.scopes))
        return True

    async def _refresh(self, web: Web, resource: ProtectedResource, tokens: Tokens) -> bool:
        """Replace tokens by means of their refresh token; return False when that fails."""
        server = resource.server
        if not tokens.refresh_token or (tokens.issuer, tokens.resource) != (server.issuer, resource.identifier):
            return False
        client = configured_client(self._registration, server) or self._store.client(server.issuer)
        if client is None or client.client_id != tokens.client_id:
            return False
        resource = replace(resource, binds_tokens=bool(tokens.key))
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        try:
            await self._request_tokens(web, resource, client, form, tokens.requested, tokens.refresh_token)
        except TokenRefused as error:
            if not error.code:
                raise  # Not an OAuth error: the server has a problem, and the token may be valid.
            return self._use_tokens_of_other_process(tokens)
        self._source = "refreshed"
        return True

    def _use_tokens_of_other_process(self, refused: Tokens) -> bool:
        """Use the tokens that another process obtained with the same refresh token; return False if there are none."""
        stored = self._store.tokens(self._server)
        if stored is None or stored.access_token == refused.access_token:
            self._store.remove_tokens(refused)
            return False
        self._tokens, self._source, self._key = stored, "stored", None  # The key was stored with the tokens.
        return True

    async def _authorize(self, web: Web, resource: ProtectedResource, scopes: tuple[str, ...]) -> None:
        server = resource.server
        if self._grant.involves_user:
            scopes = with_offline_access(scopes, server.scopes)
        earlier = self._store.client(server.issuer)

        async def client_for(redirect_uri: str) -> OAuthClient:
            return await self._client(web, server, redirect_uri, scopes)

        earlier_redirect_uri = "" if earlier is None else earlier.redirect_uri
        context = GrantContext(resource, scopes, web, self._registration, client_for, earlier_redirect_uri)
        client, form = await self._grant.prepare(context)
        try:
            await self._request_tokens(web, resource, client, form, scopes)
        except TokenRefused as error:
            if error.code == "invalid_client" and client.is_registered:
                self._store.remove_client(server.issuer)  # The next attempt registers again.
            raise
        self._source = "granted"

    # Requests and storage.

    def _web(self) -> Web:
        check_url(self._server, "The URL of the server", self._server)  # Tokens are not sent unencrypted.
        return Web(self._server, self._transport)

    async def _discover(self, web: Web, challenge: Challenge) -> ProtectedResource:
        issuer = self._registration.issuer or (self._tokens.issuer if self._tokens is not None else "")
        resource = await discover(web, challenge, issuer)
        if self._registration.client_id:
            # From now on the configured credentials belong to this issuer: metadata that names another is refused.
            configured_client(self._registration, resource.server)
            self._registration = replace(self._registration, issuer=resource.server.issuer)
        return resource

    async def _client(
        self, web: Web, server: ServerMetadata, redirect_uri: str, scopes: tuple[str, ...]
    ) -> OAuthClient:
        if (client := configured_client(self._registration, server)) is not None:
            return client
        earlier = self._store.client(server.issuer)
        if earlier is not None and is_reusable(earlier, redirect_uri, self._clock()):
            return earlier
        client = await register(web, server, self._registration, redirect_uri, scopes)
        self._store.store_client(server.issuer, client)
        return client

    async def _request_tokens(
        self,
        web: Web,
        resource: ProtectedResource,
        client: OAuthClient,
        form: Mapping[str, str],
        scopes: tuple[str, ...],
        refresh_token: str = "",
    ) -> None:
        key = self._proof_key() if resource.binds_tokens else None
        response = await request_token(web, resource, client, form, key, self._clock)
        self._tokens = tokens_of(
            response,
            server=self._server,
            resource=resource,
            client=client,
            requested=scopes,
            key=key,
            now=self._clock(),
            refresh_token=refresh_token,
        )
        self._store.store_tokens(self._tokens)

    def _load(self) -> None:
        # Not in the constructor: a vault may have to be unlocked, and most servers require no authorization.
        if self._is_loaded:
            return
        self._is_loaded = True
        stored = self._store.tokens(self._server)
        if stored is None or self._registration.client_id not in ("", stored.client_id):
            return
        self._tokens = stored
        if self._registration.client_id:
            # The stored tokens name the issuer that the client is registered with.
            self._registration = replace(self._registration, issuer=self._registration.issuer or stored.issuer)

    def _authorization(self) -> str | None:
        return None if self._tokens is None else f"{self._tokens.kind} {self._tokens.access_token}"

    def _authorization_headers(self, method: str, url: str) -> dict[str, str]:
        tokens, authorization = self._tokens, self._authorization()
        if tokens is None or authorization is None:
            return {}
        if tokens.kind != "DPoP":
            return {"Authorization": authorization}
        proof = self._proof_key().prove(method, url, token=tokens.access_token, nonce=self._nonce)
        return {"Authorization": authorization, "DPoP": proof}

    def _proof_key(self) -> ProofKey:
        if self._key is None:
            self._key = ProofKey(self._tokens.key if self._tokens is not None else "", self._clock)
        return self._key
