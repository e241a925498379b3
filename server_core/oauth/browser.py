"""Consent in the user's browser, with a redirect to the loopback interface of this machine.

Rule 1: the listener is open during a visit only, and accepts only a redirect that repeats the request's `state`.
Rule 2: the browser never opens by itself; the user is shown the URL, and asked.

Source: RFC 8252 sections 7.3 and 8.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

from server_core.oauth.authorization_code import read_callback
from server_core.oauth.consent import Visit
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.loopback import HOST, Loopback, LoopbackRequest, Page
from server_core.oauth.urls import is_loopback, origin
from server_core.runtime.background import spawn

VISIT_SECONDS = 300.0

Agrees = Callable[[str], Awaitable[bool]]
"""Asks the user whether a URL may be opened in the browser."""


class Browser:
    """Sends the user's browser to the authorization server, and waits for the redirect.

    Args:
        notify: shows the user a message with the URL.
        agrees: asks whether the browser may be opened; without it, it is never opened.
        redirect_uri: the redirect URI that the client is registered with; a free port when not given.
    """

    def __init__(self, notify: Callable[[str], None], agrees: Agrees | None = None, redirect_uri: str = "") -> None:
        self._notify = notify
        self._agrees = agrees
        self._redirect_uri = redirect_uri

    @asynccontextmanager
    async def visit(self, known_redirect: str = "") -> AsyncIterator[Visit]:
        """Listen for the redirect.

        Raises:
            AuthorizationFailed: when the port of the redirect URI is in use, or the URI is not on this machine.
        """
        listener = _Listener(self._notify, self._agrees)
        await listener.start(self._redirect_uri, known_redirect)
        try:
            yield listener
        finally:
            await listener.close()


class _Listener:
    """Waits for a single redirect of the browser."""

    def __init__(self, notify: Callable[[str], None], agrees: Agrees | None) -> None:
        self.redirect_uri = ""
        self._notify = notify
        self._agrees = agrees
        self._state = ""
        self._back: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()
        self._loopback = Loopback(self._answer)

    async def start(self, fixed: str, known_redirect: str) -> None:
        endpoint = urlsplit(fixed or known_redirect)
        if fixed and (endpoint.scheme != "http" or not is_loopback(fixed) or not endpoint.port):
            raise AuthorizationFailed(
                f"The redirect URI {fixed!r} is not a loopback URI with a port; use http://127.0.0.1:PORT/callback."
            )
        try:
            await self._loopback.start(endpoint.port or 0)
        except OSError as error:
            if fixed:
                message = f"Port {endpoint.port} of the redirect URI {fixed} is in use; free it."
                raise AuthorizationFailed(message) from error
            await self._loopback.start()
        self.redirect_uri = fixed or f"http://{HOST}:{self._loopback.port}/callback"

    async def authorize(self, url: str) -> Mapping[str, str]:
        self._state = dict(parse_qsl(urlsplit(url).query)).get("state", "")
        self._notify(f"{origin(url)} asks for your authorization. Open this URL in a browser:\n{url}")
        try:
            async with offered(url, self._agrees), asyncio.timeout(VISIT_SECONDS):
                return await self._back
        except TimeoutError as error:
            raise AuthorizationFailed(
                f"The authorization was not completed in the browser within {VISIT_SECONDS / 60:.0f} minutes."
            ) from error

    async def close(self) -> None:
        await self._loopback.close()
        self._back.cancel()

    async def _answer(self, request: LoopbackRequest) -> Page:
        if request.method != "GET" or request.path != urlsplit(self.redirect_uri).path:
            return Page(404, "Wrong redirect URI: this path is not used here.")
        parameters = read_callback(request.target)
        if not self._state or parameters.get("state") != self._state:
            return Page(400, "This response belongs to another authorization request.")
        if not self._back.done():
            self._back.set_result(parameters)
        return Page(200, "Authorization is complete. You can close this page and return to the terminal.")


@asynccontextmanager
async def offered(url: str, agrees: Agrees | None) -> AsyncIterator[None]:
    """Offer to open the browser for as long as the context lasts.

    The user may open the URL by hand instead, and leave the prompt unanswered.

    Args:
        url: the URL to open.
        agrees: asks the user; None: the browser is not opened.
    """
    offer = spawn(_offer(url, agrees), "oauth: browser")
    try:
        yield
    finally:
        offer.cancel()
        await asyncio.wait({offer})


async def _offer(url: str, agrees: Agrees | None) -> None:
    if agrees is not None and _has_browser() and await agrees(url):
        await _open(url)


def _has_browser() -> bool:
    # A text browser would take over the terminal.
    if sys.platform == "darwin":
        return True
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    import webbrowser

    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


async def _open(url: str) -> None:
    # In a separate process: output of the browser must reach neither stdout nor stderr.
    nowhere = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "webbrowser", url, stdin=nowhere, stdout=nowhere, stderr=nowhere
    )
    await process.wait()
