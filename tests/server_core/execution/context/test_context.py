"""What a running tool can do: log messages, secrets, resources, and the same from threads."""

import asyncio
from typing import Any

import pytest

from server_core import Context, ContextError
from server_core.authoring.app import MCPApp
from server_core.protocol.methods import LOG_LEVELS
from tests.server_core.execution.app_client import result_of
from tests.server_core.ports import Call, FakePort, text_of
from tests.waiting import within

pytestmark = pytest.mark.promises("context")


def nothing() -> None: ...


async def test_log_messages_have_level_text_and_facts() -> None:
    async def log(context: Context) -> None:
        await context.log.debug("a")
        await context.log.info("b", count=3, thing=object)
        await context.log.log("critical", "c", logger="mine")

    call = Call(log)
    await call.run()
    assert call.port.notifications == [
        ("notifications/message", {"level": "debug", "data": "a"}),
        (
            "notifications/message",
            {"level": "info", "data": {"msg": "b", "extra": {"count": 3, "thing": "<class 'object'>"}}},
        ),
        ("notifications/message", {"level": "critical", "logger": "mine", "data": "c"}),
    ]


async def test_every_level_has_its_method() -> None:
    log = (call := Call(nothing)).context.log
    for method in (log.debug, log.info, log.notice, log.warning, log.error, log.critical, log.alert, log.emergency):
        await method("x", logger="parts", part=1)
    assert [params["level"] for _, params in call.port.notifications] == list(LOG_LEVELS)
    assert {params["logger"] for _, params in call.port.notifications} == {"parts"}


async def test_log_messages_below_the_level_of_the_client_are_not_sent() -> None:
    async def log(context: Context) -> None:
        await context.log.info("quiet")
        await context.log.error("loud")

    call = Call(log)
    call.port.client.log_level = "warning"
    await call.run()
    assert [params["data"] for _, params in call.port.notifications] == ["loud"]


async def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown log level 'loud'"):
        await Call(nothing).context.log.log("loud", "x")


async def test_facts_of_a_message_without_a_json_form_are_sent_as_text() -> None:
    call = Call(nothing)
    await call.context.log.info("x", nan=float("nan"), name="NaN is a name", key={1: 2, (1, 2): 3})
    extra = call.port.notifications[0][1]["data"]["extra"]
    assert extra == {"nan": None, "name": "NaN is a name", "key": {"1": 2}}


async def test_threads_have_blocking_versions_of_the_methods() -> None:
    def work(context: Context) -> str:
        context.blocking.log.info("hello")
        context.blocking.progress.report(1)
        return str(context.blocking.roots.list()[0]["uri"])

    call = Call(work, port=FakePort({"roots": {}}, {"roots": [{"uri": "file:///a"}]}))
    assert text_of(await within(call.run())) == "file:///a"
    assert [method for method, _ in call.port.notifications] == ["notifications/message", "notifications/progress"]


async def test_blocking_on_the_loop_is_refused_and_not_a_deadlock() -> None:
    async def work(context: Context) -> None:
        context.blocking.log.info("hello")

    assert "use `await`" in text_of(await within(Call(work).run()))


def test_blocking_has_only_the_calls_that_reach_the_client() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = Context(FakePort(), 1).blocking.nonsense


async def test_nothing_reaches_the_client_after_the_call_has_ended() -> None:
    kept: list[Context] = []

    async def work(context: Context) -> None:
        kept.append(context)

    call = Call(work, port=FakePort({"roots": {}}))
    await call.run()
    await kept[0].log.info("late")
    await kept[0].progress.report(1)
    assert call.port.notifications == []
    with pytest.raises(ContextError, match="The call has ended"):
        await kept[0].roots.list()


async def test_resources_of_the_server_can_be_read_by_its_tools() -> None:
    app = MCPApp("test", toolkit="")

    @app.resource("notes://{day}")
    def note(day: str) -> str:
        return f"note of {day}"

    async def work(context: Context) -> str:
        (contents,) = await context.resources.read("notes://monday")
        return str(contents["text"])

    app.tool(work)
    assert text_of(await result_of(app, "work")) == "note of monday"


async def test_a_cancelled_call_can_raise_its_cancellation() -> None:
    context: Any = Context(FakePort(), 1)
    context.raise_if_cancelled()
    context.end(cancelled=True)
    with pytest.raises(asyncio.CancelledError):
        context.raise_if_cancelled()


async def test_a_tool_can_read_the_capabilities_of_its_client() -> None:
    async def look(context: Context) -> str:
        """Look."""
        return f"{context.client.info['name']} {sorted(context.client.capabilities)} {context.client.revision}"

    call = Call(look, port=FakePort({"sampling": {}}))
    assert text_of(await call.run()) == "fake ['sampling'] 2025-11-25"
