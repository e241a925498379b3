"""The consents that people were asked for and have not given yet, and the browsers that come back with them.

Rule 1: each is known by its `state` alone, taken once, and only at its own account's address.
Rule 2: each holds for a bounded time, and so many at once; while there is none, nothing listens.
Rule 3: the page that a person comes back to says what became of it, once that is known.

Source: RFC 6749 section 4.1, RFC 8252, RFC 9700 section 4.4.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from server_core.auth.broker.grants import AccountGrant, Owner
from server_core.auth.broker.registrations import Registration
from server_core.auth.broker.service import authorization_url
from server_core.errors import ConfigurationError
from server_core.oauth.authorization_code import read_callback, read_code
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.loopback import Loopback, LoopbackRequest, Page
from server_core.oauth.urls import is_loopback
from server_core.runtime.background import spawn

CONSENT_SECONDS = 600.0
"""How long a person may take, from the call that asks."""
MAX_CONSENTS = 50


@dataclass(frozen=True, slots=True, eq=False)
class BrowserConsent:
    """One consent that a person was asked for.

    Attributes:
        registration: as whom it was asked, with the address to come back to.
        owner: whose account it is about.
        scopes: what was asked for.
        url: where the person agrees.
        state: what the answer must repeat.
        verifier: what proves that we asked.
        given: what the service gave, once it did.
    """

    registration: Registration
    owner: Owner
    scopes: tuple[str, ...]
    url: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)
    given: "asyncio.Future[AccountGrant]" = field(repr=False)

    async def wait(self, seconds: float) -> AccountGrant:
        """Wait until the person has agreed, at most so long.

        Raises:
            TimeoutError: when nobody did; the consent holds on.
            AuthorizationFailed: when the person, or the service, said no, or the time for it is up.
        """
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self.given)


Redeem = Callable[[BrowserConsent, str], Awaitable[AccountGrant]]
"""Turns the code that a person came back with into what the service gives for it, and keeps that."""


class Consents:
    """What people were asked for.

    Args:
        redeem: called with each code that comes back.
    """

    def __init__(self, redeem: Redeem) -> None:
        self._redeem = redeem
        self._open: dict[str, BrowserConsent] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._listeners: dict[int, Loopback] = {}
        self._lock = asyncio.Lock()

    def find(self, account: str, owner: Owner, scopes: tuple[str, ...]) -> BrowserConsent | None:
        """Return the consent that this owner was asked for already, if it is about all of these scopes."""
        wanted = set(scopes)
        return next(
            (
                consent
                for consent in self._open.values()
                if (consent.registration.account, consent.owner) == (account, owner) and wanted <= set(consent.scopes)
            ),
            None,
        )

    async def begin(self, registration: Registration, owner: Owner, scopes: tuple[str, ...]) -> BrowserConsent:
        """Ask for a consent: listen for the browser, and return where to send it.

        Raises:
            AuthorizationFailed: when the place to come back to is taken, or not on this machine.
        """
        registration = await self._with_listener(registration)
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        url = authorization_url(registration, state, verifier, scopes)
        given: asyncio.Future[AccountGrant] = asyncio.get_running_loop().create_future()
        # Whoever waits may be gone before it comes; then nobody has to hear of it.
        given.add_done_callback(lambda done: done.cancelled() or done.exception())
        consent = BrowserConsent(registration, owner, scopes, url, state, verifier, given)
        while len(self._open) >= MAX_CONSENTS:
            self._end(next(iter(self._open)), "Too many people were asked since.")
        self._open[state] = consent
        late = "Nobody came back from the browser in time. Call the tool again for a new link."
        self._timers[state] = asyncio.get_running_loop().call_later(CONSENT_SECONDS, self._end, state, late)
        return consent

    async def close(self) -> None:
        """Give up all that is open, and listen no more."""
        for state in list(self._open):
            self._end(state, "The server has ended.")
        async with self._lock:
            await self._close_unused()

    async def _with_listener(self, registration: Registration) -> Registration:
        """Listen where the registration's browsers come back to; return it with the address that it came to."""
        place = urlsplit(registration.redirect_uri)
        takes_any = registration.provider.any_port
        if (
            place.scheme != "http"
            or not is_loopback(registration.redirect_uri)
            or not (place.port or (takes_any and place.port == 0))
        ):
            raise AuthorizationFailed(
                f"{registration.redirect_uri!r} is no place on this machine to come back to; use"
                f" http://127.0.0.1:PORT/callback/{registration.account} as redirect_uri."
            )
        async with self._lock:
            port = await self._listen(place.port, takes_any)
        host = place.hostname or ""
        return replace(registration, redirect_uri=f"http://{host}:{port}{place.path}")

    async def _listen(self, port: int, any_port: bool) -> int:
        if port in self._listeners:
            return port
        if not port and self._listeners:
            return next(iter(self._listeners))
        loopback = Loopback(self._handle_callback)
        try:
            await loopback.start(port)
        except OSError as error:
            if not any_port:
                raise AuthorizationFailed(
                    f"Port {port} of this machine is taken, and people come back to it: end what listens there, or set"
                    " WORKBENCH_AUTH_PORT to another, and register that with the service."
                ) from error
            return await self._listen(0, any_port)
        self._listeners[loopback.port] = loopback
        return loopback.port

    async def _handle_callback(self, asked: LoopbackRequest) -> Page:
        if asked.method != "GET":
            return Page(405, "There is nothing here but a place to come back to.")
        parameters = read_callback(asked.target)
        consent = self._open.get(parameters.get("state", ""))
        if consent is None:
            return Page(400, "This answer belongs to no request that is open. Call the tool again for a new link.")
        if asked.path != urlsplit(consent.registration.redirect_uri).path:
            return Page(404, "There is nothing here.")
        self._remove(consent.state)
        name = consent.registration.provider.name
        try:
            grant = await self._redeem(consent, read_code(parameters, name))
        except TokenRefused as error:
            consent.given.set_exception(error)
            return Page(200, f"{error} Nothing was given to your tools.")
        except (AuthorizationFailed, ConfigurationError) as error:
            consent.given.set_exception(error)
            return Page(502, f"This did not work: {error}")
        except BaseException:
            consent.given.cancel()
            raise
        consent.given.set_result(grant)
        return Page(200, f"Your tools may now use your account with {name}. This page can be closed.")

    def _end(self, state: str, reason: str) -> None:
        consent = self._remove(state)
        consent.given.set_exception(AuthorizationFailed(reason))

    def _remove(self, state: str) -> BrowserConsent:
        """Take a consent out; with the last one, listen no more."""
        self._timers.pop(state).cancel()
        consent = self._open.pop(state)
        if not self._open:
            spawn(self._stop_listening(), "auth: listen no more")
        return consent

    async def _stop_listening(self) -> None:
        # Behind the answer to whom came back last.
        async with self._lock:
            if not self._open:
                await self._close_unused()

    async def _close_unused(self) -> None:
        listeners, self._listeners = list(self._listeners.values()), {}
        for consent in listeners:
            await consent.close()
