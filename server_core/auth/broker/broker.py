"""The broker: from an account requirement of a tool to a token, at once or after the user's consent.

Rule 1: a user is asked once at a time for each account: later calls wait for the same consent.
Rule 2: a static token is for the single user of this machine, never for an authenticated caller.
"""

import asyncio
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from server_core.auth.broker import device
from server_core.auth.broker.account_grants import AccountGrant, Grants, Owner
from server_core.auth.broker.account_tokens import AccountStatus, AccountTokens
from server_core.auth.broker.consents import BrowserConsent, Consents
from server_core.auth.broker.device import DeviceConsent
from server_core.auth.broker.registrations import NoClient, Registration, Registrations
from server_core.auth.broker.service import Service
from server_core.auth.requirement import Authorization, AuthRequirement
from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    import httpx


class Broker:
    """Gets tokens for the users of one project.

    All methods raise :class:`NoClient` where no OAuth client is configured for the service, `ConfigurationError` where
    the service is unknown, and `AuthorizationFailed` where it cannot be reached.
    """

    def __init__(
        self,
        registrations: Registrations,
        grants: Grants,
        *,
        emit: Callable[..., object] = lambda event, **facts: None,
        transport: "httpx.AsyncBaseTransport | None" = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._registrations = registrations
        self._grants = grants
        self._emit = emit
        self._transport = transport
        self._clock = clock
        self._consents = Consents(self._redeem)
        self._devices: dict[str, asyncio.Task[None]] = {}
        # Weak: a lock is needed only while an operation holds it or waits for it.
        self._locks: weakref.WeakValueDictionary[tuple[str, Owner], asyncio.Lock] = weakref.WeakValueDictionary()

    async def authorization(self, requirement: AuthRequirement, owner: Owner) -> Authorization | None:
        """Return an owner's authorization, or None if the user has to consent first."""
        registration = await self._registrations.find(requirement)
        if not registration.client_id:
            if registration.token and not owner.is_authenticated:
                return self._static_authorization(registration, owner)
            raise NoClient(registration)
        grant = await self._tokens(registration, owner).valid_grant(requirement.scopes)
        return None if grant is None else _authorization_of(grant)

    async def consent(self, requirement: AuthRequirement, owner: Owner) -> BrowserConsent:
        """Return a pending consent of the user with these scopes, or begin a new one."""
        tokens = await self._client_tokens(requirement, owner)
        account = tokens.registration.account
        async with tokens.lock:
            scopes = await tokens.scopes_to_request(requirement.scopes)
            if (consent := self._consents.find(account, owner, scopes)) is not None:
                return consent
            consent = await self._consents.begin(tokens.registration, owner, scopes)
        consent.grant.add_done_callback(partial(self._report_failure, account))
        return consent

    async def begin_device(self, requirement: AuthRequirement, owner: Owner) -> DeviceConsent:
        """Begin a device flow; raises AuthorizationFailed also where the service has none."""
        tokens = await self._client_tokens(requirement, owner)
        scopes = await tokens.scopes_to_request(requirement.scopes)
        return await device.begin(tokens.registration, tokens.service, scopes)

    async def finish_device(
        self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent, sleep: device.Sleep = asyncio.sleep
    ) -> Authorization:
        """Wait until the user has entered the code; AuthorizationFailed if they are too late, or decline."""
        tokens = await self._client_tokens(requirement, owner)
        scopes = await tokens.scopes_to_request(requirement.scopes)
        response = await device.poll(tokens.registration, tokens.service, consent, sleep)
        return _authorization_of(await tokens.store(response, scopes))

    def finish_device_in_background(self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent) -> None:
        """Wait for the user in the background, and record the outcome; an earlier flow of the account is cancelled."""
        if (earlier := self._devices.get(requirement.account)) is not None:
            earlier.cancel()
        task = spawn(self._wait_for_device(requirement, owner, consent), f"auth: device for {requirement.account}")
        self._devices[requirement.account] = task

    async def status(self, requirement: AuthRequirement, owner: Owner) -> AccountStatus:
        """Return the status of an owner's account, without asking the user; a missing client is a state."""
        registration = await self._registrations.find(requirement)
        if not registration.client_id:
            return AccountStatus(registration, "static token" if registration.token else "no client", {})
        return await self._tokens(registration, owner).status(requirement.scopes)

    async def report_refusal(self, requirement: AuthRequirement, owner: Owner, token: str, status: int) -> None:
        """Record that a service has rejected a token: 401 concerns the token, 403 its scopes.

        The call may have had effects and is not repeated. The next one renews the token, or asks for all open scopes.
        """
        registration = await self._registrations.find(requirement)
        await self._tokens(registration, owner).report_refusal(token, status)

    async def forget(self, requirement: AuthRequirement, owner: Owner) -> bool:
        """Delete a grant, in any case; return whether the service has revoked its tokens, else the user has to."""
        registration = await self._registrations.find(requirement)
        return await self._tokens(registration, owner).remove()

    async def close(self) -> None:
        for task in self._devices.values():
            task.cancel()
        await asyncio.gather(*self._devices.values(), return_exceptions=True)
        await self._consents.close()
        await self._registrations.close()

    # Details.

    async def _client_tokens(self, requirement: AuthRequirement, owner: Owner) -> AccountTokens:
        registration = await self._registrations.find(requirement)
        if not registration.client_id:
            raise NoClient(registration)
        return self._tokens(registration, owner)

    def _tokens(self, registration: Registration, owner: Owner) -> AccountTokens:
        return AccountTokens(
            registration,
            owner,
            grants=self._grants,
            service=Service(registration, self._transport),
            lock=self._locks.setdefault((registration.account, owner), asyncio.Lock()),
            emit=self._emit,
            clock=self._clock,
        )

    def _static_authorization(self, registration: Registration, owner: Owner) -> Authorization:
        self._grants.mask(registration, owner, AccountGrant("", registration.token))
        return Authorization(registration.token)

    async def _redeem(self, consent: BrowserConsent, code: str) -> AccountGrant:
        tokens = self._tokens(consent.registration, consent.owner)
        response = await tokens.service.redeem(code, consent.verifier, consent.registration.redirect_uri)
        return await tokens.store(response, consent.scopes)

    async def _wait_for_device(self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent) -> None:
        try:
            await self.finish_device(requirement, owner, consent)
        except (AuthorizationFailed, ConfigurationError) as error:
            self._emit_failure(requirement.account, error)

    def _report_failure(self, account: str, grant: "asyncio.Future[AccountGrant]") -> None:
        if not grant.cancelled() and (error := grant.exception()) is not None:
            self._emit_failure(account, error)

    def _emit_failure(self, account: str, error: BaseException) -> None:
        self._emit("authorization_failed", account=account, reason=str(error))


def _authorization_of(grant: AccountGrant) -> Authorization:
    # A copy, since the tool may change it.
    return Authorization(grant.access_token, dict(grant.user_info))
