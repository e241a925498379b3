"""What a running tool asks of its own server goes the way of every request, and belongs to the tool's call."""

from typing import Any

import pytest

from server_core import Context
from server_core.protocol.jsonrpc import Request
from server_core.serving.nested_caller import NestedCaller, await_answer, inner_id
from server_core.serving.server import Server
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, Toolkit, call, generation, initialize, new_server
from tests.waiting import until


class Nested:
    """A server whose tool `ask` makes one request of the server itself."""

    def __init__(self) -> None:
        self.kit = Toolkit()
        self.server: Server = new_server(self.kit, loaded=False)
        self.kit.app.tool(self.ask)
        self.kit.app.tool(self.is_in_task, execution={"taskSupport": "required"})
        self.server.swap(generation(self.kit.catalog(), self.kit.app))
        self.outlet = RecordingOutlet()
        self.session = self.server.open_session(self.outlet, "memory")
        for message in (initialize(elicitation={}), INITIALIZED):
            self.session.receive(message)

    async def ask(self, context: Context, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Make one request of the server itself."""
        return await await_answer(self.server.answer(NestedCaller(context), Request(inner_id(), method, params)))

    async def is_in_task(self, context: Context) -> str:
        """Return whether this is a task."""
        return str(await context.become_task())

    async def result(self, method: str, **params: Any) -> Any:
        """What the tool got, or the text of its failure."""
        arguments = {"method": method, "params": params}
        message = call(7, "tools/call", name="ask", arguments=arguments, _meta={"progressToken": "p"})
        self.session.receive(message)
        await until(lambda: self.outlet.sent[-1].get("id") == 7)
        result = self.outlet.sent[-1]["result"]
        return result["content"][0]["text"] if result.get("isError") else result["structuredContent"]


async def test_a_tool_calls_another_of_its_server() -> None:
    result = await Nested().result("tools/call", name="add", arguments={"a": 1, "b": 2})
    assert result["content"][0]["text"] == "3"


async def test_a_list_that_is_cached_as_text_is_returned_as_values() -> None:
    assert "add" in [tool["name"] for tool in (await Nested().result("tools/list"))["tools"]]


async def test_notifications_of_the_inner_call_belong_to_the_outer_call() -> None:
    nested = Nested()
    await nested.result("tools/call", name="climb", arguments={}, _meta={"progressToken": "p"})
    positions = [n for n, message in enumerate(nested.outlet.sent) if message.get("method") == "notifications/message"]
    assert positions
    assert {nested.outlet.related[n] for n in positions} == {7}


async def test_a_tool_that_runs_only_as_a_task_is_waited_for() -> None:
    assert (await Nested().result("tools/call", name="is_in_task", arguments={}))["content"][0]["text"] == "False"


@pytest.mark.parametrize("method", ["no/such", "initialize", "subscriptions/listen", "tasks/list"])
async def test_methods_for_clients_only_are_refused(method: str) -> None:
    assert "Method not found" in await Nested().result(method)


def test_an_id_of_our_own_is_no_clients() -> None:
    assert inner_id().startswith("internal-")
    assert inner_id() != inner_id()
