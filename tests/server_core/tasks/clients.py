"""A server whose tools run as tasks, and the clients of both wires, over connections that keep what is sent."""

import asyncio
import json
from typing import Any

from server_core import Context, MCPApp
from server_core.errors import FatalToolError, ProtocolError
from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION, TASKS_EXTENSION
from server_core.records.tap import Tap
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import (
    INITIALIZED,
    RecordingOutlet,
    Records,
    call,
    generation,
    initialize,
    notification,
    secret_values,
)
from tests.waiting import until, within

NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ASKING: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
TAKES_TASKS: dict[str, Any] = {**ASKING, "extensions": {TASKS_EXTENSION: {}}}
ADA = {"action": "accept", "content": {"name": "Ada"}}


class Workshop:
    """A server, and the gates at which its tools wait.

    Args:
        settings: of the server.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.gate = asyncio.Event()
        self.entered = asyncio.Event()
        self.stopped = asyncio.Event()
        self.became: list[bool] = []
        self.app = app = MCPApp("workshop", "1.0.0", toolkit="")
        as_task: dict[str, Any] = {"execution": {"taskSupport": "optional"}}

        @app.tool
        def plain() -> str:
            """Answer at once."""
            return "plain"

        @app.tool(**as_task)
        async def dig(context: Context) -> str:
            """Wait at the gate."""
            try:
                self.entered.set()
                await context.progress.report(1, 2)
                await context.log.info("digging")
                await self.gate.wait()
            except asyncio.CancelledError:
                self.stopped.set()
                raise
            return "dug"

        @app.tool(execution={"taskSupport": "required"})
        async def only_as_task() -> str:
            """Run as a task."""
            return "as a task"

        @app.tool(**as_task)
        async def greet(context: Context) -> str:
            """Ask for a name."""
            answer = await context.ui.elicit("Who are you?", NAME_FORM, key="who")
            return f"Hello, {(answer.content or {}).get('name')}!"

        @app.tool(**as_task)
        async def greet_two(context: Context) -> str:
            """Ask two things at the same time, and a third one under the name of the first."""
            first, second = await asyncio.gather(
                context.ui.elicit("One?", NAME_FORM, key="who"), context.ui.elicit("Two?", NAME_FORM, key="whom")
            )
            third = await context.ui.elicit("Three?", NAME_FORM, key="who")
            return ", ".join((item.content or {})["name"] for item in (first, second, third))

        @app.tool(**as_task)
        async def hurry(context: Context) -> str:
            """Ask, and do not wait for long."""
            await context.ui.elicit("Quick!", NAME_FORM, timeout=0.02)
            return "never"

        @app.tool(**as_task)
        async def think(context: Context) -> str:
            """Ask the model, and for the folders."""
            words = await context.sampling.create_message("Say hi")
            return f"{words.text} {len(await context.roots.list())}"

        @app.tool(**as_task)
        def fail() -> str:
            """Report an error."""
            raise FatalToolError("It broke.")

        @app.tool(**as_task)
        async def break_down() -> str:
            """Raise an error of the protocol."""
            raise ProtocolError(-32603, "It broke down.", {"why": "rust"})

        @app.tool
        async def turn(context: Context) -> str:
            """Become a task in the middle."""
            self.became.append(await context.become_task(ttl=30))
            self.entered.set()
            await self.gate.wait()
            return "turned"

        @app.tool
        def turn_on_a_thread(context: Context) -> str:
            """Become a task on a thread."""
            self.became.append(context.blocking.become_task())
            return "turned on a thread"

        @app.tool
        async def ask_and_turn(context: Context) -> str:
            """Ask first, and continue as a task."""
            answer = await context.ui.elicit("Who are you?", NAME_FORM, key="who")
            self.became.append(await context.become_task())
            again = await context.ui.elicit("And who else?", NAME_FORM, key="who")
            return f"{(answer.content or {})['name']} and {(again.content or {})['name']}"

        @app.tool
        async def turn_while_asking(context: Context) -> str:
            """Try to become a task while a question is open."""
            asking = spawn(context.ui.elicit("Who are you?", NAME_FORM), "question")
            await asyncio.sleep(0)
            try:
                await context.become_task()
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            finally:
                asking.cancel()
            return "turned"

        self.server = Server(
            Tap(), settings or Settings(state_key="k" * 32, shutdown_grace=0.05), secret_values, app.identity
        )
        catalog, problems = app.build()
        assert not problems
        self.server.swap(generation(catalog, app))

    async def close(self) -> None:
        """End all that runs."""
        for session in list(self.server.sessions.values()):
            session.close()
        await self.server.close_tasks()


class Client:
    """What the clients of both wires have in common.

    Args:
        workshop: whose server it speaks to.
        principal: who it has proved to be.
        transport: how it came.
    """

    def __init__(self, workshop: Workshop, principal: str = "", transport: str = "memory") -> None:
        self.outlet = RecordingOutlet()
        self.records = Records(workshop.server.tap)
        self.session = workshop.server.open_session(self.outlet, transport, principal=principal)
        self._count = 0

    def new_id(self) -> str:
        self._count += 1
        return f"r{self._count}"

    async def answer(self, request_id: str) -> dict[str, Any]:
        """Return the whole answer to a request."""
        await until(
            lambda: any(message.get("id") == request_id and "method" not in message for message in self.outlet.sent)
        )
        return next(
            message for message in self.outlet.sent if message.get("id") == request_id and "method" not in message
        )

    def notifications(self, method: str) -> list[dict[str, Any]]:
        """The params of all notifications of a method."""
        return [
            message["params"] for message in self.outlet.sent if message.get("method") == method and "id" not in message
        ]


class CoreClient(Client):
    """A client of revision 2025-11-25."""

    def __init__(
        self, workshop: Workshop, principal: str = "", transport: str = "memory", revision: str = "2025-11-25"
    ) -> None:
        super().__init__(workshop, principal, transport)
        self.session.receive(initialize(revision, **ASKING))
        self.session.receive(INITIALIZED)

    def send(self, method: str, **params: Any) -> str:
        """Send a request and return its id."""
        request_id = self.new_id()
        self.session.receive(call(request_id, method, **params))
        return request_id

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        return await self.answer(self.send(method, **params))

    async def begin(self, tool: str, **task: Any) -> str:
        """Call a tool as a task and return the task's id."""
        answer = await self.ask("tools/call", name=tool, task=task, _meta={"progressToken": "token"})
        return str(answer["result"]["task"]["taskId"])

    async def status(self, task: str) -> str:
        return str((await self.ask("tasks/get", taskId=task))["result"]["status"])

    async def asked(self, place: int = 0) -> dict[str, Any]:
        """Return one of the requests that the server sent."""
        await until(lambda: len(self._asked()) > place)
        return self._asked()[place]

    def respond(self, question: dict[str, Any], result: dict[str, Any]) -> None:
        """Answer a request of the server."""
        self.session.receive(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": result}).encode())

    def cancel_request(self, request_id: str) -> None:
        self.session.receive(notification("notifications/cancelled", requestId=request_id))

    def _asked(self) -> list[dict[str, Any]]:
        return [message for message in self.outlet.sent if "method" in message and "id" in message]


class StatelessClient(Client):
    """A client of revision 2026-07-28.

    Args:
        capabilities: what each of its requests declares.
    """

    def __init__(self, workshop: Workshop, principal: str = "", capabilities: dict[str, Any] | None = None) -> None:
        super().__init__(workshop, principal)
        self.capabilities = TAKES_TASKS if capabilities is None else capabilities

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        request_id = self.new_id()
        meta = {PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: self.capabilities, "progressToken": "token"}
        self.session.receive(call(request_id, method, _meta=meta, **params))
        return await self.answer(request_id)

    async def begin(self, tool: str) -> str:
        """Call a tool that becomes a task and return the task's id."""
        answer = await self.ask("tools/call", name=tool)
        assert answer["result"]["resultType"] == "task", answer
        return str(answer["result"]["taskId"])

    async def get(self, task: str) -> dict[str, Any]:
        """Return a task as it is now."""
        result: dict[str, Any] = (await self.ask("tasks/get", taskId=task))["result"]
        return result

    async def get_in(self, task: str, *statuses: str) -> dict[str, Any]:
        """Ask for a task until it has one of these statuses."""

        async def poll() -> dict[str, Any]:
            while (task_state := await self.get(task))["status"] not in statuses:
                await asyncio.sleep(0)
            return task_state

        return await within(poll())
