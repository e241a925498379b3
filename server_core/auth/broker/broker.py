"""The broker: from what a tool requires of a person's account to a token for it, now or once the person agrees.

Rule 1: of an owner's account, one thing at a time: who waited for a refresh uses what it gave.
Rule 2: what is asked for grows: a person who is asked again is asked for what was given before as well.
Rule 3: a token that a service has refused is given to no call any more; the next one renews it, or asks the person.
Rule 4: a static token is for the one user of this machine, never for somebody who has proved to be somebody.
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
    """Nobody has said as whom to ask a service.

    Args:
        registration: what is known.
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
    """How an owner's account with a service stands; holds nothing secret.

    Attributes:
        registration: as whom it is asked.
        state: whether tools can use it.
        user_info: what the service says about the person.
        scopes: what was given.
        expires_at: when the access token ends, in seconds since the epoch; 0: nobody said.
        can_refresh: whether it is renewed then by itself.
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
        registrations: as whom to ask.
        grants: where what is given is kept.
        tell: records what happens: the name of an event, and its facts.
        transport: carries the requests to the services; the network when not given.
        clock: seconds since the epoch.
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
        """Return an owner's authorization; None when the person has to be asked first.

        Args:
            requirement: of a tool.
            owner: whose account.

        Raises:
            NoClient: when nobody has said as whom to ask.
            ConfigurationError: when the service is not known.
            AuthorizationFailed: when the service cannot be reached.
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
        """Return where the person can agree: what they were asked already, or a new question.

        Raises:
            NoClient: when nobody has said as whom to ask.
            ConfigurationError: when the service is not known.
            AuthorizationFailed: when nobody could come back.
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
            NoClient: when nobody has said as whom to ask.
            ConfigurationError: when the service is not known.
            AuthorizationFailed: when the service has no device flow, or cannot be asked.
        """
        registration = await self._client(requirement)
        scopes = await self._scopes(registration, requirement, owner)
        return await device.begin(registration, self._service(registration), scopes)

    async def finish_device(
        self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent, sleep: device.Sleep = asyncio.sleep
    ) -> Authorization:
        """Wait until the person has typed in the code of a device flow, and return what that gave.

        Raises:
            AuthorizationFailed: when they do not, or say no.
        """
        registration = await self._client(requirement)
        scopes = await self._scopes(registration, requirement, owner)
        answer = await device.poll(registration, self._service(registration), consent, sleep)
        grant = await self._store(registration, owner, scopes, answer)
        return Authorization(grant.access_token, dict(grant.user_info))

    def follow_device(self, requirement: AuthRequirement, owner: Owner, consent: DeviceConsent) -> None:
        """Wait in the background for the person of a device flow, and tell what comes of it.

        Who was waited for with this account before is let go.
        """
        if (earlier := self._devices.get(requirement.account)) is not None:
            earlier.cancel()
        task = spawn(self._follow(requirement, owner, consent), f"auth: device for {requirement.account}")
        self._devices[requirement.account] = task

    async def account(self, requirement: AuthRequirement, owner: Owner) -> Account:
        """Return how an owner's account stands; nobody is asked.

        Raises:
            ConfigurationError: when the service is not known.
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
        """Take note that a service has refused what it gave: 401 is about the token, 403 about its scopes.

        The call that was refused has done what it has done, so it is not tried again; the next one renews the token,
        or asks the person, for all scopes that the service did not say it gave.

        Args:
            requirement: of the tool.
            owner: whose account.
            token: what was refused; another may be in force by now.
            status: the HTTP status of the refusal.
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
        """Forget an owner's account, and give its tokens back.

        Returns:
            Whether the service has taken them back; where it has no way to, the person has to look there.

        Raises:
            AuthorizationFailed: when the service cannot be asked; what is kept here is gone all the same.
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
        """Give up what is open."""
        for task in self._devices.values():
            task.cancel()
        await asyncio.gather(*self._devices.values(), return_exceptions=True)
        await self._consents.close()
        await self._registrations.close()

    # How.

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
        """Renew what has ended; None when the person has to be asked."""
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
        """Use what another process got with the same refresh token, if it did."""
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
