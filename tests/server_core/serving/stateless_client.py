"""A server whose tools request input, and a stateless client of it."""

import asyncio
from typing import Any

from server_core import Context, MCPApp
from server_core.protocol.envelope import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import (
    RecordingOutlet,
    Records,
    call,
    generation,
    secret_values,
)
from tests.waiting import until

REVISION = "2026-07-28"


ASKING = {"elicitation": {}, "sampling": {}, "roots": {}}


NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


RUNS: list[str] = []


def meta(**capabilities: Any) -> dict[str, Any]:
    return {
        PROTOCOL_VERSION: REVISION,
        CLIENT_CAPABILITIES: capabilities,
        CLIENT_INFO: {"name": "tester", "version": "0"},
    }


def asking_app() -> MCPApp:
    app = MCPApp("asking", "1.0", toolkit="")

    @app.tool
    async def greet(context: Context) -> str:
        """Ask for a name."""
        RUNS.append("greet")
        answer = await context.ui.elicit("Who are you?", NAME_FORM, key="who")
        return f"Hello, {(answer.content or {}).get('name')}!"

    @app.tool
    async def twice(context: Context) -> str:
        """Ask one thing after another, without names for them."""
        RUNS.append("twice")
        first = await context.ui.elicit("First?", NAME_FORM)
        second = await context.ui.elicit("Second?", NAME_FORM)
        return f"{(first.content or {})['name']} and {(second.content or {})['name']}"

    @app.tool
    async def all_at_once(context: Context) -> str:
        """Ask three things at the same time."""
        answer, message, roots = await asyncio.gather(
            context.ui.elicit("Who?", NAME_FORM),
            context.sampling.create_message("Say hi"),
            context.roots.list(),
        )
        return f"{(answer.content or {})['name']}, {message.text}, {len(roots)}"

    @app.tool
    async def impatient(context: Context) -> str:
        """Do not wait for long."""
        try:
            await context.ui.elicit("Quick!", NAME_FORM, timeout=0.01)
        except Exception as error:
            return f"gave up: {type(error).__name__}"
        return "in time"

    @app.prompt
    async def letter(context: Context) -> str:
        """Ask before it writes."""
        answer = await context.ui.elicit("To whom?", NAME_FORM)
        return f"Dear {(answer.content or {})['name']}"

    return app


class Client:
    """A client without a session, over a connection that keeps what is sent to it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.outlet = RecordingOutlet()
        self.records = Records(server.tap)
        self.session = server.open_session(self.outlet, "memory")
        self._count = 0

    async def ask(self, method: str, *, capabilities: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        self._count += 1
        request_id = f"r{self._count}"
        self.session.receive(call(request_id, method, **{"_meta": meta(**(capabilities or {})), **params}))
        await until(lambda: bool(self.answers(request_id)))
        return self.answers(request_id)[0]

    async def call(self, name: str, **params: Any) -> dict[str, Any]:
        """Call a tool with all that a client can be asked."""
        return await self.ask("tools/call", capabilities=ASKING, name=name, **params)

    def answers(self, request_id: Any) -> list[dict[str, Any]]:
        return [message for message in self.outlet.sent if message.get("id") == request_id]


def asking_server(settings: Settings | None = None) -> Server:
    app = asking_app()
    server = Server(Tap(), settings or Settings(state_key="k" * 32), secret_values, app.identity)
    catalog, problems = app.build()
    assert not problems
    server.swap(generation(catalog, app))
    return server


def accepted(name: str) -> dict[str, Any]:
    return {"action": "accept", "content": {"name": name}}


def text(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"])
