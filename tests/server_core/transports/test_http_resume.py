"""Resuming over HTTP: after a lost connection, a closed stream, and a restart of the server."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server_core import Context, MCPApp
from server_core.errors import ConfigurationError
from server_core.runtime.background import spawn
from server_core.settings import Settings
from server_core.transports.http_server import serve_http
from tests.server_core.toolkit import Toolkit, call, initialize, new_server, notification
from tests.server_core.transports.http_site import ACCEPT, Site, serving
from tests.waiting import until, within

pytestmark = pytest.mark.promises("event store")


class Slow:
    """A server whose calls close their connections, and then wait."""

    def __init__(self) -> None:
        self.app = MCPApp("slow", "1.0", toolkit="")
        self.gate = asyncio.Event()
        self.let_go = asyncio.Event()

        @self.app.tool
        async def nap(context: Context) -> str:
            """Close the connection at once."""
            await context.close_stream(retry_ms=25)
            self.let_go.set()
            await self.gate.wait()
            return "awake"

        @self.app.tool
        async def doze(context: Context) -> str:
            """Log, close the stream, and log again."""
            await context.progress.report(1)
            await context.close_stream(retry_ms=25)
            await context.progress.report(2)
            await self.gate.wait()
            return "awake"

        @self.app.tool
        async def fret(context: Context) -> str:
            """Log, and do not end."""
            await context.progress.report(1)
            await self.gate.wait()
            return "done"


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
async def site(slow: Slow) -> AsyncIterator[Site]:
    async with serving(app=slow.app) as opened:
        yield opened
        slow.gate.set()


def request(tool: str, id: int = 7) -> bytes:
    return call(id, "tools/call", name=tool, _meta={"progressToken": 1})


async def lines(site: Site, data: bytes) -> list[str]:
    response = await site.post(data)
    assert response.headers["content-type"] == "text/event-stream"
    return response.text.splitlines()


# Polling.


async def test_a_call_can_close_its_connection_and_its_client_reconnects_for_the_response(
    site: Site, slow: Slow
) -> None:
    await site.open()
    assert await lines(site, request("nap")) == ["id: 1-0", "data: ", "", "id: 1-0", "retry: 25", "data: ", ""]
    async with site.stream("GET", Last_Event_ID="1-0") as events:
        slow.gate.set()
        assert [event["id"] for event in await events.rest()] == [7]


async def test_messages_before_and_after_closing_the_stream_are_split_between_both_responses(
    site: Site, slow: Slow
) -> None:
    await site.open()
    async with site.stream("POST", request("doze")) as events:
        first = await events.next()
        assert json.loads(first.data)["params"]["progress"] == 1
        assert await events.rest() == []
        assert events.retry == 25
    slow.gate.set()
    async with site.stream("GET", Last_Event_ID=str(first.id)) as events:
        rest = await events.rest()
    assert [event.get("params", {}).get("progress", event.get("id")) for event in rest] == [2, 7]


async def test_the_response_waits_for_the_client_that_reconnects(site: Site, slow: Slow) -> None:
    await site.open()
    await lines(site, request("nap"))
    slow.gate.set()
    await until(lambda: not site.server.sessions["s1"].busy)
    async with site.stream("GET", Last_Event_ID="1-0") as events:
        assert [event["id"] for event in await events.rest()] == [7]


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-06-18"])
async def test_a_client_that_cannot_resume_keeps_its_connection(site: Site, slow: Slow, revision: str) -> None:
    await site.open(revision)
    slow.gate.set()
    response = await site.post(request("nap"))
    assert response.headers["content-type"] == "application/json"
    assert response.json()["result"]["content"][0]["text"] == "awake"


async def test_a_negative_time_to_wait_is_refused(site: Site) -> None:
    class Port:
        def close_stream(self, **_: Any) -> None:
            raise AssertionError

    with pytest.raises(ValueError, match="retry_ms"):
        await Context(Port(), 1).close_stream(-1)  # type: ignore[arg-type]


# A lost connection.


async def test_a_client_may_read_the_same_events_again(site: Site, slow: Slow) -> None:
    await site.open()
    async with site.stream("POST", request("fret")) as events:
        first = await events.next()
    slow.gate.set()
    for _ in range(2):
        async with site.stream("GET", Last_Event_ID=str(first.id)) as events:
            assert [event["id"] for event in await events.rest()] == [7]


async def test_another_session_cannot_resume_a_stream(site: Site, slow: Slow) -> None:
    await site.open()
    async with site.stream("POST", request("fret")) as events:
        first = await events.next()
    site.session = ""
    await site.open()
    headers = {**ACCEPT, "Mcp-Session-Id": site.session, "Last-Event-ID": str(first.id)}
    assert (await within(site.client.get(site.url, headers=headers))).status_code == 400


async def test_the_get_stream_continues_after_the_last_event(site: Site) -> None:
    async with serving(Settings(shutdown_grace=0.5, list_changed_delay=0)) as plain:
        await plain.open()
        await plain.post(call(1, "resources/subscribe", uri="toolkit://motto"))
        async with plain.stream("GET") as events:
            plain.server.resource_updated("toolkit://motto")
            first = await events.next()
        for _ in range(2):
            plain.server.resource_updated("toolkit://motto")
        async with plain.stream("GET", Last_Event_ID=str(first.id)) as events:
            second = await events.next()
            assert second.id != first.id
            assert (await events.next()).id != second.id


# A restart of the server.


@pytest.fixture
def durable(tmp_path: Path) -> Settings:
    return Settings(shutdown_grace=0.1, event_store=str(tmp_path / "events.sqlite"))


async def test_a_session_continues_after_a_restart(durable: Settings) -> None:
    async with serving(durable) as before:
        await before.open(roots={})
        await before.post(call(1, "resources/subscribe", uri="toolkit://motto"))
        await before.post(call(2, "logging/setLevel", level="error"))
    async with serving(durable) as after:
        after.session = before.session
        assert (await after.post(call(3, "ping"))).json() == {"jsonrpc": "2.0", "id": 3, "result": {}}
        session = after.server.sessions["s1"]
        facts = session.describe()
        assert (facts["revision"], facts["client"]["name"]) == ("2025-11-25", "tester")
        assert facts["capabilities"] == {"roots": {}}
        assert session.client.log_level == "error"
        async with after.stream("GET") as events:
            after.server.resource_updated("toolkit://motto")
            assert (await events.message())["params"] == {"uri": "toolkit://motto"}


async def test_events_from_before_a_restart_can_be_resumed_after_it(durable: Settings) -> None:
    async with serving(durable) as before:
        await before.open()
        response = await before.post(request("climb"))
        ids = [line[4:] for line in response.text.splitlines() if line.startswith("id: ")]
    async with serving(durable) as after:
        after.session = before.session
        async with after.stream("GET", Last_Event_ID=ids[-2]) as events:
            assert [event["id"] for event in await events.rest()] == [7]
        again = await after.post(request("climb"))
        assert not {line[4:] for line in again.text.splitlines() if line.startswith("id: ")} & set(ids)


async def test_a_call_that_a_restart_cut_off_is_answered_with_that(durable: Settings, slow: Slow) -> None:
    async with serving(durable, app=slow.app) as before:
        await before.open()
        async with before.stream("POST", request("fret")) as events:
            first = await events.next()
    async with serving(durable) as after:
        after.session = before.session
        async with after.stream("GET", Last_Event_ID=str(first.id)) as events:
            [answer] = await events.rest()
    assert answer["id"] == 7
    assert "restarted" in answer["error"]["message"]


async def test_a_closed_session_is_not_restored(durable: Settings) -> None:
    async with serving(durable) as before:
        await before.open()
        await within(before.client.delete(before.url, headers={"Mcp-Session-Id": before.session}))
    async with serving(durable) as after:
        after.session = before.session
        assert (await after.post(call(1, "ping"))).status_code == 404


async def test_two_requests_that_resume_a_session_share_it(durable: Settings) -> None:
    async with serving(durable) as before:
        await before.open()
    async with serving(durable) as after:
        after.session = before.session
        pings = [after.post(call(id, "ping")) for id in range(5)]
        assert {item.status_code for item in await within(asyncio.gather(*pings))} == {200}
        assert len(after.server.sessions) == 1


async def test_a_store_that_cannot_be_opened_is_reported_before_serving(tmp_path: Path) -> None:
    settings = Settings(event_store=str(tmp_path / "missing" / "events"))
    with pytest.raises(ConfigurationError, match="Events cannot be stored"):
        await serve_http(new_server(Toolkit()), "127.0.0.1", 0, settings, print)


# Batches.


def batch(*messages: bytes) -> bytes:
    return b"[" + b",".join(messages) + b"]"


@pytest.fixture
async def batching() -> AsyncIterator[Site]:
    async with serving() as opened:
        yield await opened.open("2025-03-26")


async def test_the_answers_to_a_batch_are_sent_as_one_array(batching: Site) -> None:
    response = await batching.post(
        batch(call(1, "ping"), notification("notifications/x"), call("1", "tools/list"), b'{"jsonrpc":"2.0","id":3}')
    )
    assert (response.status_code, response.headers["content-type"]) == (200, "application/json")
    answers = {json.dumps(item["id"]): "result" in item for item in response.json()}
    assert answers == {"1": True, '"1"': True, "3": False}


async def test_messages_before_the_answers_to_a_batch_make_it_a_stream(batching: Site) -> None:
    async with batching.stream("POST", batch(request("climb", 1), call(2, "ping"))) as events:
        assert events.response.headers["content-type"] == "text/event-stream"
        messages = await events.rest()
    assert {message["id"] for message in messages if "id" in message} == {1, 2}
    assert "notifications/progress" in {message.get("method") for message in messages}


async def test_a_batch_that_wants_no_answer_is_accepted(batching: Site) -> None:
    response = await batching.post(batch(notification("notifications/x"), b'{"jsonrpc":"2.0","id":9,"result":{}}'))
    assert (response.status_code, response.content) == (202, b"")


async def test_a_batch_ends_without_the_answer_to_what_was_cancelled(batching: Site) -> None:
    posting = spawn(batching.post(batch(call(1, "tools/call", name="wait"), call(2, "ping"))), "post")
    await within(batching.toolkit.entered.wait())
    await batching.post(notification("notifications/cancelled", requestId=1))
    assert [item["id"] for item in (await within(posting)).json()] == [2]


@pytest.mark.parametrize("data", [b"[]", b"[", batch(*[notification("notifications/x")] * 101)])
async def test_a_batch_that_cannot_be_served_is_a_bad_request(batching: Site, data: bytes) -> None:
    response = await batching.post(data)
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32600, -32700)


async def test_revisions_without_batches_refuse_them(site: Site) -> None:
    await site.open("2025-06-18")
    response = await site.post(batch(call(1, "ping")))
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


async def test_a_batch_cannot_open_a_session(batching: Site) -> None:
    batching.session = ""
    response = await batching.post(batch(initialize("2025-03-26")))
    assert response.status_code == 400
    assert "mcp-session-id" not in response.headers
