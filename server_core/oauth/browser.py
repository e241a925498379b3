"""Consent in the user's browser, with a redirect to the loopback interface of this machine.

Rule 1: the server listens during an authorization only, and accepts only a redirect that repeats the request's `state`.
Rule 2: the browser never opens by itself; the user is shown the URL, and asked.

Source: RFC 8252 sections 7.3 and 8.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

from server_core.oauth.authorization_code import redirect_parameters
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.grants import RedirectListener
from server_core.oauth.loopback import HOST, LoopbackRequest, LoopbackResponse, LoopbackServer
from server_core.oauth.urls import is_loopback, origin
from server_core.runtime.background import spawn

AUTHORIZATION_SECONDS = 300.0

ConfirmBrowser = Callable[[str], Awaitable[bool]]
"""Asks the user whether a URL may be opened in the browser."""


class Browser:
    """Sends the user's browser to the authorization server, and waits for the redirect; a `UserConsent`.

    Without `confirm`, which asks the user, the browser is never opened; by default the redirect has a free port.
    """

    def __init__(
        self, notify: Callable[[str], None], confirm: ConfirmBrowser | None = None, redirect_uri: str = ""
    ) -> None:
        self._notify = notify
        self._confirm = confirm
        self._redirect_uri = redirect_uri

    @asynccontextmanager
    async def listen(self, earlier_redirect_uri: str = "") -> AsyncIterator[RedirectListener]:
        listener = _LoopbackListener(self._notify, self._confirm)
        await listener.start(self._redirect_uri, earlier_redirect_uri)
        try:
            yield listener
        finally:
            await listener.close()


class _LoopbackListener:
    """Waits for a single redirect of the browser; a `RedirectListener`."""

    def __init__(self, notify: Callable[[str], None], confirm: ConfirmBrowser | None) -> None:
        self.redirect_uri = ""
        self._notify = notify
        self._confirm = confirm
        self._state = ""
        self._redirect: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()
        self._server = LoopbackServer(self._answer)

    async def start(self, configured_uri: str, earlier_uri: str) -> None:
        endpoint = urlsplit(configured_uri or earlier_uri)
        if configured_uri and (endpoint.scheme != "http" or not is_loopback(configured_uri) or not endpoint.port):
            raise AuthorizationFailed(
                f"The redirect URI {configured_uri!r} is not a loopback URI with a port;"
                " use http://127.0.0.1:PORT/callback."
            )
        try:
            await self._server.start(endpoint.port or 0)
        except OSError as error:
            if configured_uri:
                message = f"Port {endpoint.port} of the redirect URI {configured_uri} is in use; free it."
                raise AuthorizationFailed(message) from error
            await self._server.start()
        self.redirect_uri = configured_uri or f"http://{HOST}:{self._server.port}/callback"

    async def authorize(self, url: str) -> Mapping[str, str]:
        self._state = dict(parse_qsl(urlsplit(url).query)).get("state", "")
        self._notify(f"{origin(url)} asks for your authorization. Open this URL in a browser:\n{url}")
        try:
            async with browser_offer(url, self._confirm), asyncio.timeout(AUTHORIZATION_SECONDS):
                return await self._redirect
        except TimeoutError as error:
            raise AuthorizationFailed(
                f"The authorization was not completed in the browser within {AUTHORIZATION_SECONDS / 60:.0f} minutes."
            ) from error

    async def close(self) -> None:
        await self._server.close()
        self._redirect.cancel()

    async def _answer(self, request: LoopbackRequest) -> LoopbackResponse:
        if request.method != "GET" or request.path != urlsplit(self.redirect_uri).path:
            return LoopbackResponse(404, "Wrong redirect URI: this path is not used here.")
        parameters = redirect_parameters(request.target)
        if not self._state or parameters.get("state") != self._state:
            return LoopbackResponse(400, "This response belongs to another authorization request.")
        if not self._redirect.done():
            self._redirect.set_result(parameters)
        return LoopbackResponse(200, "Authorization is complete. You can close this page and return to the terminal.")


@asynccontextmanager
async def browser_offer(url: str, confirm: ConfirmBrowser | None) -> AsyncIterator[None]:
    """Offer to open the browser for as long as the context lasts; None: the browser is not opened."""
    # In the background: the user may open the URL by hand instead, and leave the prompt unanswered.
    offer = spawn(_offer_browser(url, confirm), "oauth: browser")
    try:
        yield
    finally:
        offer.cancel()
        await asyncio.wait({offer})


async def _offer_browser(url: str, confirm: ConfirmBrowser | None) -> None:
    if confirm is not None and _has_browser() and await confirm(url):
        await _open(url)


def _has_browser() -> bool:
    if sys.platform == "darwin":
        return True
    # Without a display only a text browser could be opened, and it would take over the terminal.
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    import webbrowser

    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


async def _open(url: str) -> None:
    # In a separate process: output of the browser must reach neither stdout nor stderr. With -P, a `webbrowser.py` in
    # the current folder is not run in place of the standard library's.
    devnull = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "webbrowser", url, stdin=devnull, stdout=devnull, stderr=devnull
    )
    await process.wait()
