"""Redirects of the user's browser to this machine."""

import asyncio
import socket
from urllib.parse import quote, urlsplit

import pytest

from server_core.oauth import browser
from server_core.oauth.browser import Browser
from server_core.oauth.errors import AuthorizationFailed
from server_core.oauth.grants import RedirectListener
from server_core.runtime.background import spawn
from tests.server_core.oauth.redirects import Redirects
from tests.server_core.oauth.world import CALLBACK, ISSUER, Reply, World
from tests.waiting import until, within

ASKED = "https://as.test/authorize?client_id=me&state=the+state"


async def request_callback(listener: RedirectListener, target: str, host: str = "") -> str:
    """Request a URL of the listener as a browser does, and return its response."""
    place = urlsplit(listener.redirect_uri)
    reader, writer = await asyncio.open_connection("127.0.0.1", place.port)
    writer.write(f"GET {target} HTTP/1.1\r\nHost: {host or place.netloc}\r\nAccept: */*\r\n\r\n".encode())
    answer = await within(reader.read())
    writer.close()
    await writer.wait_closed()
    return answer.decode()


async def test_a_user_is_shown_the_url_and_awaited() -> None:
    messages: list[str] = []
    async with Browser(messages.append).listen() as listener:
        waiting = spawn(listener.authorize(ASKED), "authorize")
        await until(lambda: messages)
        answer = await request_callback(listener, f"/callback?code=c&state=the%20state&iss={quote(ISSUER)}")
        assert await within(waiting) == {"code": "c", "state": "the state", "iss": ISSUER}
    assert ASKED in messages[0]
    assert "https://as.test asks for your authorization" in messages[0]
    assert answer.startswith("HTTP/1.1 200 ")
    assert "no-store" in answer
    assert listener.redirect_uri.startswith("http://127.0.0.1:")


async def test_other_requests_are_refused_and_the_listener_keeps_waiting() -> None:
    for target, host, status in (
        ("/callback?code=c&state=other", "", 400),
        ("/callback?code=c", "", 400),
        ("/callback?code=c&code=d&state=the+state", "", 400),
        ("/favicon.ico", "", 404),
        ("/callback/?code=c&state=the+state", "", 404),
        ("/callback?code=c&state=the+state", "evil.test", 403),
        ("/callback?code=c&state=the+state", "a b", 400),
        ("//[::1?state=the+state", "", 404),
    ):
        messages: list[str] = []
        async with Browser(messages.append).listen() as listener:
            waiting = spawn(listener.authorize(ASKED), "authorize")
            await until(lambda messages=messages: messages)
            assert (await request_callback(listener, target, host)).startswith(f"HTTP/1.1 {status} ")
            assert not waiting.done()
            await request_callback(listener, "/callback?code=c&state=the+state")
            assert (await within(waiting))["code"] == "c"


@pytest.mark.parametrize("noise", [b"", b"x" * 100_000, b"\x16\x03\x01\r\n\r\n", b"GET", b"\r\n\r\n"])
async def test_noise_does_no_harm(noise: bytes) -> None:
    async with Browser(lambda _: None).listen() as listener:
        waiting = spawn(listener.authorize(ASKED), "authorize")
        _, writer = await asyncio.open_connection("127.0.0.1", urlsplit(listener.redirect_uri).port)
        writer.write(noise)
        writer.write_eof()
        await request_callback(listener, "/callback?code=c&state=the+state")
        assert (await within(waiting))["code"] == "c"
        writer.close()


async def test_an_idle_connection_does_not_delay_closing() -> None:
    async with asyncio.timeout(5), Browser(lambda _: None).listen() as listener:
        _, writer = await asyncio.open_connection("127.0.0.1", urlsplit(listener.redirect_uri).port)
        await request_callback(listener, "/x")
    writer.close()


async def test_the_port_is_closed_after_the_visit() -> None:
    async with Browser(lambda _: None).listen() as listener:
        port = urlsplit(listener.redirect_uri).port
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_known_redirect_uri_is_used_again() -> None:
    async with Browser(lambda _: None).listen() as listener:
        known = listener.redirect_uri
    async with Browser(lambda _: None).listen(known) as again:
        assert again.redirect_uri == known
        # While that port is in use, another is chosen.
        async with Browser(lambda _: None).listen(known) as third:
            assert third.redirect_uri != known


async def test_a_registered_redirect_uri_is_used_or_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        place = f"http://localhost:{listener.getsockname()[1]}/back"
        with pytest.raises(AuthorizationFailed, match="is in use"):
            async with Browser(lambda _: None, redirect_uri=place).listen():
                pass
    async with Browser(lambda _: None, redirect_uri=place).listen() as listener:
        assert listener.redirect_uri == place
        waiting = spawn(listener.authorize(ASKED), "authorize")
        await request_callback(listener, "/back?code=c&state=the+state")
        assert (await within(waiting))["code"] == "c"


@pytest.mark.parametrize("place", ["https://localhost:1/x", "http://example.test:1/x", "http://localhost/x"])
async def test_a_redirect_uri_elsewhere_is_refused(place: str) -> None:
    with pytest.raises(AuthorizationFailed, match="is not a loopback URI"):
        async with Browser(lambda _: None, redirect_uri=place).listen():
            pass


async def test_waiting_for_the_user_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "AUTHORIZATION_SECONDS", 0.01)
    async with Browser(lambda _: None).listen() as listener:
        with pytest.raises(AuthorizationFailed, match="not completed in the browser"):
            await within(listener.authorize(ASKED))


@pytest.mark.parametrize("confirm", [True, False])
async def test_the_browser_opens_only_when_the_user_agrees(monkeypatch: pytest.MonkeyPatch, confirm: bool) -> None:
    opened: list[str] = []
    asked = asyncio.Event()

    async def ask(url: str) -> bool:
        asked.set()
        return confirm

    async def note(url: str) -> None:
        opened.append(url)

    monkeypatch.setattr(browser, "_has_browser", lambda: True)
    monkeypatch.setattr(browser, "_open", note)
    async with Browser(lambda _: None, ask).listen() as listener:
        waiting = spawn(listener.authorize(ASKED), "authorize")
        await within(asked.wait())
        await request_callback(listener, "/callback?code=c&state=the+state")
        await within(waiting)
    assert opened == ([ASKED] if confirm else [])


async def test_a_user_may_return_without_answering_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asyncio.Event()

    async def ask(url: str) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr(browser, "_has_browser", lambda: True)
    async with Browser(lambda _: None, ask).listen() as listener:
        waiting = spawn(listener.authorize(ASKED), "authorize")
        await within(asked.wait())
        await request_callback(listener, "/callback?code=c&state=the+state")
        assert (await within(waiting))["code"] == "c"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"<form>"),
        Reply(302, headers={"location": "https://evil.test/callback?code=c"}),
        Reply(302, headers={"location": f"{CALLBACK}.evil.test/?code=c"}),
        Reply(302, headers={"location": f"{ISSUER}/authorize"}),
        Reply(302),
    ],
)
async def test_redirects_that_do_not_lead_to_the_callback_fail(reply: Reply) -> None:
    world = World()
    world.handlers[f"{ISSUER}/authorize"] = reply
    async with Redirects(CALLBACK, world.transport()).listen() as listener:
        with pytest.raises(AuthorizationFailed, match="requires user interaction"):
            await within(listener.authorize(f"{ISSUER}/authorize"))
    assert len(world.requests) <= 10
