"""The consents that users were asked for and have not given yet, and the redirects of their browsers.

Rule 1: a consent is identified by its `state`, used once, and accepted only at the redirect URI of its account.
Rule 2: the time of each consent and the number of open consents are limited; without open consents, no port is open.
Rule 3: the page at the redirect URI shows the outcome, once it is known.

Source: RFC 6749 section 4.1, RFC 8252, RFC 9700 section 4.4.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from server_core.auth.broker.account_grants import AccountGrant, Owner
from server_core.auth.broker.registrations import Registration
from server_core.auth.broker.service import authorization_url
from server_core.errors import ConfigurationError
from server_core.oauth.authorization_code import new_secrets, read_code, redirect_parameters
from server_core.oauth.errors import AuthorizationFailed, TokenRefused
from server_core.oauth.loopback import LoopbackRequest, LoopbackResponse, LoopbackServer
from server_core.oauth.urls import is_loopback
from server_core.runtime.background import spawn

CONSENT_SECONDS = 600.0
"""How long a user has, from the call that asks."""
MAX_CONSENTS = 50


@dataclass(frozen=True, slots=True, eq=False)
class BrowserConsent:
    """A consent that a user was asked for."""

    registration: Registration  # With the redirect URI in use.
    owner: Owner
    scopes: tuple[str, ...]
    url: str  # The authorization URL for the user's browser.
    state: str = field(repr=False)  # The redirect must repeat it.
    verifier: str = field(repr=False)  # The PKCE code verifier.
    grant: "asyncio.Future[AccountGrant]" = field(repr=False)

    async def wait(self, seconds: float) -> AccountGrant:
        """Wait for the consent, which after a TimeoutError stays open; AuthorizationFailed if it was declined."""
        # Shielded: others may wait for the same consent.
        async with asyncio.timeout(seconds):
            return await asyncio.shield(self.grant)


Redeem = Callable[[BrowserConsent, str], Awaitable[AccountGrant]]
"""Redeems the code of a redirect for a grant, and stores it."""


class Consents:
    def __init__(self, redeem: Redeem) -> None:
        self._redeem = redeem
        self._open: dict[str, BrowserConsent] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._servers: dict[int, LoopbackServer] = {}
        """By port. Services with any port share a server; the others require the port that is registered there."""
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
        """Listen for the redirect and make the URL; AuthorizationFailed if the redirect URI or its port is unusable."""
        registration = await self._listen_for(registration)
        state, verifier = new_secrets()
        url = authorization_url(registration, state, verifier, scopes)
        grant: asyncio.Future[AccountGrant] = asyncio.get_running_loop().create_future()
        # The waiting caller may be gone when the result arrives; then its exception need not be retrieved.
        grant.add_done_callback(lambda done: done.cancelled() or done.exception())
        consent = BrowserConsent(registration, owner, scopes, url, state, verifier, grant)
        while len(self._open) >= MAX_CONSENTS:
            self._end(next(iter(self._open)), "The authorization was cancelled because too many others are pending.")
        self._open[state] = consent
        reason = "The authorization was not completed in the browser in time. Call the tool again for a new link."
        self._timers[state] = asyncio.get_running_loop().call_later(CONSENT_SECONDS, self._end, state, reason)
        return consent

    async def close(self) -> None:
        for state in list(self._open):
            self._end(state, "The server was stopped during the authorization.")
        async with self._lock:
            await self._close_servers()

    async def _listen_for(self, registration: Registration) -> Registration:
        """Listen at the registration's redirect URI; return the registration with the port in use."""
        uri, any_port = urlsplit(registration.redirect_uri), registration.provider.any_port
        if (
            uri.scheme != "http"
            or not is_loopback(registration.redirect_uri)
            or not (uri.port or (any_port and uri.port == 0))
        ):
            raise AuthorizationFailed(
                f"The redirect_uri {registration.redirect_uri!r} is not a loopback URI with a port; use"
                f" http://127.0.0.1:PORT/callback/{registration.account}."
            )
        async with self._lock:
            port = await self._listen(uri.port, any_port)
        return replace(registration, redirect_uri=f"http://{uri.hostname}:{port}{uri.path}")

    async def _listen(self, port: int, any_port: bool) -> int:
        if port in self._servers:
            return port
        if not port and self._servers:
            return next(iter(self._servers))
        server = LoopbackServer(self._handle_redirect)
        try:
            await server.start(port)
        except OSError as error:
            if not any_port:
                raise AuthorizationFailed(
                    f"Port {port} of the redirect URI is in use. Stop the process that uses it, or set"
                    " WORKBENCH_AUTH_PORT to another port and register that redirect URI with the service."
                ) from error
            return await self._listen(0, any_port)
        self._servers[server.port] = server
        return server.port

    async def _handle_redirect(self, request: LoopbackRequest) -> LoopbackResponse:
        if request.method != "GET":
            return LoopbackResponse(405, "Only GET is allowed for the redirect URI.")
        parameters = redirect_parameters(request.target)
        consent = self._open.get(parameters.get("state", ""))
        if consent is None:
            message = "This response matches no pending authorization. Call the tool again for a new link."
            return LoopbackResponse(400, message)
        if request.path != urlsplit(consent.registration.redirect_uri).path:
            return LoopbackResponse(404, "Wrong redirect URI: this path belongs to another account.")
        self._remove(consent.state)
        name = consent.registration.provider.name
        try:
            grant = await self._redeem(consent, read_code(parameters, name))
        except TokenRefused as error:
            consent.grant.set_exception(error)
            return LoopbackResponse(200, f"{error} No access was granted to your tools.")
        except (AuthorizationFailed, ConfigurationError) as error:
            consent.grant.set_exception(error)
            return LoopbackResponse(502, f"The authorization failed: {error}")
        except BaseException:
            consent.grant.cancel()  # Otherwise those who wait for it would wait until their timeout.
            raise
        consent.grant.set_result(grant)
        return LoopbackResponse(200, f"Your tools can now use your account with {name}. You can close this page.")

    def _end(self, state: str, reason: str) -> None:
        consent = self._remove(state)
        consent.grant.set_exception(AuthorizationFailed(reason))

    def _remove(self, state: str) -> BrowserConsent:
        """Remove a consent; after the last, stop listening."""
        self._timers.pop(state).cancel()
        consent = self._open.pop(state)
        if not self._open:
            spawn(self._stop_listening(), "auth: stop listening")
        return consent

    async def _stop_listening(self) -> None:
        # A consent that begins meanwhile may need the servers; the lock decides which of the two is first.
        async with self._lock:
            if not self._open:
                await self._close_servers()

    async def _close_servers(self) -> None:
        servers, self._servers = list(self._servers.values()), {}
        for server in servers:
            await server.close()
