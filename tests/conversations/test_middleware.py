"""Middleware sees every message, in every revision and on every transport, and cannot malform any."""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from server_core import MCPApp
from server_core.errors import ContextRequiredToolError, ProtocolError, RemoteError, RetryableToolError
from server_core.middleware import CallNext, Middleware, MiddlewareContext
from server_core.middleware.middleware import HOOKS
from server_core.protocol.jsonrpc import Notification, Params
from server_core.protocol.methods import METHODS
from server_core.protocol.revisions import Revision
from tests.conversations.conftest import World, over
from tests.conversations.test_notifications import message, raw_channel, received
from tests.server_core.toolkit import Records, generation
from tests.waiting import until, within

pytestmark = pytest.mark.promises("middleware")

Seen = MiddlewareContext[Any]
ADD: dict[str, Any] = {"name": "add", "arguments": {"a": 1, "b": 2}}
REQUESTS: dict[str, Params] = {
    "tools/call": ADD,
    "tools/list": {},
    "resources/read": {"uri": "toolkit://motto"},
    "resources/list": {},
    "resources/templates/list": {},
    "prompts/get": {"name": "letter", "arguments": {"tone": "kind"}},
    "prompts/list": {},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "letter"},
        "argument": {"name": "tone", "value": "k"},
    },
}


def use(world: World, *middleware: Any, **settings: Any) -> Records:
    """Serve the toolkit with this middleware, and return the records from now on."""
    world.set(**settings)
    catalog = world.toolkit.catalog()
    served = generation(catalog, world.toolkit.app, number=2, before=catalog)
    records = Records(world.server.tap)
    world.server.swap(replace(served, apps=(MCPApp("guarded", middleware=middleware),)))
    return records


def around(hook: str, does: Callable[[Seen, CallNext], Any]) -> Middleware:
    """Return a middleware with a single hook."""

    async def run(self: Middleware, context: Seen, call_next: CallNext) -> Any:
        return await does(context, call_next)

    kind: type[Middleware] = type("Guard", (Middleware,), {hook: run})
    return kind()


def raising(hook: str, error: BaseException) -> Middleware:
    async def fail(context: Seen, call_next: CallNext) -> Any:
        raise error

    return around(hook, fail)


def is_recent(revision: Revision) -> bool:
    return revision.date in ("2025-06-18", "2026-07-28")


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


@over()
async def test_a_failure_in_any_hook_is_answered_under_the_id_as_it_came(world: World) -> None:
    for id in (
        5,
        "abc",
    ):
        async with raw_channel(world) as channel:
            for hook, method in (
                ("on_call_tool", "tools/call"),
                ("on_list_tools", "tools/list"),
                ("on_list_resources", "resources/list"),
                ("on_request", "prompts/get"),
                ("on_message", "completion/complete"),
            ):
                use(world, raising(hook, RuntimeError("the password is hunter2")))
                await within(channel.send(message(world, id, method, **REQUESTS[method])))
                answer = await received(channel)
                assert (answer["jsonrpc"], answer["id"]) == ("2.0", id)
                assert type(answer["id"]) is type(id)
                assert "hunter2" not in json.dumps(answer)
                if method == "tools/call":
                    assert answer["result"]["isError"] is True
                    assert "RuntimeError" in answer["result"]["content"][0]["text"]
                else:
                    assert answer["error"]["code"] == -32603
            use(world)
            await within(channel.send(message(world, id, "tools/call", **ADD)))
            assert (await received(channel))["result"]["content"][0]["text"] == "3"


async def no_next(context: Seen, call_next: CallNext) -> Any:
    """Return None without calling the next."""


async def text(context: Seen, call_next: CallNext) -> Any:
    return "done"


async def no_content(context: Seen, call_next: CallNext) -> Any:
    return {"isError": False}


async def no_blocks(context: Seen, call_next: CallNext) -> Any:
    return {"content": ["done"]}


async def no_meta(context: Seen, call_next: CallNext) -> Any:
    return {"content": [], "_meta": None}


async def no_json(context: Seen, call_next: CallNext) -> Any:
    return {"content": [], "structuredContent": {"at": object()}}


async def cycle(context: Seen, call_next: CallNext) -> Any:
    result: dict[str, Any] = {"content": []}
    result["structuredContent"] = result
    return result


async def other_message(context: Seen, call_next: CallNext) -> Any:
    return await call_next(context.copy(message="tools/call"))


async def other_method(context: Seen, call_next: CallNext) -> Any:
    return await call_next(context.copy(message={**context.message, "method": "tools/list"}))


async def other_params(context: Seen, call_next: CallNext) -> Any:
    return await call_next(context.copy(message={**context.message, "params": [1]}))


async def no_context(context: Seen, call_next: CallNext) -> Any:
    return await call_next(None)  # type: ignore[arg-type]


def no_coroutine(context: Seen, call_next: CallNext) -> Any:
    return {"content": []}


@over(is_recent, transports=("memory", "http"))
async def test_an_invalid_answer_becomes_a_failed_call(world: World) -> None:
    for does in (
        no_next,
        text,
        no_content,
        no_blocks,
        no_meta,
        no_json,
        cycle,
        other_message,
        other_method,
        other_params,
        no_context,
        no_coroutine,
    ):
        records = use(world, around("on_call_tool", does))
        client = await world.open()
        result = await within(client.call_tool("add", {"a": 1, "b": 2}).result())
        assert result["isError"] is True
        failures = [event for event in records.events() if event["event"] == "tool_failed"]
        assert failures
        assert failures[0]["tool"] == "add"
        use(world)
        assert not (await within(client.call_tool("add", {"a": 1, "b": 2}).result())).get("isError")


@pytest.mark.parametrize("method", ["tools/call", "tools/list"])
@over(is_recent, transports=("memory",))
async def test_an_exit_ends_only_its_request(world: World, method: str) -> None:
    for error in (
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
    ):
        use(world, raising("on_request", error))
        client = await world.open()
        if method == "tools/call":
            assert (await within(client.request(method, ADD)))["isError"] is True
        else:
            with pytest.raises(RemoteError) as refused:
                await within(client.request(method))
            assert refused.value.code == -32603
        use(world)
        await within(client.request(method, REQUESTS[method]))


class OfNoClass(RuntimeError):
    @property
    def __class__(self) -> type:
        raise SystemExit(3)


class OfNoFields(Exception):
    def __getattribute__(self, name: str) -> Any:
        raise SystemExit(3)


class OfNoText(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class OfTwoMinds(RetryableToolError):
    """Its message has a secret when it is first read, and ends the process afterwards."""

    reads = 0

    @property
    def message(self) -> str:
        self.reads += 1
        return "hunter2" if self.reads == 1 else sys.exit(3)

    @message.setter
    def message(self, text: str) -> None: ...


class OfNoCode(ProtocolError):
    code = property(lambda self: sys.exit(3), lambda self, code: None)


class NamelessClass(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise SystemExit(3)


class Nameless(ValueError, metaclass=NamelessClass):
    pass


class NamelessExit(BaseException, metaclass=NamelessClass):
    @property
    def __class__(self) -> type:
        raise SystemExit(3)


HOSTILE: dict[str, Callable[[], BaseException]] = {
    "no class": lambda: OfNoClass("hunter2"),
    "no fields": lambda: OfNoFields("hunter2"),
    "no text": lambda: OfNoText("hunter2"),
    "two minds": lambda: OfTwoMinds("hunter2"),
    "no code": lambda: OfNoCode(1, "hunter2"),
    "no name": lambda: Nameless("hunter2"),
    "nothing at all": lambda: NamelessExit("hunter2"),
    "an exit": lambda: SystemExit("hunter2"),
}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"middleware_enable_error_handling": False},
        {"middleware_enable_logging": True, "middleware_mask_error_details": True},
    ],
    ids=["as it is", "not handled", "logged and masked"],
)
@over(is_recent, transports=("memory",))
async def test_whatever_the_code_of_an_exception_does_the_request_is_answered(
    world: World, settings: dict[str, Any]
) -> None:
    for hostile in HOSTILE:
        handled = settings.get("middleware_enable_error_handling", True)
        for hook, method in (
            ("on_call_tool", "tools/call"),
            ("on_list_tools", "tools/list"),
            ("on_message", "prompts/get"),
        ):
            use(world, raising(hook, HOSTILE[hostile]()), **settings)
            async with raw_channel(world) as channel:
                await within(channel.send(message(world, 1, method, **REQUESTS[method])))
                answer = await received(channel)
                assert answer["id"] == 1
                assert "hunter2" not in json.dumps(answer)
                is_result = handled and method == "tools/call" and hostile != "no code"
                assert answer["result"]["isError"] if is_result else answer["error"]["code"] == -32603
        use(world)
        client = await world.open()
        assert not (await within(client.call_tool("add", {"a": 1, "b": 2}).result())).get("isError")


@over(is_recent, transports=("memory",))
async def test_whatever_the_code_of_an_exception_does_a_notification_ends_no_server(world: World) -> None:
    for hostile in HOSTILE:
        records = use(world, raising("on_notification", HOSTILE[hostile]()), middleware_enable_logging=True)
        async with raw_channel(world) as channel:
            await within(channel.send(with_token(world, 1, "climb")))
            assert (await received(channel))["id"] == 1
        assert [event for event in records.events() if event["event"] == "middleware_failed"]


@over(is_recent, transports=("memory",))
async def test_a_middleware_that_exits_when_its_additions_are_read_adds_nothing(world: World) -> None:
    class Leaving(Middleware):
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def get_capabilities(self) -> dict[str, Any]:
            raise self.error

    for hostile in HOSTILE.values():
        records = use(world, Leaving(hostile()))
        assert [event for event in records.events() if event["event"] == "middleware_failed"]
        client = await world.open()
        assert not (await within(client.call_tool("add", {"a": 1, "b": 2}).result())).get("isError")


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


@over(lambda revision: not revision.stateless)
async def test_a_middleware_can_notify_the_client(world: World) -> None:
    async def note(context: Seen, call_next: CallNext) -> Any:
        assert context.mcp_context is not None
        await context.mcp_context.log.error("a note")
        return await call_next(context)

    notifications: list[Notification] = []
    use(world, around("on_call_tool", note))
    client = await world.open(on_notification=notifications.append)
    await within(client.call_tool("add", {"a": 1, "b": 2}).result())
    await until(lambda: any(notification.params.get("data") == "a note" for notification in notifications))


# Notifications.


@over(lambda revision: not revision.stateless)
async def test_notifications_are_seen_in_both_directions(world: World) -> None:
    seen: list[tuple[str, str, str]] = []

    async def see(context: Seen, call_next: CallNext) -> Any:
        seen.append((context.source, context.type, context.method))
        assert context.request_id is None
        return await call_next(context)

    use(world, around("on_notification", see))
    client = await world.open(on_notification=lambda notification: None)
    await within(client.call_tool("climb", {}).result())
    await within(client.notify("notifications/roots/list_changed"))
    await until(lambda: ("client", "notification", "notifications/roots/list_changed") in seen)
    assert ("client", "notification", "notifications/initialized") in seen
    assert ("server", "notification", "notifications/message") in seen


@over(transports=("memory", "stdio"))
async def test_messages_delayed_by_a_slow_middleware_are_sent_in_order_and_before_the_response(world: World) -> None:
    gates = [asyncio.Event() for _ in range(3)]

    async def hold(context: Seen, call_next: CallNext) -> Any:
        if context.method == "notifications/progress":
            step = context.message.params["progress"]
            await gates[step - 1].wait()
            if step > 1:
                gates[step - 2].set()
        return await call_next(context)

    use(world, around("on_notification", hold))
    async with raw_channel(world) as channel:
        # The last report passes first, and each opens the gate of the previous.
        gates[2].set()
        await within(channel.send(with_token(world, 1, "climb")))
        came = [await received(channel)]
        while "id" not in came[-1]:
            came.append(await received(channel))
    steps = [message["params"]["progress"] for message in came if message.get("method") == "notifications/progress"]
    assert steps == [1, 2, 3]
    assert came[-1]["id"] == 1


def with_token(world: World, id: int, tool: str) -> bytes:
    request = json.loads(message(world, id, "tools/call", name=tool, arguments={}))
    request["params"].setdefault("_meta", {})["progressToken"] = "t"
    return json.dumps(request).encode()


@over(transports=("memory",))
async def test_a_notification_is_changed_or_dropped_and_sent_once_at_most(world: World) -> None:
    async def edit(context: Seen, call_next: CallNext) -> Any:
        if context.method != "notifications/progress":
            return await call_next(context)
        params = context.message.params
        if params.get("progress") == 1:
            return None
        changed = context.copy(message={"method": context.method, "params": {**params, "total": 30}})
        await call_next(changed)
        return await call_next(changed)

    use(world, around("on_notification", edit))
    async with raw_channel(world) as channel:
        await within(channel.send(with_token(world, 1, "climb")))
        came = [await received(channel)]
        while "id" not in came[-1]:
            came.append(await received(channel))
    reports = [message["params"] for message in came if message.get("method") == "notifications/progress"]
    assert [(report["progress"], report["total"]) for report in reports] == [(2, 30), (3, 30)]


@pytest.mark.parametrize("error", [RuntimeError("boom"), SystemExit(1)])
@over(transports=("memory",))
async def test_a_middleware_that_fails_with_a_notification_keeps_it_from_the_client_alone(
    world: World, error: BaseException
) -> None:
    records = use(world, raising("on_notification", error))
    async with raw_channel(world) as channel:
        await within(channel.send(with_token(world, 1, "climb")))
        assert (await received(channel))["id"] == 1
    failures = [event for event in records.events() if event["event"] == "middleware_failed"]
    assert {event["method"] for event in failures} >= {"notifications/progress"}


@over(lambda revision: not revision.stateless, transports=("memory",))
async def test_a_broken_middleware_does_not_keep_a_call_from_being_cancelled(world: World) -> None:
    use(world, raising("on_notification", RuntimeError("boom")))
    async with raw_channel(world) as channel:
        await within(channel.send(message(world, 1, "tools/call", name="wait", arguments={})))
        await within(world.toolkit.entered.wait())
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        await within(channel.send(json.dumps(cancelled).encode()))
        await within(world.toolkit.cancelled.wait())


@over(lambda revision: not revision.stateless, transports=("memory",))
async def test_a_middleware_that_notifies_on_every_notification_does_not_recurse_for_ever(world: World) -> None:
    async def echo(context: Seen, call_next: CallNext) -> Any:
        if context.source == "server":
            world.server.sessions["s1"].notify("notifications/message", {"level": "error", "data": "echo"})
        return await call_next(context)

    use(world, around("on_notification", echo))
    notifications: list[Notification] = []
    client = await world.open(on_notification=notifications.append)
    await within(client.call_tool("climb", {}).result())
    await within(client.ping())
    logs = [
        notification.params["data"] for notification in notifications if notification.method == "notifications/message"
    ]
    assert logs.count("echo") < 10


@over(lambda revision: not revision.stateless, transports=("memory",))
async def test_delayed_messages_are_bounded(world: World) -> None:
    gate = asyncio.Event()

    async def hold(context: Seen, call_next: CallNext) -> Any:
        if context.source == "server":
            await gate.wait()
        return await call_next(context)

    records = use(world, around("on_notification", hold), max_queued_messages=3)
    async with raw_channel(world):
        session = world.server.sessions["s1"]
        for number in range(10):
            session.notify("notifications/message", {"level": "error", "data": number})
        gate.set()
        dropped = [event for event in records.events() if event["event"] == "middleware_failed"]
        assert len(dropped) == 7


# Generations.


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
