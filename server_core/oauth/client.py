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
from server_core.oauth.challenge import Demand, read_demand, unite
from server_core.oauth.discovery import Parties, discover
from server_core.oauth.endpoints import register, request_token, tokens_of
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.grants import AuthorizationCode, Grant, GrantContext
from server_core.oauth.proofs import ProofKey
from server_core.oauth.registration import ClientRegistration, OAuthClient, known_client, still_serves
from server_core.oauth.scopes import choose_scopes, with_refreshing
from server_core.oauth.store import TokenStore
from server_core.oauth.tokens import Tokens
from server_core.oauth.urls import canonical, check, origin
from server_core.oauth.web import Web

if TYPE_CHECKING:
    import httpx


class OAuth:
    """The authorization of a client with a server; the `authorization` of `HttpChannel`.

    Args:
        server_url: the URL of the server's endpoint.
        store: stores tokens and clients; in memory when not given.
        registration: the configured registration of the client.
        grant: the grant; an authorization code without a user to ask when not given.
        transport: the transport for the requests; the network when not given.
        clock: seconds since the epoch.

    Raises:
        AuthorizationFailed: when the URL of the server is invalid.
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
        self._server = canonical(server_url)
        self._store = store or TokenStore()
        self._registration = registration or ClientRegistration()
        self._grant = grant or AuthorizationCode()
        self._transport = transport
        self._clock = clock
        self._lock = asyncio.Lock()
        self._tokens: Tokens | None = None
        self._is_loaded = False
        self._source: Literal["stored", "refreshed", "granted"] = "stored"
        self._key: ProofKey | None = None
        self._nonce = ""

    def __repr__(self) -> str:
        return f"OAuth({self._server!r})"

    async def headers(self, method: str, url: str) -> Mapping[str, str]:
        """Return the headers that authorize a request; none while no token is known to be needed.

        Raises:
            AuthorizationFailed: when an expired token cannot be replaced.
        """
        if origin(url) != origin(self._server):
            return {}  # A token is sent only to the server that it was issued for.
        async with self._lock:
            self._load()
            if self._tokens is not None and self._tokens.is_over(self._clock()):
                await self._replace_ended(self._tokens)
            return self._authorization_headers(method, url)

    async def challenged(self, refusal: AuthorizationRefusal) -> bool:
        """Obtain the token that a refused request needs, and return whether to send the request again.

        Raises:
            AuthorizationFailed: when it cannot be obtained.
        """
        if origin(refusal.url) != origin(self._server):
            return False
        demand = read_demand(refusal.headers)
        async with self._lock:
            if refusal.sent.get("Authorization") != self._authorization():
                return True  # A concurrent request was refused as well, and has replaced the token.
            if not demand.is_for_oauth:
                return False
            if self._tokens is not None and demand.error == "use_dpop_nonce" and demand.nonce:
                self._nonce = demand.nonce  # RFC 9449 section 9.
                return True
            if refusal.status == 403:
                return await self._step_up(demand)
            await self._renew(demand, refusal.attempt)
            return True

    # Which token to ask for.

    async def _renew(self, demand: Demand, attempt: int) -> None:
        """Replace a missing or refused token."""
        tokens = self._tokens
        if tokens is not None and self._source == "granted" and attempt:
            raise AuthorizationFailed(f"{self._server} rejects the token that {tokens.issuer} has just issued for it.")
        async with self._web() as web:
            parties = await self._discover(web, demand)
            is_useless = attempt and self._source == "refreshed"
            if tokens is None or is_useless or not await self._refresh(web, parties, tokens):
                earlier = () if tokens is None else tokens.requested
                await self._authorize(web, parties, choose_scopes(demand.scopes, parties.scopes, earlier))

    async def _step_up(self, demand: Demand) -> bool:
        """Request the scopes that a request needs, together with those requested before."""
        tokens = self._tokens
        if tokens is None or demand.error != "insufficient_scope" or not set(demand.scopes) - set(tokens.requested):
            return False  # The server was asked for them already, and did not grant them.
        async with self._web() as web:
            parties = await self._discover(web, demand)
            await self._authorize(web, parties, unite(tokens.requested, demand.scopes))
        return True

    async def _replace_ended(self, tokens: Tokens) -> None:
        if tokens.refresh_token:
            async with self._web() as web:
                if await self._refresh(web, await self._discover(web, Demand()), tokens):
                    return
        self._tokens = None  # The next 401 response names the requirements again.

    async def _refresh(self, web: Web, parties: Parties, tokens: Tokens) -> bool:
        """Replace tokens by means of their refresh token; return False when that fails."""
        server = parties.server
        if not tokens.refresh_token or (tokens.issuer, tokens.resource) != (server.issuer, parties.resource):
            return False
        client = known_client(self._registration, server) or self._store.client(server.issuer)
        if client is None or client.client_id != tokens.client_id:
            return False
        parties = replace(parties, binds_tokens=bool(tokens.key))
        form = {"grant_type": "refresh_token", "refresh_token": tokens.refresh_token}
        try:
            await self._obtain(web, parties, client, form, tokens.requested, tokens.refresh_token)
        except TokenRefused as error:
            if not error.code:
                raise  # Not an OAuth error: the server has a problem, and the token may be valid.
            return self._take_over(tokens)
        self._source = "refreshed"
        return True

    def _take_over(self, refused: Tokens) -> bool:
        """Use the tokens that another process obtained with the same refresh token, if any."""
        stored = self._store.tokens(self._server)
        if stored is None or stored.access_token == refused.access_token:
            self._store.drop_tokens(refused)
            return False
        self._tokens, self._source, self._key = stored, "stored", None  # The key was stored with the tokens.
        return True

    async def _authorize(self, web: Web, parties: Parties, scopes: tuple[str, ...]) -> None:
        """Request a token by means of the grant."""
        server = parties.server
        if self._grant.asks_a_person:
            scopes = with_refreshing(scopes, server)
        earlier = self._store.client(server.issuer)

        async def registered(redirect_uri: str) -> OAuthClient:
            return await self._client(web, parties, redirect_uri, scopes)

        known_redirect = "" if earlier is None else earlier.redirect_uri
        context = GrantContext(parties, scopes, web, self._registration, registered, known_redirect)
        client, form = await self._grant.prepare(context)
        try:
            await self._obtain(web, parties, client, form, scopes)
        except TokenRefused as error:
            if error.code == "invalid_client" and client.is_registered:
                self._store.drop_client(server.issuer)  # The next attempt registers again.
            raise
        self._source = "granted"

    # Requests and storage.

    def _web(self) -> Web:
        check(self._server, "The URL of the server", self._server)  # Tokens are not sent unencrypted.
        return Web(self._server, self._transport)

    async def _discover(self, web: Web, demand: Demand) -> Parties:
        issuer = self._registration.issuer or (self._tokens.issuer if self._tokens is not None else "")
        parties = await discover(web, demand, issuer)
        if self._registration.client_id:
            known_client(self._registration, parties.server)
            self._registration = replace(self._registration, issuer=parties.server.issuer)
        return parties

    async def _client(self, web: Web, parties: Parties, redirect_uri: str, scopes: tuple[str, ...]) -> OAuthClient:
        server = parties.server
        if (client := known_client(self._registration, server)) is not None:
            return client
        earlier = self._store.client(server.issuer)
        if earlier is not None and still_serves(earlier, redirect_uri, self._clock()):
            return earlier
        client = await register(web, server, self._registration, redirect_uri, scopes)
        self._store.keep_client(server.issuer, client)
        return client

    async def _obtain(
        self,
        web: Web,
        parties: Parties,
        client: OAuthClient,
        form: Mapping[str, str],
        scopes: tuple[str, ...],
        refresh_token: str = "",
    ) -> None:
        key = self._proof_key() if parties.binds_tokens else None
        answer = await request_token(web, parties, client, form, key, self._clock)
        self._tokens = tokens_of(
            answer,
            server=self._server,
            parties=parties,
            client=client,
            requested=scopes,
            key=key,
            now=self._clock(),
            refresh_token=refresh_token,
        )
        self._store.keep_tokens(self._tokens)

    def _load(self) -> None:
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
