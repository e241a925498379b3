"""Middleware sees and changes every request, in every revision and on every transport."""

import json
from typing import Any

import pytest

from server_core.errors import ContextRequiredToolError, ProtocolError, RemoteError, RetryableToolError
from server_core.middleware import CallNext, Middleware
from server_core.middleware.middleware import HOOKS
from server_core.protocol.methods import METHODS
from tests.conversations.conftest import World, over
from tests.conversations.middlewares import ADD, REQUESTS, Seen, around, is_recent, raising, use
from tests.conversations.test_notifications import message, raw_channel, received
from tests.waiting import within

pytestmark = pytest.mark.promises("middleware")


class Recording(Middleware):
    """Records the hooks that requests passed, and their contexts."""

    def __init__(self, name: str, into: list[str]) -> None:
        self._name, self._into = name, into
        self.seen: list[Seen] = []

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("on_"):
            return super().__getattribute__(name)

        async def hook(context: Seen, call_next: CallNext) -> Any:
            if context.type == "notification":
                return await call_next(context)
            self.seen.append(context)
            self._into.append(f"{self._name}.{name}")
            result = await call_next(context)
            self._into.append(f"/{self._name}.{name}")
            return result

        return hook


@over()
async def test_the_first_middleware_and_its_general_hooks_are_the_outermost(world: World) -> None:
    steps: list[str] = []
    use(world, Recording("a", steps), Recording("b", steps))
    client = await world.open()
    steps.clear()
    assert (await within(client.call_tool("add", {"a": 1, "b": 2}).result()))["content"][0]["text"] == "3"
    way_in = [f"{name}.{hook}" for name in "ab" for hook in ("on_message", "on_request", "on_call_tool")]
    assert steps == way_in + [f"/{step}" for step in reversed(way_in)]


@over(is_recent, transports=("memory",))
async def test_every_request_is_seen_by_the_hook_of_its_method(world: World) -> None:
    for method in REQUESTS:
        steps: list[str] = []
        middleware = Recording("a", steps)
        use(world, middleware)
        client = await world.open()
        steps.clear()
        middleware.seen.clear()
        await within(client.request(method, REQUESTS[method]))
        hooks = [step for step in steps if not step.startswith("/")]
        special = {
            "tools/call": "on_call_tool",
            "tools/list": "on_list_tools",
            "resources/read": "on_read_resource",
            "resources/list": "on_list_resources",
            "resources/templates/list": "on_list_resource_templates",
            "prompts/get": "on_get_prompt",
            "prompts/list": "on_list_prompts",
        }
        assert hooks == ["a.on_message", "a.on_request", *([f"a.{special[method]}"] if method in special else [])]
        context = middleware.seen[0]
        assert (context.method, context.source, context.type) == (method, "client", "request")
        assert context.message.params.items() >= REQUESTS[method].items()
        assert context.mcp_context is not None
        assert context.session_id == context.mcp_context.port.client.session_id
        assert context.timestamp.tzinfo is not None


@over(is_recent, transports=("memory", "http"))
async def test_a_middleware_that_calls_next_twice_gets_two_results_and_the_client_a_single_result(world: World) -> None:
    results: list[Any] = []

    async def twice(context: Seen, call_next: CallNext) -> Any:
        results.append(await call_next(context))
        results.append(await call_next(context))
        return results[-1]

    use(world, around("on_call_tool", twice))
    async with raw_channel(world) as channel:
        await within(channel.send(message(world, 1, "tools/call", **ADD)))
        assert (await received(channel))["id"] == 1
        await within(channel.send(message(world, 2, "tools/list")))
        assert (await received(channel))["id"] == 2
    assert [result["content"][0]["text"] for result in results] == ["3", "3"]


@over(is_recent, transports=("memory",))
async def test_a_message_is_read_and_changed_in_place_by_its_attributes_and_as_a_dict(world: World) -> None:
    read: list[Any] = []

    async def read_context(context: Seen, call_next: CallNext) -> Any:
        message = context.message
        read.append((message.jsonrpc, message.id, message["id"], context.request_id))
        read.append((message.method, message.get("method")))
        read.append((message.params.name, message["params"]["name"], message.params.arguments["a"]))
        message["params"]["arguments"] = {"a": 20, "b": 22}
        return await call_next(context)

    use(world, around("on_call_tool", read_context))
    async with raw_channel(world) as channel:
        await within(channel.send(message(world, "x", "tools/call", **ADD)))
        assert (await received(channel))["result"]["content"][0]["text"] == "42"
    assert read == [("2.0", "x", "x", "x"), ("tools/call", "tools/call"), ("add", "add", 1)]


@over()
async def test_a_middleware_answers_by_itself_or_changes_the_message_and_the_result(world: World) -> None:
    async def cached(context: Seen, call_next: CallNext) -> Any:
        return {"content": [{"type": "text", "text": "from the cache"}]}

    async def bigger(context: Seen, call_next: CallNext) -> Any:
        arguments = {**context.message.params["arguments"], "b": 40}
        changed = {**context.message, "params": {**context.message.params, "arguments": arguments}, "id": "another"}
        result = await call_next(context.copy(message=changed))
        return {**result, "content": [*result["content"], {"type": "text", "text": "checked"}]}

    async def fewer(context: Seen, call_next: CallNext) -> Any:
        result = await call_next(context)
        return {**result, "tools": [tool for tool in result["tools"] if tool["name"] == "add"]}

    client = await world.open()
    use(world, around("on_call_tool", cached))
    assert (await within(client.call_tool("add", {}).result()))["content"][0]["text"] == "from the cache"
    use(world, around("on_call_tool", bigger))
    content = (await within(client.call_tool("add", {"a": 2, "b": 0}).result()))["content"]
    assert [block["text"] for block in content] == ["42", "checked"]
    use(world, around("on_list_tools", fewer))
    assert [tool["name"] for tool in (await within(client.request("tools/list")))["tools"]] == ["add"]


@over(is_recent)
async def test_errors_of_authors_and_refusals_reach_the_client_unchanged(world: World) -> None:
    client = await world.open()
    use(world, raising("on_call_tool", RetryableToolError("Too fast.", retry_after_ms=50)))
    result = await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    assert "Too fast." in result["content"][0]["text"]
    assert result["_meta"]["arcade"]["retryAfterMs"] == 50
    use(world, raising("on_call_tool", ProtocolError(-32001, "Not today")))
    with pytest.raises(RemoteError, match="Not today"):
        await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    use(world, raising("on_message", ProtocolError(-32001, "Not today")))
    with pytest.raises(RemoteError, match="Not today"):
        await within(client.request("prompts/list"))
    use(world)
    with pytest.raises(RemoteError, match="no_such"):
        await within(client.call_tool("no_such", {}).result())


@over(is_recent, transports=("memory",))
async def test_details_are_masked_where_that_is_set(world: World) -> None:
    client = await world.open()
    use(world, raising("on_request", ContextRequiredToolError("secret", "hint")), middleware_mask_error_details=True)
    result = await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    assert result["isError"] is True
    assert "secret" not in json.dumps(result)
    assert "hint" not in json.dumps(result)
    with pytest.raises(RemoteError, match="The request failed"):
        await within(client.request("prompts/list"))


@over(is_recent, transports=("memory",))
async def test_without_error_handling_a_failure_is_an_error_of_the_request(world: World) -> None:
    client = await world.open()
    use(world, raising("on_call_tool", RuntimeError("boom")), middleware_enable_error_handling=False)
    with pytest.raises(RemoteError, match="Internal error") as refused:
        await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    assert refused.value.code == -32603


@over(is_recent, transports=("memory",))
async def test_a_new_generation_brings_its_own_middleware(world: World) -> None:
    steps: list[str] = []
    client = await world.open()
    use(world, Recording("old", steps))
    await within(client.request("prompts/list"))
    use(world, Recording("new", steps))
    steps.clear()
    await within(client.request("prompts/list"))
    assert steps
    assert all("new" in step for step in steps)


def test_every_method_with_a_hook_belongs_to_the_protocol() -> None:
    assert set(HOOKS) <= set(METHODS)
