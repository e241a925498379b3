"""The broker: from an account requirement of a tool to a token, at once or after the user's consent.

Rule 1: one operation at a time for each account of an owner: calls that wait for a refresh share its result.
Rule 2: requested scopes accumulate: a new consent also covers the scopes that were granted before.
Rule 3: a token that a service has rejected is not used again; the next call renews it, or asks the user.
Rule 4: a static token is for the single user of this machine, never for an authenticated caller.
"""

import asyncio
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from server_core.auth.authorization import Authorization
from server_core.auth.broker import device
from server_core.auth.broker.consents import BrowserConsent, Consents
from server_core.auth.broker.device import DeviceConsent
from server_core.auth.broker.grants import AccountGrant, Grants, Owner
from server_core.auth.broker.registrations import Registration, Registrations, SecretNames
from server_core.auth.broker.service import Service, is_grant_invalid
from server_core.auth.requirement import AuthRequirement
from server_core.errors import ConfigurationError
from server_core.oauth.challenge import unite
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.tokens import Answer
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    import httpx

State = Literal["no client", "needs consent", "authorized", "static token"]


class NoClient(ConfigurationError):
    """No OAuth client is configured for a service.

    Args:
        registration: what is known of it.
    """

    def __init__(self, registration: Registration) -> None:
        names, provider = SecretNames.of(registration.account), registration.provider
        place = f" at {provider.register_url}" if provider.register_url else ""
        super().__init__(
            f"No client of {provider.name} is set up: register one{place} with the redirect URI"
            f" {registration.redirect_uri}, and set the secrets {names.client_id} and {names.client_secret}; or set a"
            f" token of your own as {names.token}."
        )
        self.registration = registration
        self.names = names


@dataclass(frozen=True, slots=True)
class Account:
    """The status of an owner's account with a service; contains no secrets.

    Attributes:
        registration: the OAuth client.
        state: whether tools can use it.
        user_info: what the service returns about the user.
        scopes: the granted scopes.
        expires_at: when the access token expires, in seconds since the epoch; 0: unknown.
        can_refresh: whether it is then renewed automatically.
    """

    registration: Registration
    state: State
    user_info: dict[str, Any]
    scopes: tuple[str, ...] = ()
    expires_at: float = 0.0
    can_refresh: bool = False


class Broker:
    """Gets tokens for the users of one project.

    Args:
        registrations: the OAuth clients.
        grants: the storage for grants.
        emit: called with the name of an event and its facts, to record it.
        transport: sends the requests to the services; the network by default.
        clock: returns seconds since the epoch.
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
        self._locks: weakref.WeakValueDictionary[tuple[str, Owner], asyncio.Lock] = weakref.WeakValueDictionary()

    async def authorization(self, requirement: AuthRequirement, owner: Owner) -> Authorization | None:
        """Return an owner's authorization, or None if the user has to consent first.

        Args:
            requirement: of a tool.
            owner: the user.

        Raises:
            NoClient: no OAuth client is configured for the service.
            ConfigurationError: the service is unknown.
            AuthorizationFailed: the service cannot be reached.
        """
        registration = await self._registrations.find(requirement)
        if not registration.client_id:
            if registration.token and not owner.is_authenticated:
                return self._static(registration, owner)
            raise NoClient(registration)
        async with self._lock(registration.account, owner):
            grant = await self._grants.find(registration, owner)
            if grant is None or not grant.covers(requirement.scopes):
                return None
            if grant.is_over(self._clock()):
                grant = await self._refreshed(registration, owner, grant)
        return None if grant is None else Authorization(grant.access_token, dict(grant.user_info))

    async def consent(self, requirement: AuthRequirement, owner: Owner) -> BrowserConsent:
        """Return a pending consent of the user with these scopes, or begin a new one.

        Raises:
            NoClient: no OAuth client is configured for the service.
            ConfigurationError: the service is unknown.
            AuthorizationFailed: the redirect URI cannot be served.
        """
        registration = await self._client(requirement)
        async with self._lock(registration.account, owner):
            scopes = await self._scopes(registration, requirement, owner)
            if (consent := self._consents.find(registration.account, owner, scopes)) is not None:
                return consent
            consent = await self._consents.begin(registration, owner, scopes)
        consent.given.add_done_callback(partial(self._report_end, registration.account))
        return consent

    async def begin_device(self, requirement: AuthRequirement, owner: Owner) -> DeviceConsent:
        """Begin a device flow.

        Raises:
            NoClient: no OAuth client is configured for the service.
            ConfigurationError: the service is unknown.
            AuthorizationFailed: the service has no device flow, or cannot be reached.
        """
        registration = await self._client(requirement)
        scopes = await self._scopes(registration, requirement, owner)
        return await device.begin(registration, self._service(registration), scopes)

    async def finish_device(
        self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent, sleep: device.Sleep = asyncio.sleep
    ) -> Authorization:
        """Wait until the user has entered the code of a device flow, and return the authorization.

        Raises:
            AuthorizationFailed: they do not enter it in time, or decline.
        """
        registration = await self._client(requirement)
        scopes = await self._scopes(registration, requirement, owner)
        answer = await device.poll(registration, self._service(registration), consent, sleep)
        grant = await self._store(registration, owner, scopes, answer)
        return Authorization(grant.access_token, dict(grant.user_info))

    def follow_device(self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent) -> None:
        """Wait for the user of a device flow in the background, and record the outcome.

        An earlier flow of the same account is cancelled.
        """
        if (earlier := self._devices.get(requirement.account)) is not None:
            earlier.cancel()
        task = spawn(self._follow(requirement, owner, consent), f"auth: device for {requirement.account}")
        self._devices[requirement.account] = task

    async def account(self, requirement: AuthRequirement, owner: Owner) -> Account:
        """Return the status of an owner's account, without asking the user.

        Raises:
            ConfigurationError: the service is unknown.
        """
        registration = await self._registrations.find(requirement)
        if not registration.client_id:
            return Account(registration, "static token" if registration.token else "no client", {})
        grant = await self._grants.find(registration, owner)
        if grant is None:
            return Account(registration, "needs consent", {})
        is_lost = grant.is_over(self._clock()) and not grant.refresh_token
        usable = grant.covers(requirement.scopes) and not is_lost
        scopes = grant.granted or grant.requested
        state: State = "authorized" if usable else "needs consent"
        return Account(registration, state, grant.user_info, scopes, grant.expires_at, bool(grant.refresh_token))

    async def refused(self, requirement: AuthRequirement, owner: Owner, token: str, status: int) -> None:
        """Record that a service has rejected a token: 401 concerns the token, 403 its scopes.

        The rejected call is not repeated, since it may have had effects. The next call renews the token, or asks the
        user for all scopes that the service did not confirm.

        Args:
            requirement: of the tool.
            owner: the user.
            token: the rejected token; a newer one may already be stored.
            status: the HTTP status of the response.
        """
        registration = await self._registrations.find(requirement)
        async with self._lock(registration.account, owner):
            grant = await self._grants.find(registration, owner)
            if grant is None or grant.access_token != token or status not in (401, 403):
                return
            changed = replace(grant, is_refused=True) if status == 401 else replace(grant, requested=())
            await self._grants.store(registration, owner, changed)
        self._emit("authorization_refused", account=registration.account, status=status)

    async def forget(self, requirement: AuthRequirement, owner: Owner) -> bool:
        """Delete an owner's grant, and revoke its tokens.

        Returns:
            Whether the service has revoked the tokens; if it has no such endpoint, the user has to do it there.

        Raises:
            AuthorizationFailed: the service cannot be reached; the grant is deleted here nevertheless.
        """
        registration = await self._registrations.find(requirement)
        async with self._lock(registration.account, owner):
            grant = await self._grants.find(registration, owner)
            await self._grants.drop(registration, owner)
            self._emit("authorization_forgotten", account=registration.account)
            if grant is None:
                return False
            return await self._service(registration).revoke(grant.refresh_token or grant.access_token)

    async def close(self) -> None:
        """Cancel pending consents and device flows."""
        for task in self._devices.values():
            task.cancel()
        await asyncio.gather(*self._devices.values(), return_exceptions=True)
        await self._consents.close()
        await self._registrations.close()

    # Details.

    async def _client(self, requirement: AuthRequirement) -> Registration:
        registration = await self._registrations.find(requirement)
        if not registration.client_id:
            raise NoClient(registration)
        return registration

    async def _follow(self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent) -> None:
        try:
            await self.finish_device(requirement, owner, consent)
        except (AuthorizationFailed, ConfigurationError) as error:
            self._emit_failure(requirement.account, error)

    def _report_end(self, account: str, given: "asyncio.Future[AccountGrant]") -> None:
        if not given.cancelled() and (error := given.exception()) is not None:
            self._emit_failure(account, error)

    def _emit_failure(self, account: str, error: BaseException) -> None:
        self._emit("authorization_failed", account=account, reason=str(error))

    def _static(self, registration: Registration, owner: Owner) -> Authorization:
        self._grants.mask(registration, owner, AccountGrant("", registration.token))
        return Authorization(registration.token)

    async def _scopes(self, registration: Registration, requirement: AuthRequirement, owner: Owner) -> tuple[str, ...]:
        grant = await self._grants.find(registration, owner)
        earlier = () if grant is None else unite(grant.requested, grant.granted)
        return unite(earlier, requirement.scopes, registration.provider.refresh_scopes)

    async def _redeem(self, consent: BrowserConsent, code: str) -> AccountGrant:
        service = self._service(consent.registration)
        answer = await service.redeem(code, consent.verifier, consent.registration.redirect_uri)
        return await self._store(consent.registration, consent.owner, consent.scopes, answer)

    async def _store(
        self, registration: Registration, owner: Owner, scopes: tuple[str, ...], answer: Answer
    ) -> AccountGrant:
        grant = self._grant(registration, answer, scopes)
        self._grants.mask(registration, owner, grant)
        grant = replace(grant, user_info=await self._service(registration).user_info(grant.access_token))
        await self._grants.store(registration, owner, grant)
        self._emit("authorized", account=registration.account, scopes=list(grant.granted))
        return grant

    async def _refreshed(self, registration: Registration, owner: Owner, grant: AccountGrant) -> AccountGrant | None:
        """Renew an expired token; return None if the user has to be asked."""
        if not grant.refresh_token:
            return None
        try:
            answer = await self._service(registration).refresh(grant.refresh_token)
        except TokenRefused as error:
            if not is_grant_invalid(error):
                raise
            return await self._grant_of_other_process(registration, owner, grant)
        renewed = self._grant(registration, answer, grant.requested)
        renewed = replace(
            renewed,
            refresh_token=renewed.refresh_token or grant.refresh_token,
            granted=grant.granted if answer.scopes is None else renewed.granted,
            user_info=grant.user_info,
        )
        await self._grants.store(registration, owner, renewed)
        self._emit("authorization_renewed", account=registration.account)
        return renewed

    async def _grant_of_other_process(
        self, registration: Registration, owner: Owner, refused: AccountGrant
    ) -> AccountGrant | None:
        """Return the grant that another process got with the same refresh token, if there is one."""
        stored = await self._grants.find(registration, owner)
        if stored is not None and stored.refresh_token != refused.refresh_token and not stored.is_over(self._clock()):
            return stored
        await self._grants.store(registration, owner, replace(refused, refresh_token="", is_refused=True))
        return None

    def _grant(self, registration: Registration, answer: Answer, scopes: tuple[str, ...]) -> AccountGrant:
        return AccountGrant(
            client_id=registration.client_id,
            access_token=answer.access_token,
            refresh_token=answer.refresh_token,
            expires_at=0.0 if answer.lifetime is None else self._clock() + answer.lifetime,
            requested=scopes,
            granted=scopes if answer.scopes is None else answer.scopes,
        )

    def _service(self, registration: Registration) -> Service:
        return Service(registration, self._transport)

    def _lock(self, account: str, owner: Owner) -> asyncio.Lock:
        return self._locks.setdefault((account, owner), asyncio.Lock())
