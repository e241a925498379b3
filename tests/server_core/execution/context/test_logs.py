"""Log messages that reach no client are counted."""

import asyncio

import pytest

from server_core import Context, MCPApp
from tests.server_core.execution.app_client import LEGACY, MODERN, Client
from tests.waiting import until

pytestmark = pytest.mark.promises("notifications")


@pytest.mark.parametrize(("revision", "dropped"), [(LEGACY, []), (MODERN, [2])])
async def test_log_messages_without_an_open_request_are_counted(revision: str, dropped: list[int]) -> None:
    app = MCPApp("asks", toolkit="")
    go_on = asyncio.Event()

    @app.tool
    async def ask(context: Context) -> None:
        """Ask, and log meanwhile."""

        async def log() -> None:
            await go_on.wait()
            for _ in range(2):
                await context.log.info("meanwhile")
            await context.log.debug("of no interest")
            go_on.clear()

        await asyncio.gather(context.ui.elicit("Who?", key="who"), log())

    level = {"io.modelcontextprotocol/logLevel": "info"}
    client = Client(app, revision, answer=lambda method, params: {"action": "decline"})
    params = {"name": "ask", "_meta": {**client.envelope(), **level}}
    id = client.begin("tools/call", params)
    if revision == LEGACY:
        go_on.set()
        await client.answer_to(id)
        assert len(client.notifications) == 3
    else:
        asked = (await client.answer_to(id))["result"]
        go_on.set()
        await until(lambda: not go_on.is_set())
        answers = {"inputResponses": {"who": {"action": "decline"}}, "requestState": asked["requestState"]}
        await client.answer_to(client.begin("tools/call", {**params, **answers}))
        assert client.notifications == []
    counted = [item for item in client.records.events() if item["event"] == "logs_dropped"]
    assert [item["count"] for item in counted] == dropped


async def test_a_text_that_is_too_long_is_truncated_and_omitted_facts_are_counted() -> None:
    app = MCPApp("logs", toolkit="")

    @app.tool
    async def write(context: Context) -> None:
        """Log far too much."""
        await context.log.info("a" * 500_000 + "z")
        await context.log.info("short", huge="b" * 500_000)

    client = Client(app, LEGACY)
    await client.answer_to(client.begin("tools/call", {"name": "write"}))
    long, short = [params["data"] for _, params in client.notifications]
    assert len(long) < 101_000
    assert long.startswith("aaa")
    assert long.endswith("aaz")
    assert "(400,001 characters omitted)" in long
    assert short == {"msg": "short", "extra": {"left_out": "500,012 characters"}}
