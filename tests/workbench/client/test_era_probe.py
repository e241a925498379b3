"""Which era a server speaks is found out by asking; and what was found out is remembered."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConnectionFailed, RemoteError
from server_core.transports.channel import Channel
from server_core.transports.child import ChildChannel
from server_core.transports.http_client.http_requests import HttpRefused
from tests.waiting import within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.client.test_stateless import DISCOVERED
from workbench.client import session_opening
from workbench.client.session import ClientSession
from workbench.client.session_opening import Era, open_session
from workbench.client.target import Route, Target
from workbench.model.traffic.vocabulary import PROBE

COMMAND = Target(command=("server",))


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_opening, "_known_revisions", {})


class Refusing(ScriptedServer):
    """A server whose transport refuses `server/discover`."""

    def __init__(self, error: ConnectionFailed) -> None:
        super().__init__()
        self._error = error

    async def send(self, message: bytes) -> None:
        await super().send(message)
        if self.received[-1].get("method") == "server/discover":
            raise self._error


def failing(code: int, **data: Any) -> ScriptedServer:
    """A server that answers `server/discover` with an error."""
    return ScriptedServer(**{"server/discover": {"error": {"code": code, "message": "no", "data": data or None}}})


def route(*servers: Channel, target: Target = COMMAND) -> Route:
    waiting = list(servers)

    async def connect() -> Channel:
        return waiting.pop(0)

    return Route(target, connect)


@asynccontextmanager
async def opened(*servers: Channel, **options: Any) -> AsyncIterator[ClientSession]:
    session = await within(open_session(route(*servers), **options))
    try:
        yield session
    finally:
        await within(session.close())


def methods(server: ScriptedServer) -> list[str]:
    return [message.get("method", "") for message in server.received]


async def test_a_server_that_discovers_is_spoken_to_without_a_handshake() -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED})
    async with opened(server) as session:
        assert session.revision.date == "2026-07-28"
    assert methods(server) == ["server/discover"]
    assert server.received[0]["params"]["_meta"][PROBE] is True


@pytest.mark.parametrize("code", [-32600, -32601, -32602, -32000, -32603, -1])
async def test_any_older_error_leads_to_the_handshake(code: int) -> None:
    server = failing(code)
    async with opened(server) as session:
        assert session.revision.date == "2025-11-25"
    assert methods(server) == ["server/discover", "initialize", "notifications/initialized"]
    assert "_meta" not in server.received[1]["params"]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"tools": []},
        {"supportedVersions": []},
        {"supportedVersions": "2026-07-28"},
        DISCOVERED | {"supportedVersions": ["2025-11-25"]},
    ],
)
async def test_an_answer_that_names_no_stateless_revision_leads_to_the_handshake(answer: dict[str, Any]) -> None:
    server = ScriptedServer(**{"server/discover": answer})
    async with opened(server) as session:
        assert session.revision.date == "2025-11-25"


async def test_silence_leads_to_the_handshake_and_a_late_reply_is_ignored() -> None:
    server = ScriptedServer(ping={})
    session = await within(ClientSession.open(server, revision=None, probe_timeout=0.01))
    server.answer(server.received[0], DISCOVERED)
    await within(session.ping())
    assert session.revision.date == "2025-11-25"
    assert session.message_failures == 0
    assert session.probe_timed_out
    assert methods(server) == ["server/discover", "initialize", "notifications/initialized", "ping"]
    await within(session.close())


@pytest.mark.parametrize("code", [-32020, -32021, -32022])
async def test_an_error_of_the_stateless_era_is_no_reason_for_a_handshake(code: int) -> None:
    server = failing(code)
    with pytest.raises(RemoteError) as caught:
        await within(open_session(route(server)))
    assert caught.value.code == code
    assert "initialize" not in methods(server)


async def test_a_refusal_that_names_a_revision_of_ours_is_followed() -> None:
    offers: list[dict[str, Any]] = [
        {"error": {"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"]}}},
        DISCOVERED,
    ]
    server = ScriptedServer(**{"server/discover": lambda _: offers.pop(0)})
    async with opened(server) as session:
        assert session.revision.date == "2026-07-28"
    assert methods(server) == ["server/discover", "server/discover"]


async def test_a_refusal_that_names_only_revisions_with_a_handshake_leads_to_a_handshake() -> None:
    async with opened(failing(-32022, supported=["2025-06-18"])) as session:
        assert session.revision.date == "2025-11-25"


async def test_a_server_that_was_only_slow_is_probed_again() -> None:
    # The probe that timed out has made it stateless: it refuses a handshake now.
    refusal: dict[str, Any] = {
        "error": {"code": -32022, "message": "no initialize here", "data": {"supported": ["2026-07-28"]}}
    }
    offers: list[dict[str, Any] | None] = [None, DISCOVERED]
    server = ScriptedServer(**{"server/discover": lambda _: offers.pop(0), "initialize": refusal})
    session = await within(ClientSession.open(server, revision=None, probe_timeout=0.01))
    assert session.revision.date == "2026-07-28"
    assert methods(server) == ["server/discover", "initialize", "server/discover"]
    await within(session.close())


async def test_a_server_that_ends_at_the_probe_is_started_again() -> None:
    script = (
        "import json,sys\n"
        "for line in sys.stdin:\n"
        "  m = json.loads(line)\n"
        "  if m['method'] == 'server/discover': sys.exit('what is that?')\n"
        "  if m['method'] == 'initialize': print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result':"
        " {'protocolVersion': '2024-11-05', 'capabilities': {}, 'serverInfo': {'name': 'touchy'}}}), flush=True)\n"
    )
    started: list[ChildChannel] = []

    async def connect() -> Channel:
        started.append(await ChildChannel.spawn([sys.executable, "-c", script]))
        return started[-1]

    session = await within(open_session(Route(COMMAND, connect)))
    assert session.server_info["name"] == "touchy"
    assert len(started) == 2
    await within(session.close())


async def test_over_http_a_status_leads_to_the_handshake() -> None:
    server = Refusing(HttpRefused("400 Bad Request", 400))
    async with opened(server) as session:
        assert session.revision.date == "2025-11-25"


@pytest.mark.parametrize(
    "error", [HttpRefused("401", 401), HttpRefused("403", 403), ConnectionFailed("Cannot connect")]
)
async def test_a_response_that_does_not_show_the_era_is_reported(error: ConnectionFailed) -> None:
    server = Refusing(error)
    with pytest.raises(ConnectionFailed, match=str(error)):
        await within(open_session(route(server)))
    assert methods(server) == ["server/discover"]


@pytest.mark.parametrize(("era", "first"), [(Era.LEGACY, "initialize"), (Era.MODERN, "server/discover")])
async def test_a_requested_era_is_not_probed(era: Era, first: str) -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED})
    async with opened(server, era=era):
        assert server.received[0]["method"] == first
        assert PROBE not in server.received[0]["params"].get("_meta", {})


async def test_a_server_of_another_era_than_requested_is_reported_with_a_hint() -> None:
    with pytest.raises(ConnectionFailed, match=r"does not support 2026-07-28: no\. Use another era than 'modern'"):
        await within(open_session(route(failing(-32601)), Era.MODERN))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (lambda: ScriptedServer(**{"server/discover": DISCOVERED}), "server/discover"),
        (lambda: failing(-32601), "initialize"),
    ],
)
async def test_a_known_era_is_not_probed_again(first: Callable[[], ScriptedServer], then: str) -> None:
    servers = [first(), first()]
    way = route(*servers)
    for _ in range(2):
        await within((await within(open_session(way))).close())
    assert servers[1].received[0]["method"] == then
    assert PROBE not in servers[1].received[0]["params"].get("_meta", {})


async def test_an_outdated_era_is_probed_again() -> None:
    modern, older, again = ScriptedServer(**{"server/discover": DISCOVERED}), failing(-32601), failing(-32601)
    way = route(modern, older, again)
    await within((await within(open_session(way))).close())
    session = await within(open_session(way))
    assert session.revision.date == "2025-11-25"
    assert PROBE in again.received[0]["params"]["_meta"]
    await within(session.close())


async def test_servers_of_our_own_are_not_probed(tmp_path: Path) -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED})
    session = await within(open_session(route(server, target=Target(project=tmp_path))))
    assert PROBE not in server.received[0]["params"]["_meta"]
    await within(session.close())


async def test_no_task_is_left_of_an_abandoned_probe() -> None:
    before = asyncio.all_tasks()
    session = await within(ClientSession.open(ScriptedServer(), revision=None, probe_timeout=0.01))
    await within(session.close())
    assert asyncio.all_tasks() == before
