"""`context.tools`: a tool calls other tools of its server and waits for their results."""

import asyncio
import threading
from typing import Any

import pytest

from server_core import Context, FatalToolError, MCPApp, UrlElicitation, UrlElicitationRequired
from server_core.errors import ContextError
from server_core.execution.context.nested_requests import MAX_LEVELS
from server_core.settings import Settings
from tests.server_core.execution.app_client import LEGACY, MODERN, Client, result_of
from tests.server_core.ports import FakePort, text_of
from tests.waiting import until

pytestmark = pytest.mark.promises("context")
SECRETS = {"PASSWORD": "open-sesame"}
both_eras = pytest.mark.parametrize("revision", [LEGACY, MODERN])


def chain() -> MCPApp:
    """Return an app whose tools call each other."""
    app = MCPApp("chain", toolkit="")

    @app.tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @app.tool(requires_secrets=["PASSWORD"])
    async def ask_and_show(context: Context) -> str:
        """Ask whether to show the secret."""
        await context.log.info("asking")
        form = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
        answer = await context.ui.elicit("Are you sure?", form)
        if answer.action != "accept":
            raise ValueError("no")
        return context.get_secret("PASSWORD").upper()

    @app.tool
    async def sum_up(context: Context) -> str:
        """Call another tool."""
        result = await context.tools.call_raw("add", {"a": 1, "b": 2})
        return f"{result.isError} {result.is_error} {result.structuredContent['result']} {result.content[0].text}"

    @app.tool
    async def hand_on(context: Context) -> str:
        """Call the tool that asks."""
        result = await context.tools.call_raw("ask_and_show", {})
        return f"{result.isError} {result.content[0].text}"

    return app


@both_eras
async def test_a_tool_calls_another_and_reads_its_result_by_attributes(revision: str) -> None:
    assert text_of(await result_of(chain(), "sum_up", revision)) == "False False 3 3"


async def test_a_text_result_has_structured_content_too() -> None:
    app = MCPApp("texts", toolkit="")

    @app.tool
    def greet() -> str:
        """Greet."""
        return "hello"

    @app.tool
    async def call_it(context: Context) -> str:
        """Call it."""
        result = await context.tools.call_raw("greet")
        return str(result.structuredContent["result"])

    assert text_of(await result_of(app, "call_it")) == "hello"


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26"])
async def test_a_tool_gets_what_the_revision_of_its_client_does_not_have(revision: str) -> None:
    assert text_of(await result_of(chain(), "sum_up", revision)) == "False False 3 3"


@both_eras
async def test_the_called_tool_has_its_own_secrets_and_can_ask_the_user(revision: str) -> None:
    client = Client(chain(), revision, SECRETS, lambda method, params: {"action": "accept", "content": {"sure": True}})
    result = (await client.request("tools/call", name="hand_on"))["result"]
    assert text_of(result) == "False OPEN-SESAME"
    assert [params["message"] for _, params in client.asked] == ["Are you sure?"]


async def test_the_calling_tool_does_not_get_the_secrets_of_the_called_tool() -> None:
    app = chain()

    @app.tool
    async def pry(context: Context) -> str:
        """Call, and then look."""
        await context.tools.call_raw("ask_and_show")
        return context.get_secret("PASSWORD")

    client = Client(app, LEGACY, SECRETS, lambda method, params: {"action": "accept", "content": {}})
    result = (await client.request("tools/call", name="pry"))["result"]
    assert "Secret 'PASSWORD' not found in context." in text_of(result)


@both_eras
async def test_every_failure_is_a_result(revision: str) -> None:
    app = chain()

    @app.tool
    def fail() -> None:
        """Fail."""
        raise FatalToolError("it broke")

    @app.tool
    async def call_all(context: Context) -> list[str]:
        """Call what fails."""
        calls = [("fail", {}), ("no_such", {}), ("add", {"a": "x"}), ("ask_and_show", {})]
        results = [await context.tools.call_raw(name, arguments) for name, arguments in calls]
        assert all(result.isError and result.structuredContent is None for result in results)
        return [result.content[0].text for result in results]

    texts = (await result_of(app, "call_all", revision))["structuredContent"]["result"]
    assert "it broke" in texts[0]
    assert texts[1].startswith("Unknown tool: 'no_such'")
    assert "a:" in texts[2]
    assert "PASSWORD" in texts[3]


@both_eras
async def test_requests_of_concurrent_calls_are_distinguished(revision: str) -> None:
    app = MCPApp("many", toolkit="")

    @app.tool
    async def ask(name: str, turns: int, context: Context) -> str:
        """Ask for one thing, after some turns of the loop."""
        for _ in range(turns):
            await asyncio.sleep(0)
        form = {"type": "object", "properties": {"answer": {"type": "string"}}}
        answer = await context.ui.elicit(name, form)
        return str((answer.content or {})["answer"])

    @app.tool
    async def ask_three(context: Context) -> list[str]:
        """Ask three things at once, the first of them last."""
        calls = [("red", 3), ("green", 2), ("blue", 1)]
        results = await asyncio.gather(
            *(context.tools.call_raw("ask", {"name": name, "turns": turns}) for name, turns in calls)
        )
        return [result.content[0].text for result in results]

    client = Client(
        app, revision, answer=lambda method, params: {"action": "accept", "content": {"answer": params["message"]}}
    )
    result = (await client.request("tools/call", name="ask_three"))["result"]
    assert result["structuredContent"]["result"] == ["red", "green", "blue"]
    if revision == MODERN:
        # The keys are the same in every run, whichever call sends its request first.
        assert sorted(set(client.keys)) == ["ask-2.elicitation-1", "ask-3.elicitation-1", "ask.elicitation-1"]


async def test_a_chain_of_calls_continues_on_another_server() -> None:
    app = chain()
    first = Client(app, MODERN, SECRETS)
    params = {"name": "hand_on", "_meta": first.envelope()}
    asked = (await first.answer_to(first.begin("tools/call", params)))["result"]
    (key,) = asked["inputRequests"]
    answers = {key: {"action": "accept", "content": {"sure": True}}}
    other = Client(app, MODERN, SECRETS)
    state = asked["requestState"]
    done = await other.request("tools/call", name="hand_on", inputResponses=answers, requestState=state)
    assert text_of(done["result"]) == "False OPEN-SESAME"
    assert other.asked == []


async def test_log_messages_of_the_called_tool_belong_to_the_call_of_the_client() -> None:
    client = Client(chain(), LEGACY, SECRETS, lambda method, params: {"action": "decline"})
    await client.request("tools/call", name="hand_on")
    sent = [n for n, message in enumerate(client.outlet.sent) if message.get("method") == "notifications/message"]
    assert [client.outlet.related[n] for n in sent] == [1]


async def test_tools_that_call_each_other_endlessly_are_stopped() -> None:
    app = MCPApp("loop", toolkit="")
    levels = 0

    @app.tool
    async def again(context: Context) -> str:
        """Call itself."""
        nonlocal levels
        levels += 1
        return str((await context.tools.call_raw("again")).content[0].text)

    assert "more than 16 levels deep" in text_of(await result_of(app, "again"))
    assert levels == MAX_LEVELS + 1


async def test_the_called_tool_is_cancelled_with_the_calling_tool() -> None:
    app = MCPApp("cancel", toolkit="")
    entered, cancelled = asyncio.Event(), asyncio.Event()
    thread_entered, thread_left = threading.Event(), threading.Event()

    @app.tool
    async def wait() -> None:
        """Wait."""
        entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    @app.tool
    def wait_on_a_thread(context: Context) -> None:
        """Wait until it is cancelled."""
        thread_entered.set()
        while not context.cancelled:
            threading.Event().wait(0.005)
        thread_left.set()

    @app.tool
    async def call_both(context: Context) -> None:
        """Call both."""
        await asyncio.gather(context.tools.call_raw("wait_on_a_thread"), context.tools.call_raw("wait"))

    client = Client(app)
    id = client.begin("tools/call", {"name": "call_both"})
    # If the call is cancelled before a thread has begun it, the function never runs.
    await until(lambda: entered.is_set() and thread_entered.is_set())
    client.session.receive(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}' % id)
    await until(lambda: cancelled.is_set() and thread_left.is_set())


@both_eras
async def test_a_required_url_is_sent_to_the_client_of_the_outer_call(revision: str) -> None:
    app = MCPApp("bank", toolkit="")
    visited = False

    @app.tool
    async def balance() -> str:
        """Return how much there is."""
        if not visited:
            raise UrlElicitationRequired([UrlElicitation("Sign in.", "https://bank.example/in")])
        return "rich"

    @app.tool
    async def report(context: Context) -> str:
        """Call it."""
        return str((await context.tools.call_raw("balance")).content[0].text)

    def visit(method: str, params: dict[str, Any]) -> dict[str, Any]:
        nonlocal visited
        visited = params["url"] == "https://bank.example/in"
        return {"action": "accept"}

    answer = await Client(app, revision, answer=visit).request("tools/call", name="report")
    if revision == LEGACY:
        assert answer["error"]["code"] == -32042
    else:
        assert text_of(answer["result"]) == "rich"


async def test_a_called_tool_does_not_become_a_task() -> None:
    app = MCPApp("tasks", toolkit="")

    @app.tool(execution={"taskSupport": "required"})
    async def long(context: Context) -> str:
        """Try to become a task."""
        return str(await context.become_task())

    @app.tool
    async def call_it(context: Context) -> str:
        """Call it."""
        return str((await context.tools.call_raw("long")).content[0].text)

    extension: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    assert text_of(await result_of(app, "call_it", MODERN, capabilities=extension)) == "False"


async def test_records_show_the_called_tool_beside_the_call_of_the_client() -> None:
    client = Client(chain())
    await client.request("tools/call", name="sum_up")
    began, ended = [event for event in client.records.events() if str(event.get("event")).startswith("inner_call_")]
    assert (began["event"], began["id"], began["tool"]) == ("inner_call_began", 1, "add")
    assert (ended["event"], ended["id"], ended["tool"], ended["ok"]) == ("inner_call_ended", 1, "add", True)
    assert began["inner_id"] == ended["inner_id"]
    assert began["inner_id"].startswith("internal-")


async def test_the_tools_are_listed_over_all_pages() -> None:
    app = chain()

    @app.tool
    async def names(context: Context) -> list[str]:
        """List the tools."""
        return [tool.name for tool in await context.tools.list() if tool.inputSchema["type"] == "object"]

    listed = (await result_of(app, "names", settings=Settings(page_size=2)))["structuredContent"]["result"]
    assert sorted(listed) == ["add", "ask_and_show", "hand_on", "names", "sum_up"]


async def test_a_thread_can_call_tools() -> None:
    app = chain()

    @app.tool
    def on_a_thread(context: Context) -> int:
        """Call."""
        return int(context.blocking.tools.call_raw("add", {"a": 4, "b": 5}).structuredContent["result"])

    assert text_of(await result_of(app, "on_a_thread")) == "9"


async def test_calls_without_a_server_and_after_the_call_raise_an_error() -> None:
    with pytest.raises(ContextError, match="runs without a server, so tools/call cannot be requested"):
        await Context(FakePort(), 1).tools.call_raw("add")
    kept: list[Context] = []
    app = chain()

    @app.tool
    async def keep(context: Context) -> None:
        """Keep the context."""
        kept.append(context)

    await result_of(app, "keep")
    with pytest.raises(ContextError, match="The call has ended"):
        await kept[0].tools.call_raw("add", {"a": 1, "b": 1})


async def test_a_tool_that_runs_as_a_task_can_call_tools_that_request_input() -> None:
    app = chain()

    @app.tool(execution={"taskSupport": "optional"})
    async def long(context: Context) -> str:
        """Call the tool that asks, as a task."""
        result = await context.tools.call_raw("ask_and_show")
        return f"{context.session_id == context.session.session_id} {result.content[0].text}"

    client = Client(app, LEGACY, SECRETS, lambda method, params: {"action": "accept", "content": {}})
    task = (await client.request("tools/call", name="long", task={}))["result"]["task"]["taskId"]
    result = (await client.request("tasks/result", taskId=task))["result"]
    assert text_of(result) == "True OPEN-SESAME"
    (asked,) = client.asked
    assert asked[1]["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": task}


async def test_log_messages_of_a_called_tool_that_are_not_sent_are_recorded_with_its_call() -> None:
    app = chain()

    @app.tool
    def fail() -> None:
        """Fail."""
        raise FatalToolError("it broke", "the disk is full")

    @app.tool
    async def call_it(context: Context) -> None:
        """Call it."""
        await context.tools.call_raw("fail")

    client = Client(app)
    await client.request("tools/call", name="call_it")
    (failed,) = [event for event in client.records.events() if event["event"] == "tool_failed"]
    assert (failed["tool"], failed["id"], failed["developer_message"]) == ("fail", 1, "the disk is full")
