"""How long calls, connections and tasks may continue when the server shuts down."""

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

from server_core import MCPApp
from server_core.core import Core
from server_core.process import core_run
from server_core.process.command_line import Arguments
from server_core.process.shutdown import Shutdown
from server_core.records.tap import Tap
from server_core.serving.backend import serve_app
from server_core.telemetry import startup
from server_core.telemetry.collector import Collector
from server_core.transports import http_server
from server_core.transports.stdio import serve_stdio
from server_core.transports.streamable.endpoint import StreamableHttp
from tests.server_core.settings.scenarios.scene import Scene, scenario
from tests.server_core.tasks.clients import CoreClient, Workshop
from tests.server_core.telemetry.memory import MemoryCollector
from tests.server_core.toolkit import INITIALIZED, Toolkit, call, initialize, new_server

MESSAGES = (initialize(), INITIALIZED, call(1, "tools/call", name="wait"))


async def seconds_of(end: Awaitable[object]) -> float:
    """Return how many seconds a shutdown takes."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    await end
    return round(loop.time() - began, 3)


async def of_http(scene: Scene) -> float:
    """A call over HTTP."""
    toolkit = Toolkit()
    endpoint = StreamableHttp(new_server(toolkit, settings=scene.settings), scene.settings)
    lifespan = endpoint.lifespan()
    await lifespan.__aenter__()
    session = endpoint.sessions.open("here")
    assert session is not None
    for message in MESSAGES:
        session.serving.receive(message)
    await toolkit.entered.wait()
    seconds = await seconds_of(lifespan.__aexit__(None, None, None))
    await toolkit.cancelled.wait()
    return seconds


async def of_stdio(scene: Scene) -> float:
    """A call of a client that has disconnected."""
    toolkit = Toolkit()
    server = new_server(toolkit, settings=scene.settings)
    (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
    os.write(client_out, b"".join(message + b"\n" for message in MESSAGES))
    os.close(client_out)
    try:
        seconds = await seconds_of(
            serve_stdio(server, stdin_fd=server_in, stdout_fd=server_out, settings=scene.settings)
        )
        await toolkit.cancelled.wait()
        return seconds
    finally:
        for fd in (server_in, server_out, client_in):
            os.close(fd)


async def of_unread_responses(scene: Scene) -> float:
    """Responses that a client on stdio does not read; it has closed its end of the input."""
    toolkit = Toolkit()

    @toolkit.app.tool
    async def talk() -> str:
        """Return much text."""
        return "x" * 100_000

    server = new_server(toolkit, settings=scene.settings)
    (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
    messages = (initialize(), INITIALIZED, call(1, "tools/call", name="talk"))
    os.write(client_out, b"".join(message + b"\n" for message in messages))
    os.close(client_out)
    try:
        return await seconds_of(serve_stdio(server, stdin_fd=server_in, stdout_fd=server_out, settings=scene.settings))
    finally:
        for fd in (server_in, server_out, client_in):
            os.close(fd)


async def of_listener(scene: Scene) -> float:
    """Connections over HTTP."""
    granted: list[float] = []

    @asynccontextmanager
    async def accepting(application: StreamableHttp, listener: object, grace: float) -> AsyncIterator[None]:
        granted.append(grace)
        yield
        application.close()

    class Ready(Exception):
        pass

    def ready(url: str) -> None:
        raise Ready

    scene.patch.setattr(http_server, "_accept_connections", accepting)
    with contextlib.suppress(Ready):
        await http_server.serve_http(
            new_server(Toolkit(), settings=scene.settings), "127.0.0.1", 0, scene.settings, ready
        )
    return granted[0]


async def of_tasks(scene: Scene) -> float:
    """A task."""
    workshop = Workshop(scene.settings)
    await CoreClient(workshop, principal="ada").begin("dig")
    return await seconds_of(workshop.close())


async def of_lifespan(scene: Scene) -> float:
    """The lifespan of an app that does not end."""

    @asynccontextmanager
    async def never_end(app: MCPApp) -> AsyncIterator[None]:
        yield
        await asyncio.Event().wait()

    app = MCPApp("shop", lifespan=never_end)
    app.add_text_resource("shop://sign", text="Open.")
    served, ended = serve_app(app, Tap(), scene.settings), asyncio.Event()
    core_run = asyncio.get_running_loop().create_task(served.run(False, ended))
    await served.loaded()
    ended.set()
    await core_run
    await served.stop_background_work()
    return await seconds_of(served.close())


async def of_traces(scene: Scene) -> float:
    """Traces that a collector does not accept."""
    accepted, collector = threading.Event(), MemoryCollector().collector
    scene.patch.setattr(Collector, "close", lambda self: accepted.wait())
    scene.patch.setattr(startup, "connect", lambda name, version: collector)
    core = Core(app=MCPApp("shop"), settings=scene.settings, capture=False, link=False)
    tracing = startup.traced(core)
    await tracing.__aenter__()
    try:
        return await seconds_of(tracing.__aexit__(None, None, None))
    finally:
        accepted.set()
        await core.stop()


async def of_process(scene: Scene) -> float:
    """A process, which the watchdog ends if it does not end by itself."""
    granted: list[float] = []

    class RecordingShutdown(Shutdown):
        def __init__(self) -> None: ...
        def begin(self) -> None: ...
        def hurry(self) -> None: ...

        def request_stop_with(self, stop_requested: asyncio.Event, grace: float, *_: object) -> None:
            granted.append(grace)

    async def serve(*_: object) -> None:
        pass

    scene.patch.setattr(core_run, "_serve", serve)
    for name, value in scene.environment.items():
        scene.patch.setenv(name, value)
    await core_run._run(Arguments(capture=False), MCPApp("shop"), None, RecordingShutdown())
    return granted[0]


ENDS = {
    "process": of_process,
    "http": of_http,
    "listener": of_listener,
    "unread responses": of_unread_responses,
    "stdio": of_stdio,
    "task": of_tasks,
    "lifespan": of_lifespan,
    "traces": of_traces,
}


@scenario(
    "shutdown_grace", "0.5", by_default=dict.fromkeys(ENDS, 5.0), when_set=dict.fromkeys(ENDS, 0.5), skips_waits=True
)
async def shutdown_grace(scene: Scene) -> Any:
    return {name: await end(scene) for name, end in ENDS.items()}
