"""Sessions over HTTP: how many, for how long, and for whom."""

import asyncio
import functools
from typing import Any

from server_core import MCPApp
from server_core.core import Core
from server_core.process import core_run
from server_core.process.command_line import Arguments
from server_core.process.stdio_guard import StdioGuard
from server_core.transports.streamable import session_registry, stateless_clients
from server_core.transports.streamable.endpoint import StreamableHttp
from server_core.transports.streamable.event_store import MemoryEvents
from server_core.transports.streamable.expiring_map import ExpiringMap
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import Toolkit, call, initialize, new_server
from tests.server_core.transports.http_site import serving


@scenario("max_sessions", "1", by_default=200, when_set=404)
async def max_sessions(scene: Scene) -> Any:
    """Return the status for a client with an idle session after another client has opened a session."""
    async with serving(scene.settings) as site:
        await site.open()
        first, site.session = site.session, ""
        await site.open()
        site.session = first
        return (await site.post(call(1, "ping"))).status_code


async def seconds_until_closed(scene: Scene) -> list[int]:
    """Return after how many seconds an idle session is closed, and the data of a client without a session."""
    loop = asyncio.get_running_loop()
    for module in (session_registry, stateless_clients):
        scene.patch.setattr(module, "ExpiringMap", functools.partial(ExpiringMap, clock=loop.time))
    source = new_server(Toolkit(), settings=scene.settings)
    sessions = session_registry.HttpSessions(source, scene.settings, MemoryEvents(10))
    sessions.open("here")
    stateless = stateless_clients.StatelessClients(source, scene.settings)
    stateless.session_for("here", "", {})
    ended: list[int] = []
    while len(ended) < 2:
        await asyncio.sleep(1)
        closed = [value for value in source.sessions.values() if value.is_closed]
        ended += [round(loop.time())] * (len(closed) - len(ended))
    return ended


@scenario(
    "session_idle_timeout", "300", by_default=[1800] * 2, when_set=[300] * 2, skips_waits=True, cleanup_interval="10"
)
async def session_idle_timeout(scene: Scene) -> Any:
    return await seconds_until_closed(scene)


@scenario(
    "cleanup_interval", "7", by_default=[100] * 2, when_set=[105] * 2, skips_waits=True, session_idle_timeout="100"
)
async def cleanup_interval(scene: Scene) -> Any:
    # Every ten seconds by default; every seven with the value: the fifteenth check is the first after 100 seconds.
    return await seconds_until_closed(scene)


@scenario("event_store", "events.sqlite", by_default=(404, []), when_set=(200, ["events.sqlite"]))
async def event_store(scene: Scene) -> Any:
    """Return the status for a client that reconnects after a restart of the server, and the stored files."""
    async with serving(scene.settings) as before:
        await before.open()
    async with serving(scene.settings) as after:
        after.session = before.session
        status = (await after.post(call(1, "ping"))).status_code
    return status, [path.name for path in scene.folder.iterdir() if path.suffix == ".sqlite"]


@scenario("allowed_hosts", "a.example, shop.example", by_default=403, when_set=200)
async def allowed_hosts(scene: Scene) -> Any:
    async with serving(scene.settings) as site:
        return (await site.post(initialize(), Host="shop.example")).status_code


@scenario("allowed_origins", "https://a.example, https://shop.example", by_default=403, when_set=200)
async def allowed_origins(scene: Scene) -> Any:
    async with serving(scene.settings) as site:
        return (await site.post(initialize(), Origin="https://shop.example")).status_code


@scenario("body_timeout", "2", by_default=(408, 30, True), when_set=(408, 2, True), skips_waits=True)
async def body_timeout(scene: Scene) -> Any:
    """Return the status for a request whose body does not arrive, after how many seconds, and whether it names them."""
    endpoint = StreamableHttp(new_server(Toolkit(), settings=scene.settings), scene.settings)
    sent: list[dict[str, Any]] = []
    headers = {"host": "localhost", "accept": "application/json, text/event-stream", "content-type": "application/json"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    await endpoint(scope, receive, send)  # type: ignore[arg-type]
    endpoint.close()
    seconds = int(asyncio.get_running_loop().time())
    return sent[0]["status"], seconds, f"within {seconds} seconds" in sent[1]["body"].decode()


@scenario("idle_seconds", "60", by_default=1800, when_set=60, skips_waits=True)
async def idle_seconds(scene: Scene) -> Any:
    """Return after how many seconds an unused core exits."""
    core = Core(app=MCPApp("shop"), settings=scene.settings, capture=False, link=False)
    stdio_guard = StdioGuard(core.tap)
    try:
        await core_run._serve(core, stdio_guard, Arguments(), None)
    finally:
        stdio_guard.close()
        await core.stop()
    return round(asyncio.get_running_loop().time())
