"""A server over a small toolkit, and what tests observe it with: an outlet that records, and a list of records."""

import asyncio
import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from server_core import Context, MCPApp
from server_core.catalog.catalog import EMPTY, Catalog, diff
from server_core.loading.project import Generation
from server_core.protocol.jsonrpc import RequestId
from server_core.records.tap import Kind, Record, Tap
from server_core.serving.server import Server
from server_core.settings import Settings

TOKEN = "a-secret-token"


class Toolkit:
    """The tools, and the gates at which the slow ones wait."""

    def __init__(self) -> None:
        self.app = app = MCPApp("toolkit", "1.2.3", title="The toolkit", instructions="Be kind.", toolkit="")
        self.entered = asyncio.Event()
        self.gate = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.thread_entered = threading.Event()
        self.thread_saw_cancel = threading.Event()

        @app.tool
        def add(a: int, b: int) -> int:
            """Add two numbers."""
            return a + b

        @app.tool
        def echo(text: str) -> str:
            """Repeat it."""
            return text

        @app.tool
        async def wait() -> str:
            """Wait at the gate."""
            self.entered.set()
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
            return "through"

        @app.tool
        def wait_on_a_thread(context: Context) -> str:
            """Look at `cancelled` until it is true."""
            self.thread_entered.set()
            while not context.cancelled:
                threading.Event().wait(0.005)
            self.thread_saw_cancel.set()
            return "cancelled"

        @app.tool
        async def climb(context: Context) -> str:
            """Report progress and log."""
            for step in (1, 2, 3):
                await context.progress.report(step, 3, f"step {step}")
            await context.log.debug("a detail")
            await context.log.error("a mishap")
            return "on top"

        @app.tool
        async def ask_name(context: Context) -> str:
            """Ask the person."""
            form = {"type": "object", "properties": {"name": {"type": "string"}}}
            result = await context.ui.elicit("Who are you?", form)
            return f"{result.action}: {(result.content or {}).get('name')}"

        @app.tool
        async def ask_model(context: Context) -> str:
            """Ask the model."""
            return (await context.sampling.create_message("Say hi")).text

        @app.tool
        async def ask_roots(context: Context) -> str:
            """Ask for the folders."""
            return ", ".join(root["uri"] for root in await context.roots.list())

        @app.tool
        async def ask_impatiently(context: Context) -> str:
            """Ask, and do not wait for long."""
            await context.ui.elicit("Quick!", {"type": "object", "properties": {}}, timeout=0.01)
            return "never"

        @app.tool
        def leave() -> str:
            """Try to end the process."""
            raise SystemExit(3)

        @app.tool(requires_secrets=["TOKEN"])
        def show_secret(context: Context) -> str:
            """Return the secret."""
            return context.get_secret("TOKEN")

        @app.resource("toolkit://motto", mime_type="text/plain")
        def motto() -> str:
            """The motto."""
            return "Measure twice."

        @app.resource("toolkit://notes/{number}", mime_type="text/plain")
        def note(number: int) -> str:
            """One note."""
            return f"Note {number}"

        @app.prompt(completions={"tone": lambda value: [item for item in ("kind", "keen") if item.startswith(value)]})
        def letter(tone: str) -> str:
            """A letter."""
            return f"Write a {tone} letter."

    def catalog(self) -> Catalog:
        """What the app offers."""
        catalog, problems = self.app.build()
        assert not problems, problems
        return catalog


def generation(catalog: Catalog, app: MCPApp, *, number: int = 1, before: Catalog = EMPTY) -> Generation:
    """Return what a load of this catalog would give."""
    return Generation(number, catalog, app.identity, (), frozenset(), diff(before, catalog), (), 1.0, True, (app,))


async def secret_values(keys: Iterable[str]) -> Mapping[str, str]:
    """The secrets that are set."""
    return {key: TOKEN for key in keys if key == "TOKEN"}


def new_server(toolkit: Toolkit, *, loaded: bool = True, settings: Settings | None = None) -> Server:
    """Return a server of the toolkit, with a tap of its own."""
    server = Server(Tap(), settings or Settings(), secret_values, toolkit.app.identity)
    server.tap.masker.set({"TOKEN": TOKEN})
    if loaded:
        server.swap(generation(toolkit.catalog(), toolkit.app))
    return server


class RecordingOutlet:
    """An outlet that keeps what is sent, as values."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.related: list[RequestId | None] = []
        self.answers: list[bool] = []

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        self.sent.append(json.loads(message))
        self.related.append(related)
        self.answers.append(is_response)

    @property
    def full(self) -> bool:
        return False

    async def drain(self) -> None:
        pass


class Records:
    """Every record of a tap from now on."""

    def __init__(self, tap: Tap) -> None:
        self._subscription = tap.subscribe(None, lambda: None)
        self._records: list[Record] = []

    @property
    def all(self) -> list[Record]:
        self._records += self._subscription.drain()
        return self._records

    def of(self, *kinds: Kind) -> list[Record]:
        """Those of these kinds."""
        return [record for record in self.all if record.kind in kinds]

    def events(self) -> list[dict[str, Any]]:
        """The lifecycle events, as values."""
        return [json.loads(record.data) for record in self.of(Kind.LIFECYCLE)]


def call(id: RequestId, method: str, **params: Any) -> bytes:
    """Return the bytes of a request."""
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()


def notification(method: str, **params: Any) -> bytes:
    """Return the bytes of a notification."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def initialize(revision: str = "2025-11-25", **capabilities: Any) -> bytes:
    """Return the bytes of a handshake's first message; its id is 0."""
    return call(
        0,
        "initialize",
        protocolVersion=revision,
        capabilities=capabilities,
        clientInfo={"name": "tester", "version": "0"},
    )


INITIALIZED = notification("notifications/initialized")
