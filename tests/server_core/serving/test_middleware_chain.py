"""The middleware of a server: what is reported of it, what it delays, and which messages pass it."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.middleware import CallNext, Middleware, MiddlewareContext
from server_core.protocol.envelope import client_meta, with_envelope
from server_core.protocol.jsonrpc import Request
from server_core.protocol.revisions import LATEST_STATELESS
from server_core.records.tap import Tap
from server_core.serving.handshake import merge_objects
from server_core.serving.nested_caller import NestedCaller, await_answer, inner_id
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import (
    INITIALIZED,
    RecordingOutlet,
    Records,
    Toolkit,
    call,
    generation,
    initialize,
    new_server,
    notification,
    secret_values,
)
from tests.waiting import until, within

pytestmark = pytest.mark.promises("middleware")


class Able(Middleware):
    """Adds capabilities."""

    def __init__(self, capabilities: Any) -> None:
        self._capabilities = capabilities

    def get_capabilities(self) -> Any:
        if isinstance(self._capabilities, Exception):
            raise self._capabilities
        return self._capabilities


def unloaded(app: MCPApp, settings: Settings | None = None) -> Server:
    return Server(Tap(), settings or Settings(), secret_values, app.identity)


def load(server: Server, app: MCPApp) -> None:
    catalog, problems = app.build()
    assert not problems
    server.swap(generation(catalog, app))


def discover_message() -> bytes:
    return call(
        0, "server/discover", **with_envelope({}, client_meta(LATEST_STATELESS, {}, {"name": "t", "version": "1"}))
    )


@pytest.mark.parametrize("message", [initialize(), discover_message()], ids=["initialize", "discover"])
async def test_capabilities_of_middleware_are_sent_once_they_are_known(message: bytes) -> None:
    app = MCPApp("able", middleware=[Able({"experimental": {"a": {}}, "tools": {"fast": True}}), Able({"b": {"c": 1}})])
    server, outlet = unloaded(app), RecordingOutlet()
    session = server.open_session(outlet, "memory")
    session.receive(message)
    assert outlet.sent == []
    load(server, app)
    await until(lambda: outlet.sent)
    capabilities = outlet.sent[0]["result"]["capabilities"]
    assert capabilities["experimental"] == {"a": {}}
    assert capabilities["b"] == {"c": 1}
    assert capabilities["tools"] == {"fast": True, "listChanged": True}
    session.close()


async def test_a_later_client_gets_them_at_once() -> None:
    app = MCPApp("able", middleware=[Able({"b": {}})])
    server, outlet = unloaded(app), RecordingOutlet()
    load(server, app)
    server.open_session(outlet, "memory").receive(initialize())
    assert outlet.sent[0]["result"]["capabilities"]["b"] == {}


async def test_those_of_another_app_of_the_project_are_sent_as_well() -> None:
    first, second = MCPApp("first"), MCPApp("second", middleware=[Able({"b": {}})])
    server, outlet = unloaded(first), RecordingOutlet()
    catalog, problems = first.build()
    assert not problems
    server.swap(replace(generation(catalog, first), apps=(first, second)))
    server.open_session(outlet, "memory").receive(initialize())
    assert outlet.sent[0]["result"]["capabilities"]["b"] == {}


def test_the_servers_own_capabilities_are_not_overruled() -> None:
    assert merge_objects({"tools": {"listChanged": False, "x": 1}, "logging": 3}, {"tools": {"listChanged": True}}) == {
        "tools": {"listChanged": True, "x": 1},
        "logging": 3,
    }


@pytest.mark.parametrize("garbage", [None, ["a"], {"a": object()}, RuntimeError("boom")])
async def test_invalid_capabilities_are_left_out_and_reported_to_the_author(garbage: Any) -> None:
    app = MCPApp("able", middleware=[Able(garbage), Able({"b": {}})])
    server, outlet = unloaded(app), RecordingOutlet()
    records = Records(server.tap)
    load(server, app)
    server.open_session(outlet, "memory").receive(initialize())
    assert outlet.sent[0]["result"]["capabilities"]["b"] == {}
    assert [record["method"] for record in records.events() if record["event"] == "middleware_failed"] == [
        "get_capabilities"
    ]


async def test_requests_before_the_load_pass_the_middleware_of_the_load() -> None:
    seen: list[str] = []

    class See(Middleware):
        async def on_message(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
            seen.append(context.method)
            return await call_next(context)

    app = MCPApp("able", middleware=[See()])
    server, outlet = unloaded(app), RecordingOutlet()
    session = server.open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "logging/setLevel", level="error"), call(2, "tools/list")):
        session.receive(message)
    session.receive(call(3, "ping"))
    assert [item["id"] for item in outlet.sent] == [3]
    load(server, app)
    await until(lambda: len(outlet.sent) == 4)
    assert sorted(seen) == ["logging/setLevel", "notifications/initialized", "tools/list"]
    session.close()


async def test_a_client_cannot_have_more_notifications_wait_for_middleware_than_there_is_room_for() -> None:
    methods: list[str] = []
    released = asyncio.Event()

    class Slow(Middleware):
        async def on_notification(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
            methods.append(str(context.method))
            await released.wait()

    app = MCPApp("slow", middleware=[Slow()])
    server = unloaded(app, Settings(max_queued_messages=3))
    records = Records(server.tap)
    load(server, app)
    session = server.open_session(RecordingOutlet(), "memory")
    session.receive(initialize())
    for _ in range(5):
        session.receive(notification("notifications/roots/list_changed"))
    failed = [record for record in records.events() if record["event"] == "middleware_failed"]
    assert (len(methods), len(failed)) == (3, 2)
    assert failed[0]["message"].endswith("Too many notifications wait in the middleware.")
    released.set()
    await until(lambda: server.chain is not None and not server.chain._incoming)
    session.receive(notification("notifications/roots/list_changed"))
    assert len(methods) == 4
    session.close()


async def test_a_tools_own_request_passes_the_middleware() -> None:
    seen: list[Any] = []

    class See(Middleware):
        async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
            seen.append(context.request_id)
            return await call_next(context)

    kit = Toolkit()
    server = new_server(kit, loaded=False)

    @kit.app.tool
    async def outer(context: Context) -> str:
        """Call another tool."""
        inner = Request(inner_id(), "tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}})
        return str((await await_answer(server.answer(NestedCaller(context), inner)))["content"][0]["text"])

    server.swap(replace(generation(kit.catalog(), kit.app), apps=(MCPApp("see", middleware=[See()]),)))
    outlet = RecordingOutlet()
    session = server.open_session(outlet, "memory")
    for message in (initialize(), INITIALIZED, call(1, "tools/call", name="outer", arguments={})):
        session.receive(message)
    await until(lambda: len(outlet.sent) == 2)
    assert outlet.sent[1]["result"]["content"][0]["text"] == "2"
    assert seen[0] == 1
    assert seen[1].startswith("internal-")


async def test_lines_are_written_where_that_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    kit = Toolkit()
    server = new_server(kit, settings=Settings(middleware_enable_logging=True))
    server.tap.masker.set({"KEY": "add"})
    session = server.open_session(RecordingOutlet(), "memory")
    for message in (
        initialize(),
        INITIALIZED,
        call("x", "prompts/list"),
        notification("notifications/roots/list_changed"),
    ):
        session.receive(message)
    out, err = capsys.readouterr()
    assert out == ""
    assert "[REQUEST] method=prompts/list request_id=x session_id=" in err
    assert "[NOTIFICATION] method=notifications/roots/list_changed" in err
    session.close()


def test_without_middleware_there_is_no_chain_to_pass() -> None:
    async def chain() -> object:
        return new_server(Toolkit()).chain

    assert asyncio.run(chain()) is None


PROJECT = '''
from server_core import MCPApp
from server_core.middleware import Middleware

class Boom(Middleware):
    async def on_call_tool(self, context, call_next):
        if context.message.params["name"].endswith("Bad"):
            raise RuntimeError("mw boom")
        return await call_next(context)

    async def on_list_resources(self, context, call_next):
        raise RuntimeError("nope")

    def get_capabilities(self):
        print("a stray print")
        return {"serverExecutionTelemetry": {"version": "1"}}

app = MCPApp("mw", middleware=[Boom()])

@app.tool
def good(text: str) -> str:
    """Repeat it."""
    return text

@app.tool
def bad() -> str:
    """Never runs."""
    return "ran"

if __name__ == "__main__":
    app.run()
'''


@pytest.mark.parametrize("command", [["-m", "server_core", "--stdio"], []], ids=["project", "app.run"])
async def test_over_stdio_a_real_process_answers_every_request_once(
    tmp_path: Path, command: list[str], free_of_environment: Callable[[], dict[str, str]]
) -> None:
    """The requests on which other servers put something on the wire that is no message, or answer another id."""
    file = tmp_path / "server.py"
    file.write_text(PROJECT)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        str(file),
        cwd=tmp_path,
        env=free_of_environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    requests = [
        initialize(),
        INITIALIZED,
        call(1, "tools/call", name="Mw_Good", arguments={"text": "x"}),
        call(2, "tools/call", name="Mw_Bad", arguments={}),
        call(3, "resources/list"),
        call("abc", "ping"),
        call(5, "prompts/list"),
    ]
    out, _ = await within(process.communicate(b"".join(line + b"\n" for line in requests)))
    answers = {message["id"]: message for message in map(json.loads, out.splitlines())}
    assert all(message["jsonrpc"] == "2.0" for message in answers.values())
    assert list(answers).count(3) == 1
    assert set(answers) == {0, 1, 2, 3, "abc", 5}
    assert answers[0]["result"]["capabilities"]["serverExecutionTelemetry"] == {"version": "1"}
    assert answers[1]["result"]["content"] == [{"type": "text", "text": "x"}]
    assert answers[2]["result"]["isError"] is True
    assert "RuntimeError" in answers[2]["result"]["content"][0]["text"]
    assert answers[3]["error"]["code"] == -32603


@pytest.fixture
def free_of_environment() -> Callable[[], dict[str, str]]:
    """What a child process is given, without the settings of ours."""
    return lambda: {key: value for key, value in os.environ.items() if not key.startswith("MCP_MIDDLEWARE_")}
