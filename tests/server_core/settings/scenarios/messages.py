"""How large, how many and how long messages and calls may be."""

import asyncio
import json
from typing import Any

from server_core import Context, MCPApp
from server_core.protocol.envelope import client_meta, with_envelope
from server_core.protocol.revisions import LATEST_STATELESS
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.execution.served import Client, result_of
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.toolkit import INITIALIZED, KeptMessages, Toolkit, call, initialize, new_server
from tests.server_core.transports.http_site import serving
from tests.waiting import until, within


@scenario("max_message_bytes", "1000", by_default=(False, 200), when_set=(True, 413))
async def max_message_bytes(scene: Scene) -> Any:
    app = MCPApp("long", toolkit="")

    @app.tool
    def repeat() -> str:
        """Talk."""
        return "x" * 2000

    result = await result_of(app, "repeat", settings=scene.settings)
    async with serving(scene.settings) as site:
        await site.open()
        sent = await site.post(call(1, "tools/call", name="echo", arguments={"text": "x" * 2000}))
    return bool(result.get("isError")), sent.status_code


@scenario("request_timeout", "7.5", by_default=60.0, when_set=7.5, jumps=True)
async def request_timeout(scene: Scene) -> Any:
    """After how many seconds a tool is told that its client does not answer."""
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
    outlet = KeptMessages()
    session = client.server.open_session(outlet, "memory")
    for message in (initialize(roots={}), INITIALIZED, call(1, "tools/call", name="ask")):
        session.receive(message)
    while not waited:
        await asyncio.sleep(0.5)
    session.close()
    return round(waited[0], 3)


@scenario("max_calls", "1", by_default=["answered", "answered"], when_set=["waits", "answered"])
async def max_calls(scene: Scene) -> Any:
    """What becomes of a call while another runs, and when that is over."""
    toolkit, outlet = Toolkit(), KeptMessages()
    session = new_server(toolkit, settings=scene.settings).open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "tools/call", name="wait")):
        session.receive(message)
    await within(toolkit.entered.wait())
    # One that does not wait is answered before this returns, or not at all as long as the other runs.
    session.receive(call(2, "tools/call", name="climb"))

    def outcome() -> str:
        return "answered" if any(one.get("id") == 2 for one in outlet.sent) else "waits"

    await asyncio.sleep(0)
    while_it_runs = outcome()
    toolkit.gate.set()
    await until(lambda: outcome() == "answered")
    session.close()
    return [while_it_runs, outcome()]


@scenario("max_batch", "2", by_default=3, when_set=1)
async def max_batch(scene: Scene) -> Any:
    """How many answers a batch of three gets: one for each, or one that refuses it."""
    outlet = KeptMessages()
    session = new_server(Toolkit(), settings=scene.settings).open_session(outlet, "memory")
    session.receive(initialize("2025-03-26"))
    session.receive(INITIALIZED)
    outlet.sent.clear()
    session.receive(b"[" + b",".join(call(id, "ping") for id in (1, 2, 3)) + b"]")
    session.close()
    (answers,) = outlet.sent
    return len(answers) if isinstance(answers, list) else 1


@scenario("max_queued_messages", "10", by_default=20, when_set=10, list_changed_delay="0")
async def max_queued_messages(scene: Scene) -> Any:
    """How many of twenty messages a client finds that was away while they were sent."""
    async with serving(scene.settings) as site:
        await site.open()
        await site.post(call(1, "resources/subscribe", uri="toolkit://motto"))
        for _ in range(20):
            site.server.resource_updated("toolkit://motto")
        # What is told last is known to come last.
        session = site.server.sessions["s1"]
        session.notify("notifications/message", {"level": "error", "data": "the last"})
        found = 0
        async with site.stream("GET") as events:
            while True:
                event = await events.next()
                if not event.data:
                    continue
                message = json.loads(event.data)
                found += 1
                if message["method"] == "notifications/message":
                    break
    return min(found, 20)


@scenario("page_size", "2", by_default=False, when_set=True)
async def page_size(scene: Scene) -> Any:
    """Whether a list of more than two tools goes on behind its first page."""
    outlet = KeptMessages()
    session = new_server(Toolkit(), settings=scene.settings).open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "tools/list")):
        session.receive(message)
    session.close()
    return "nextCursor" in outlet.sent[-1]["result"]


@scenario("list_ttl_seconds", "30", by_default=0, when_set=30_000)
async def list_ttl_seconds(scene: Scene) -> Any:
    """For how many milliseconds a client may keep a list."""
    outlet = KeptMessages()
    session = new_server(Toolkit(), settings=scene.settings).open_session(outlet, "memory")
    meta = client_meta(LATEST_STATELESS, {}, {"name": "t", "version": "1"})
    session.receive(call(1, "tools/list", **with_envelope({}, meta)))
    await until(lambda: outlet.sent)
    session.close()
    return outlet.sent[-1]["result"].get("ttlMs", 0)


@scenario("shutdown_grace", "0.5", by_default=5.0, when_set=0.5, jumps=True)
async def shutdown_grace(scene: Scene) -> Any:
    """How many seconds a call gets that runs when the server ends."""
    toolkit = Toolkit()
    server = new_server(toolkit, settings=scene.settings)
    endpoint = StreamableHttp(server, scene.settings)
    loop = asyncio.get_running_loop()
    async with endpoint.lifespan():
        session = endpoint.sessions.open("here")
        assert session is not None
        for message in (initialize(), INITIALIZED, call(1, "tools/call", name="wait")):
            session.serving.receive(message)
        await toolkit.entered.wait()
        began = loop.time()
    await toolkit.cancelled.wait()
    return round(loop.time() - began, 3)
