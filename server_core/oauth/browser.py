"""A person's browser: sent to the authorization server, and awaited on the loopback interface of this machine.

Rule 1: it listens for as long as one visit takes, and takes no answer but the one that repeats the request's `state`.
Rule 2: nothing opens by itself; the person is told the address, and asked.

Source: RFC 8252 sections 7.3 and 8.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

from server_core.background import spawn
from server_core.oauth.addresses import is_loopback, origin
from server_core.oauth.authorization_code import read_callback
from server_core.oauth.consent import Visit
from server_core.oauth.errors import AuthorizationFailed

VISIT_SECONDS = 300.0
REQUEST_SECONDS = 10.0
LONGEST_REQUEST = 16 * 1024

Agrees = Callable[[str], Awaitable[bool]]
"""Asks the person whether an address may be opened in the browser."""


class Browser:
    """Sends a person's browser, and waits for it on this machine.

    Args:
        tell: says to the person where to go.
        agrees: asks whether the browser may be opened; without it, it never is.
        redirect_uri: where to come back to, for a client that was registered with it; a free port when not given.
    """

    def __init__(self, tell: Callable[[str], None], agrees: Agrees | None = None, redirect_uri: str = "") -> None:
        self._tell = tell
        self._agrees = agrees
        self._redirect_uri = redirect_uri

    @asynccontextmanager
    async def visit(self, known: str = "") -> AsyncIterator[Visit]:
        """Listen for a person to come back.

        Raises:
            AuthorizationFailed: when the place to come back to is taken, or not on this machine.
        """
        listener = _Listener(self._tell, self._agrees)
        await listener.start(self._redirect_uri, known)
        try:
            yield listener
        finally:
            await listener.close()


class _Listener:
    """A server for one request: the browser that comes back."""

    def __init__(self, tell: Callable[[str], None], agrees: Agrees | None) -> None:
        self.redirect_uri = ""
        self._tell = tell
        self._agrees = agrees
        self._state = ""
        self._back: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self, fixed: str, known: str) -> None:
        wanted = urlsplit(fixed or known)
        if fixed and (wanted.scheme != "http" or not is_loopback(fixed) or not wanted.port):
            raise AuthorizationFailed(
                f"{fixed!r} is no place on this machine to come back to; use http://127.0.0.1:PORT/callback."
            )
        try:
            self._server = await self._listen(wanted.port or 0)
        except OSError as error:
            if fixed:
                raise AuthorizationFailed(f"Port {wanted.port} of {fixed} is taken; free it.") from error
            self._server = await self._listen(0)
        port = self._server.sockets[0].getsockname()[1]
        self.redirect_uri = fixed or f"http://127.0.0.1:{port}/callback"

    async def _listen(self, port: int) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", port, limit=LONGEST_REQUEST)

    async def authorize(self, url: str) -> Mapping[str, str]:
        self._state = dict(parse_qsl(urlsplit(url).query)).get("state", "")
        self._tell(f"{origin(url)} wants you to authorize this. Open this address in a browser:\n{url}")
        # Beside the wait: the person may open it by hand, and leave the question unanswered.
        offer = spawn(self._offer(url), "oauth: browser")
        try:
            async with asyncio.timeout(VISIT_SECONDS):
                return await self._back
        except TimeoutError as error:
            raise AuthorizationFailed(
                f"Nobody came back from the browser within {VISIT_SECONDS / 60:.0f} minutes."
            ) from error
        finally:
            offer.cancel()
            await asyncio.wait({offer})

    async def _offer(self, url: str) -> None:
        if self._agrees is not None and _has_browser() and await self._agrees(url):
            await _open(url)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            for writer in self._writers:
                writer.close()  # Browsers open connections in advance, and say nothing on them.
            await self._server.wait_closed()
        self._back.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            writer.write(self._page(head))
            await writer.drain()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # Not a browser, or one that changed its mind: the visit goes on.
        finally:
            self._writers.discard(writer)
            writer.close()

    def _page(self, head: bytes) -> bytes:
        try:
            return self._answer(head)
        except AuthorizationFailed as error:
            return _page(400, str(error))

    def _answer(self, head: bytes) -> bytes:
        lines = head.decode("latin-1").split("\r\n")
        method, _, rest = lines[0].partition(" ")
        target = rest.partition(" ")[0]
        hosts = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")]
        # A page elsewhere may send a browser here under a name of its own: RFC 8252 section 8.9, DNS rebinding.
        if len(hosts) != 1 or not is_loopback(f"http://{hosts[0]}/"):
            return _page(403, "This is not the place.")
        if method != "GET" or target.partition("?")[0] != urlsplit(self.redirect_uri).path:
            return _page(404, "There is nothing here.")
        parameters = read_callback(target)
        if not self._state or parameters.get("state") != self._state:
            return _page(400, "This answer belongs to another request.")
        if not self._back.done():
            self._back.set_result(parameters)
        return _page(200, "Back in the terminal it goes on. This page can be closed.")


def _page(status: int, text: str) -> bytes:
    """A page of plain text, so that nothing on it can run."""
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status} {'OK' if status == 200 else 'Refused'}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    return head.encode("ascii") + body


def _has_browser() -> bool:
    # A browser in the terminal would take the terminal away from us.
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
    # In a process of its own: what a browser prints must reach neither our data nor our narration.
    nowhere = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "webbrowser", url, stdin=nowhere, stdout=nowhere, stderr=nowhere
    )
    await process.wait()
