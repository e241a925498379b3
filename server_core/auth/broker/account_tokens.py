"""The life cycle of the tokens of one account: find a valid token, renew it, replace it, remove it.

Rule 1: one operation at a time for each account of an owner: calls that wait for a refresh share its result.
Rule 2: requested scopes accumulate: a new consent also covers the scopes that were granted before.
Rule 3: a token that a service has rejected is not used again; the next call renews it, or asks the user.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from server_core.auth.broker.account_grants import AccountGrant, Grants, Owner
from server_core.auth.broker.registrations import Registration
from server_core.auth.broker.service import Service, is_grant_invalid
from server_core.oauth.errors import TokenRefused
from server_core.oauth.scopes import join_scopes
from server_core.oauth.tokens import TokenResponse

AccountState = Literal["no client", "needs consent", "authorized", "static token"]


@dataclass(frozen=True, slots=True)
class AccountStatus:
    """The status of an owner's account with a service; contains no secrets."""

    registration: Registration
    state: AccountState
    user_info: dict[str, Any]
    scopes: tuple[str, ...] = ()  # The granted scopes.
    expires_at: float = 0.0  # Of the access token, in seconds since the epoch; 0: unknown.
    can_refresh: bool = False


class AccountTokens:
    """The tokens of an owner's account; the `lock` is shared by all objects for the same account and owner."""

    def __init__(
        self,
        registration: Registration,
        owner: Owner,
        *,
        grants: Grants,
        service: Service,
        lock: asyncio.Lock,
        emit: Callable[..., object],
        clock: Callable[[], float],
    ) -> None:
        self.registration = registration
        self.owner = owner
        self.service = service
        self.lock = lock
        self._grants = grants
        self._emit = emit
        self._clock = clock

    async def valid_grant(self, scopes: tuple[str, ...]) -> AccountGrant | None:
        """Return a grant whose token can be used now, or None if the user has to consent first."""
        async with self.lock:
            grant = await self._find()
            if grant is None or not grant.covers(scopes):
                return None
            return await self._renew(grant) if grant.expires_soon(self._clock()) else grant

    async def status(self, scopes: tuple[str, ...]) -> AccountStatus:
        grant = await self._find()
        if grant is None:
            return AccountStatus(self.registration, "needs consent", {})
        is_lost = grant.expires_soon(self._clock()) and not grant.refresh_token
        state: AccountState = "authorized" if grant.covers(scopes) and not is_lost else "needs consent"
        granted, can_refresh = grant.granted or grant.requested, bool(grant.refresh_token)
        return AccountStatus(self.registration, state, grant.user_info, granted, grant.expires_at, can_refresh)

    async def scopes_to_request(self, scopes: tuple[str, ...]) -> tuple[str, ...]:
        """Return these scopes, those of earlier consents, and those that make tokens renewable."""
        grant = await self._find()
        earlier = () if grant is None else join_scopes(grant.requested, grant.granted)
        return join_scopes(earlier, scopes, self.registration.provider.refresh_scopes)

    async def store(self, response: TokenResponse, scopes: tuple[str, ...]) -> AccountGrant:
        """Store what the user has consented to, with what the service returns about them."""
        grant = self._grant_of(response, scopes)
        # Before the token is sent for the first time, so that no record of the request can contain it.
        self._grants.mask(self.registration, self.owner, grant)
        grant = replace(grant, user_info=await self.service.user_info(grant.access_token))
        await self._replace(grant)
        self._emit("authorized", account=self.registration.account, scopes=list(grant.granted))
        return grant

    async def report_refusal(self, token: str, status: int) -> None:
        """Record that the service has rejected a token: 401 concerns the token, 403 its scopes."""
        async with self.lock:
            grant = await self._find()
            # A newer token may already be stored.
            if grant is None or grant.access_token != token or status not in (401, 403):
                return
            # Without requested scopes, only those that the service has confirmed count as covered.
            await self._replace(replace(grant, is_refused=True) if status == 401 else replace(grant, requested=()))
        self._emit("authorization_refused", account=self.registration.account, status=status)

    async def remove(self) -> bool:
        """Delete the grant, in any case, and return whether the service has revoked its tokens."""
        async with self.lock:
            grant = await self._find()
            await self._grants.remove(self.registration, self.owner)
            self._emit("authorization_forgotten", account=self.registration.account)
            return grant is not None and await self.service.revoke(grant.refresh_token or grant.access_token)

    async def _find(self) -> AccountGrant | None:
        return await self._grants.find(self.registration, self.owner)

    async def _replace(self, grant: AccountGrant) -> None:
        await self._grants.store(self.registration, self.owner, grant)

    async def _renew(self, grant: AccountGrant) -> AccountGrant | None:
        """Renew an expired token; return None if the user has to consent again."""
        if not grant.refresh_token:
            return None
        try:
            response = await self.service.refresh(grant.refresh_token)
        except TokenRefused as error:
            if not is_grant_invalid(error):
                raise
            return await self._grant_of_other_process(grant)
        renewed = self._grant_of(response, grant.requested)
        renewed = replace(
            renewed,
            # RFC 6749 section 6: what the response does not contain remains valid.
            refresh_token=renewed.refresh_token or grant.refresh_token,
            granted=grant.granted if response.scopes is None else renewed.granted,
            user_info=grant.user_info,
        )
        await self._replace(renewed)
        self._emit("authorization_renewed", account=self.registration.account)
        return renewed

    async def _grant_of_other_process(self, refused: AccountGrant) -> AccountGrant | None:
        """Return the grant that another process got with the same refresh token, if there is one."""
        stored = await self._find()
        is_other = stored is not None and stored.refresh_token != refused.refresh_token
        if stored is not None and is_other and not stored.expires_soon(self._clock()):
            return stored
        await self._replace(replace(refused, refresh_token="", is_refused=True))
        return None

    def _grant_of(self, response: TokenResponse, scopes: tuple[str, ...]) -> AccountGrant:
        return AccountGrant(
            client_id=self.registration.client_id,
            access_token=response.access_token,
            refresh_token=response.refresh_token,
            expires_at=response.expires_at(self._clock()),
            requested=scopes,
            granted=scopes if response.scopes is None else response.scopes,
        )
