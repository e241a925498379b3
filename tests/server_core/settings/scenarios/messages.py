"""Limits of messages and calls: their size, their number, their time."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from server_core import Context, MCPApp
from server_core.protocol.envelope import LOG_LEVEL, client_meta, with_envelope
from server_core.protocol.revisions import LATEST_STATELESS
from tests.server_core.execution.app_client import Client, result_of
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Toolkit, call, initialize, new_server
from tests.server_core.transports.http_site import Events, serving
from tests.waiting import until, within


@scenario("max_message_bytes", "1000", by_default=(False, 200), when_set=(True, 413))
async def max_message_bytes(scene: Scene) -> Any:
    app = MCPApp("long", toolkit="")

    @app.tool
    def repeat() -> str:
        """Return much text."""
        return "x" * 2000

    result = await result_of(app, "repeat", settings=scene.settings)
    async with serving(scene.settings) as site:
        await site.open()
        sent = await site.post(call(1, "tools/call", name="echo", arguments={"text": "x" * 2000}))
    return bool(result.get("isError")), sent.status_code


@scenario("request_timeout", "7.5", by_default=60.0, when_set=7.5, skips_waits=True)
async def request_timeout(scene: Scene) -> Any:
    """Return after how many seconds a request to the client times out."""
    app = MCPApp("asking", toolkit="")
    waited: list[float] = []

    @app.tool
    async def ask(context: Context) -> str:
        """Ask for the folders."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await context.roots.list()
        finally:
            waited.append(loop.time() - began)
        return "answered"

    client = Client(app, settings=scene.settings)
    outlet = RecordingOutlet()
    session = client.server.open_session(outlet, "memory")
    for message in (initialize(roots={}), INITIALIZED, call(1, "tools/call", name="ask")):
        session.receive(message)
    while not waited:
        await asyncio.sleep(0.5)
    session.close()
    return round(waited[0], 3)


@scenario("max_calls", "1", by_default=["answered", "answered"], when_set=["waits", "answered"])
async def max_calls(scene: Scene) -> Any:
    """Return the state of a call while another call runs, and after that."""
    toolkit, outlet = Toolkit(), RecordingOutlet()
    session = new_server(toolkit, settings=scene.settings).open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "tools/call", name="wait")):
        session.receive(message)
    await within(toolkit.entered.wait())
    # A tool that does not wait is answered before this returns, unless its call is queued.
    session.receive(call(2, "tools/call", name="climb"))

    def outcome() -> str:
        return "answered" if any(item.get("id") == 2 for item in outlet.sent) else "waits"

    await asyncio.sleep(0)
    while_it_runs = outcome()
    toolkit.gate.set()
    await until(lambda: outcome() == "answered")
    session.close()
    return [while_it_runs, outcome()]


@scenario("max_batch", "2", by_default=(3, 200), when_set=(1, 400))
async def max_batch(scene: Scene) -> Any:
    """Return how many responses a batch of three gets (one for each, or one error), and its status over HTTP."""
    batch = b"[" + b",".join(call(id, "ping") for id in (1, 2, 3)) + b"]"
    outlet = RecordingOutlet()
    session = new_server(Toolkit(), settings=scene.settings).open_session(outlet, "memory")
    session.receive(initialize("2025-03-26"))
    session.receive(INITIALIZED)
    outlet.sent.clear()
    session.receive(batch)
    session.close()
    (responses,) = outlet.sent
    async with serving(scene.settings) as site:
        await site.open("2025-03-26")
        status = (await site.post(batch)).status_code
    return len(responses) if isinstance(responses, list) else 1, status


async def resumed_events(scene: Scene, event_store: str) -> int:
    """Return how many of twenty messages a client gets that was disconnected when they were sent."""
    async with serving(replace(scene.settings, event_store=event_store)) as site:
        await site.open()
        await site.post(call(1, "resources/subscribe", uri="toolkit://motto"))
        for _ in range(19):
            site.server.resource_updated("toolkit://motto")
        site.server.sessions["s1"].notify("notifications/message", {"level": "error", "data": "the last"})
        async with site.stream("GET") as events:
            return await count(events, lambda message: message["method"] == "notifications/message")


async def count(events: Events, is_last: Callable[[dict[str, Any]], bool]) -> int:
    total = 0
    while True:
        event = await events.next()
        if not event.data:
            continue
        total += 1
        if is_last(json.loads(event.data)):
            return total


def chatty() -> MCPApp:
    """Return an app with a tool that logs twenty messages at once."""
    app = MCPApp("chatty", toolkit="")

    @app.tool
    async def chat(context: Context) -> str:
        """Return much text."""
        for number in range(20):
            await context.log.error(str(number))
        return "done"

    return app


@scenario(
    "max_queued_messages",
    "10",
    by_default={"disconnected": 20, "disconnected, stored in a file": 20, "a call": 21, "a stateless call": 21},
    when_set={"disconnected": 10, "disconnected, stored in a file": 10, "a call": 10, "a stateless call": 10},
    list_changed_delay="0",
)
async def max_queued_messages(scene: Scene) -> Any:
    """Return how many messages reach a client that did not read them when they were sent."""
    request = {"name": "chat", "arguments": {}}
    meta = client_meta(LATEST_STATELESS, {}, {"name": "t", "version": "1"}) | {LOG_LEVEL: "debug"}
    headers = {"MCP_Protocol_Version": LATEST_STATELESS.date, "Mcp_Method": "tools/call", "Mcp_Name": "chat"}
    async with serving(scene.settings, app=chatty()) as site:
        stateless = call(1, "tools/call", **with_envelope(request, meta))
        async with site.stream("POST", stateless, **headers) as events:
            of_stateless = await count(events, lambda message: "result" in message)
        await site.open()
        async with site.stream("POST", call(1, "tools/call", **request)) as events:
            of_call = await count(events, lambda message: "result" in message)
    return {
        "disconnected": await resumed_events(scene, "memory"),
        "disconnected, stored in a file": await resumed_events(scene, str(scene.folder / "events.sqlite")),
        "a call": of_call,
        "a stateless call": of_stateless,
    }


@scenario("page_size", "2", by_default=False, when_set=True)
async def page_size(scene: Scene) -> Any:
    """Return whether a list of more than two tools has a second page."""
    outlet = RecordingOutlet()
    session = new_server(Toolkit(), settings=scene.settings).open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "tools/list")):
        session.receive(message)
    session.close()
    return "nextCursor" in outlet.sent[-1]["result"]


@scenario("list_ttl_seconds", "30", by_default=[0, 0], when_set=[30_000, 30_000])
async def list_ttl_seconds(scene: Scene) -> Any:
    """Return for how many milliseconds a client may cache a list, and the description of the server."""
    outlet = RecordingOutlet()
    session = new_server(Toolkit(), settings=scene.settings).open_session(outlet, "memory")
    meta = client_meta(LATEST_STATELESS, {}, {"name": "t", "version": "1"})
    for method in ("tools/list", "server/discover"):
        session.receive(call(method, method, **with_envelope({}, meta)))
    await until(lambda: len(outlet.sent) == 2)
    session.close()
    return [message["result"].get("ttlMs", 0) for message in outlet.sent]
