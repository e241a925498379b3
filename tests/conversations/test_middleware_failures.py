"""Middleware that fails or returns something invalid: each request still gets one valid response."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from server_core.errors import ProtocolError, RemoteError, RetryableToolError
from server_core.middleware import CallNext, Middleware
from tests.conversations.conftest import World, over
from tests.conversations.middlewares import ADD, REQUESTS, Seen, around, is_recent, raising, text, use, with_token
from tests.conversations.test_notifications import message, raw_channel, received
from tests.waiting import within

pytestmark = pytest.mark.promises("middleware")


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
async def test_every_request_is_answered_regardless_of_the_code_of_an_exception(
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
async def test_a_notification_ends_no_server_regardless_of_the_code_of_an_exception(world: World) -> None:
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
