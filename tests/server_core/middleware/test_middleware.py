"""Middleware by itself: its dispatch, its context, its composition, and the one that takes times."""

from typing import Any

import pytest

from server_core import MCPApp
from server_core.middleware import CallNext, Middleware, MiddlewareContext, TimingMiddleware, compose_middleware
from server_core.protocol.jsonrpc import Request
from tests.tables import each_row

pytestmark = pytest.mark.promises("middleware")


def of(method: str, **params: Any) -> MiddlewareContext[Request]:
    return MiddlewareContext(message=Request(1, method, params), method=method, request_id=1)


async def end(context: MiddlewareContext[Any]) -> Any:
    return {"metadata": context.metadata}


async def test_a_middleware_without_hooks_hands_everything_on() -> None:
    assert await Middleware()(of("tools/call"), end) == {"metadata": {}}
    assert Middleware().get_capabilities() == {}


async def test_a_copy_differs_in_what_was_changed_and_shares_the_metadata() -> None:
    context = of("tools/call")
    copy = context.copy(request_id="x")
    assert (context.request_id, copy.request_id) == (1, "x")
    assert copy.metadata is context.metadata
    assert copy.timestamp == context.timestamp


@each_row("params", [{"params": {}}, {"params": None}, {}])
def test_a_message_that_a_test_writes_as_a_dict_is_read_as_every_other(params: Any) -> None:
    context: MiddlewareContext[Any] = MiddlewareContext(message={"method": "tools/call", "params": {"name": "add"}})
    assert context.message == {"method": "tools/call", "params": {"name": "add"}}
    assert (context.message.method, context.message.params.name, context.message.id) == ("tools/call", "add", None)
    assert context.copy(message={"method": "ping", **params}).message.params == {}


async def test_several_are_composed_with_the_first_as_the_outermost() -> None:
    def named(name: str) -> Any:
        async def step(context: MiddlewareContext[Any], call_next: CallNext) -> Any:
            return [name, await call_next(context)]

        return step

    composed = compose_middleware(named("a"), compose_middleware(named("b"), named("c")))
    assert await composed(of("ping"), end) == ["a", ["b", ["c", {"metadata": {}}]]]


async def test_the_times_and_outcomes_of_the_last_requests_are_stored() -> None:
    async def fail(context: MiddlewareContext[Any]) -> Any:
        raise ValueError("no")

    timing = TimingMiddleware(keep=2)
    await timing(of("prompts/list"), end)
    await timing(of("tools/call", name="add"), end)
    with pytest.raises(ValueError, match="no"):
        await timing(of("resources/read", uri="a://b"), fail)
    assert [(item.method, item.name, item.ok) for item in timing.timings] == [
        ("tools/call", "add", True),
        ("resources/read", "a://b", False),
    ]
    assert all(item.seconds >= 0 for item in timing.timings)


@each_row("wrong", [Middleware, "logging", None])
def test_an_invalid_middleware_is_refused_where_it_is_passed(wrong: Any) -> None:
    with pytest.raises(TypeError, match="MCPApp's middleware must be objects such as MyMiddleware"):
        MCPApp("app", middleware=[wrong])
