"""The consents that users were asked for and have not given yet, and the callbacks of their browsers.

Rule 1: a consent is identified by its `state`, used once, and accepted only at the redirect URI of its account.
Rule 2: the time of each consent and the number of open consents are limited; without open consents, no port is open.
Rule 3: the page that a callback returns shows the outcome, once it is known.

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
"""How long a user has, from the call that asks."""
MAX_CONSENTS = 50


@dataclass(frozen=True, slots=True, eq=False)
class BrowserConsent:
    """A consent that a user was asked for.

    Attributes:
        registration: the OAuth client, with the redirect URI in use.
        owner: the user whose account it is.
        scopes: the requested scopes.
        url: the authorization URL for the user's browser.
        state: the `state` that the callback must repeat.
        verifier: the PKCE code verifier.
        given: the grant, once the service has issued it.
    """

    registration: Registration
    owner: Owner
    scopes: tuple[str, ...]
    url: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)
    given: "asyncio.Future[AccountGrant]" = field(repr=False)

    async def wait(self, seconds: float) -> AccountGrant:
        """Wait until the user has consented, for at most this long.

        Raises:
            TimeoutError: no decision was made in time; the consent remains open.
            AuthorizationFailed: the user or the service declined, or the consent has expired.
        """
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self.given)


Redeem = Callable[[BrowserConsent, str], Awaitable[AccountGrant]]
"""Redeems the code of a callback for a grant, and stores it."""


class Consents:
    """The open consents.

    Args:
        redeem: called with each code that a callback brings.
    """

    def __init__(self, redeem: Redeem) -> None:
        self._redeem = redeem
        self._open: dict[str, BrowserConsent] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._listeners: dict[int, Loopback] = {}
        self._lock = asyncio.Lock()

    def find(self, account: str, owner: Owner, scopes: tuple[str, ...]) -> BrowserConsent | None:
        """Return an open consent of this owner that covers all of these scopes, or None."""
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
        """Ask for a consent: listen for the callback, and return the authorization URL with its state.

        Raises:
            AuthorizationFailed: the redirect URI is not on this machine, or its port is in use.
        """
        registration = await self._with_listener(registration)
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        url = authorization_url(registration, state, verifier, scopes)
        given: asyncio.Future[AccountGrant] = asyncio.get_running_loop().create_future()
        # The waiting caller may be gone when the result arrives; then its exception need not be retrieved.
        given.add_done_callback(lambda done: done.cancelled() or done.exception())
        consent = BrowserConsent(registration, owner, scopes, url, state, verifier, given)
        while len(self._open) >= MAX_CONSENTS:
            self._end(next(iter(self._open)), "The authorization was cancelled because too many others are pending.")
        self._open[state] = consent
        late = "The authorization was not completed in the browser in time. Call the tool again for a new link."
        self._timers[state] = asyncio.get_running_loop().call_later(CONSENT_SECONDS, self._end, state, late)
        return consent

    async def close(self) -> None:
        """End all open consents, and stop listening."""
        for state in list(self._open):
            self._end(state, "The server was stopped during the authorization.")
        async with self._lock:
            await self._close_unused()

    async def _with_listener(self, registration: Registration) -> Registration:
        """Listen at the registration's redirect URI; return the registration with the port in use."""
        place = urlsplit(registration.redirect_uri)
        takes_any = registration.provider.any_port
        if (
            place.scheme != "http"
            or not is_loopback(registration.redirect_uri)
            or not (place.port or (takes_any and place.port == 0))
        ):
            raise AuthorizationFailed(
                f"The redirect_uri {registration.redirect_uri!r} is not a loopback URI with a port; use"
                f" http://127.0.0.1:PORT/callback/{registration.account}."
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
                    f"Port {port} of the redirect URI is in use. Stop the process that uses it, or set"
                    " WORKBENCH_AUTH_PORT to another port and register that redirect URI with the service."
                ) from error
            return await self._listen(0, any_port)
        self._listeners[loopback.port] = loopback
        return loopback.port

    async def _handle_callback(self, asked: LoopbackRequest) -> Page:
        if asked.method != "GET":
            return Page(405, "Only GET is allowed for the redirect URI.")
        parameters = read_callback(asked.target)
        consent = self._open.get(parameters.get("state", ""))
        if consent is None:
            return Page(400, "This response matches no pending authorization. Call the tool again for a new link.")
        if asked.path != urlsplit(consent.registration.redirect_uri).path:
            return Page(404, "Wrong redirect URI: this path belongs to another account.")
        self._remove(consent.state)
        name = consent.registration.provider.name
        try:
            grant = await self._redeem(consent, read_code(parameters, name))
        except TokenRefused as error:
            consent.given.set_exception(error)
            return Page(200, f"{error} No access was granted to your tools.")
        except (AuthorizationFailed, ConfigurationError) as error:
            consent.given.set_exception(error)
            return Page(502, f"The authorization failed: {error}")
        except BaseException:
            consent.given.cancel()
            raise
        consent.given.set_result(grant)
        return Page(200, f"Your tools can now use your account with {name}. You can close this page.")

    def _end(self, state: str, reason: str) -> None:
        consent = self._remove(state)
        consent.given.set_exception(AuthorizationFailed(reason))

    def _remove(self, state: str) -> BrowserConsent:
        """Remove a consent; after the last, stop listening."""
        self._timers.pop(state).cancel()
        consent = self._open.pop(state)
        if not self._open:
            spawn(self._stop_listening(), "auth: stop listening")
        return consent

    async def _stop_listening(self) -> None:
        # The lock makes this wait until the last callback is answered.
        async with self._lock:
            if not self._open:
                await self._close_unused()

    async def _close_unused(self) -> None:
        listeners, self._listeners = list(self._listeners.values()), {}
        for consent in listeners:
            await consent.close()
