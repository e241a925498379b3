"""One MCP session, seen from the client."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import REVISION_2025_03_26, REVISION_2025_06_18
from tests.waiting import until, within
from tests.workbench.client.scripted import INITIALIZED, ScriptedServer
from workbench.client.session import ClientSession
from workbench.client.tool_call import CallCancelled, CallProgress


@asynccontextmanager
async def connected(server: ScriptedServer, **options: Any) -> AsyncIterator[ClientSession]:
    session = await within(ClientSession.open(server, **options))
    try:
        yield session
    finally:
        await within(session.close())


async def test_the_handshake_exchanges_the_identities() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        assert session.server_info["name"] == "scripted"
        assert session.instructions == "Be kind."
        assert session.revision.date == "2025-11-25"
    params = server.received[0]["params"]
    assert params["clientInfo"]["name"] == "workbench"
    assert params["capabilities"]["elicitation"] == {"form": {}, "url": {}}
    assert server.received[1] == {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert server.is_closed


async def test_an_older_revision_is_asked_without_url_elicitation() -> None:
    server = ScriptedServer(initialize=INITIALIZED | {"protocolVersion": "2025-06-18"})
    async with connected(server, revision=REVISION_2025_06_18) as session:
        assert session.revision is REVISION_2025_06_18
    assert server.received[0]["params"]["protocolVersion"] == "2025-06-18"
    assert server.received[0]["params"]["capabilities"]["elicitation"] == {}


async def test_a_server_of_an_old_revision_is_talked_to() -> None:
    async with connected(ScriptedServer(initialize=INITIALIZED | {"protocolVersion": "2024-11-05"})) as session:
        assert session.revision.date == "2024-11-05"
        assert not session.revision.url_elicitation


@pytest.mark.parametrize("date", ["1999-01-01", None, 7])
async def test_a_server_of_an_unknown_revision_is_left(date: Any) -> None:
    server = ScriptedServer(initialize=INITIALIZED | {"protocolVersion": date})
    with pytest.raises(ConnectionFailed, match="2025-11-25"):
        await within(ClientSession.open(server))
    assert server.is_closed


async def test_a_server_that_stays_silent_is_left() -> None:
    server = ScriptedServer()
    server.replies.clear()
    with pytest.raises(ConnectionFailed, match="did not answer initialize"):
        await within(ClientSession.open(server, timeout=0.01))
    assert server.is_closed


async def test_a_process_that_is_no_server_is_closed_with_its_output_in_the_error() -> None:
    server = ScriptedServer()
    server.replies.clear()
    server.write_bytes(b"usage: \x1b[1mprogram\x1b[0m FILE")
    server.hang_up()
    with pytest.raises(ConnectionFailed, match=r"closed the connection.*usage: \\x1b\[1mprogram"):
        await within(ClientSession.open(server))


async def test_a_server_that_refuses_the_handshake_is_left() -> None:
    server = ScriptedServer()
    server.replies.clear()
    opening = asyncio.gather(ClientSession.open(server), return_exceptions=True)
    request = await server.message("initialize")
    server.write({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32602, "message": "not you"}})
    (error,) = await within(opening)
    assert isinstance(error, RemoteError)
    assert error.message == "not you"
    assert server.is_closed


async def test_all_pages_of_a_list_are_fetched() -> None:
    pages = {None: {"tools": [{"name": "a"}], "nextCursor": "2"}, "2": {"tools": [{"name": "b"}]}}
    async with connected(ScriptedServer(tools__list=lambda params: pages[params.get("cursor")])) as session:
        assert [tool["name"] for tool in await within(session.list_tools())] == ["a", "b"]


async def test_a_list_that_never_ends_is_abandoned() -> None:
    server = ScriptedServer(tools__list={"tools": [], "nextCursor": "again"})
    async with connected(server) as session:
        with pytest.raises(ProtocolError, match="does not end"):
            await within(session.list_tools())


async def test_a_list_that_is_none_is_refused() -> None:
    async with connected(ScriptedServer(prompts__list={"prompts": ["x"]})) as session:
        with pytest.raises(ProtocolError, match=r"prompts\[0\] is no object"):
            await within(session.list_prompts())


async def test_a_server_without_resources_is_not_asked_for_them() -> None:
    server = ScriptedServer(initialize=INITIALIZED | {"capabilities": {"tools": {}}})
    async with connected(server) as session:
        assert await within(session.list_resources()) == []
        assert await within(session.list_resource_templates()) == []
    assert [message.get("method") for message in server.received] == ["initialize", "notifications/initialized"]


async def test_a_call_reports_progress_and_returns_its_result() -> None:
    server = ScriptedServer()
    seen: list[CallProgress] = []
    async with connected(server) as session:
        call = session.call_tool("slow", {"n": 2}, on_progress=seen.append)
        request = await server.message("tools/call")
        token = request["params"]["_meta"]["progressToken"]
        server.notify("notifications/progress", progressToken=token, progress=1, total=2, message="half")
        server.notify("notifications/progress", progressToken="of someone else", progress=2)
        server.notify("notifications/progress", progressToken=token, progress="much")
        server.notify("notifications/progress", progressToken=token, progress=10**400)
        server.answer(request, {"content": [], "isError": True})
        assert await within(call.result()) == {"content": [], "isError": True}
        assert await within(call.result()) == {"content": [], "isError": True}
    assert seen == call.progress == [CallProgress(1, 2, "half")]
    assert (call.name, call.arguments, call.done) == ("slow", {"n": 2}, True)


async def test_answers_find_their_calls_in_any_order() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        calls = [session.call_tool("echo", {"n": n}) for n in range(3)]
        await until(lambda: len(server.received) == 5)
        for request in reversed(server.received[2:]):
            server.answer(request, {"n": request["params"]["arguments"]["n"]})
        assert [await within(call.result()) for call in calls] == [{"n": 0}, {"n": 1}, {"n": 2}]


async def test_an_error_answer_is_raised_with_its_code_and_data() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        call = session.call_tool("nope", {})
        request = await server.message("tools/call")
        body = {"code": -32602, "message": "Unknown tool", "data": {"name": "nope"}}
        server.write({"jsonrpc": "2.0", "id": request["id"], "error": body})
        with pytest.raises(RemoteError, match="Unknown tool") as caught:
            await within(call.result())
    assert (caught.value.code, caught.value.data) == (-32602, {"name": "nope"})


async def test_cancelling_a_call_notifies_the_server_and_its_late_response_is_no_noise() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        call = session.call_tool("slow", {})
        request = await server.message("tools/call")
        call.cancel("enough")
        call.cancel("twice")
        with pytest.raises(CallCancelled, match="enough"):
            await within(call.result())
        cancelled = await server.message("notifications/cancelled")
        assert cancelled["params"] == {"requestId": request["id"], "reason": "enough"}
        server.answer(request, {"content": []})
        server.replies["ping"] = {}
        await within(session.ping())
        assert session.message_failures == 0
    assert [message.get("method") for message in server.received].count("notifications/cancelled") == 1


async def test_a_request_whose_awaiting_task_is_cancelled_is_cancelled_at_the_server() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await session.read_resource("file:///x")
        request = await server.message("resources/read")
        assert (await server.message("notifications/cancelled"))["params"]["requestId"] == request["id"]


async def test_a_reader_that_stops_waiting_leaves_the_call_running() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        call = session.call_tool("slow", {})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await call.result()
        assert not call.done
        server.answer(await server.message("tools/call"), {"content": []})
        assert await within(call.result()) == {"content": []}


async def test_when_the_server_disconnects_everything_in_flight_fails() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        call = session.call_tool("slow", {})
        server.ask("q", "sampling/createMessage", messages=[])
        await until(lambda: session.questions.waiting)
        server.hang_up()
        with pytest.raises(ConnectionFailed, match="closed the connection"):
            await within(call.result())
        assert session.closed.is_set()
        assert session.questions.waiting == []
        with pytest.raises(ConnectionFailed):
            session.call_tool("slow", {})
        with pytest.raises(ConnectionFailed):
            await within(session.ping())


async def test_a_message_that_cannot_be_sent_fails_its_request_alone() -> None:
    server = ScriptedServer(ping={})
    async with connected(server) as session:
        server.broken = True
        with pytest.raises(ConnectionFailed, match="pipe is broken"):
            await within(session.ping())
        server.broken = False
        await within(session.ping())


async def test_closing_fails_what_is_in_flight_and_leaves_no_task() -> None:
    before = asyncio.all_tasks()
    server = ScriptedServer()
    session = await within(ClientSession.open(server))
    call = session.call_tool("slow", {})
    await server.message("tools/call")
    await within(session.close())
    await within(session.close())
    with pytest.raises(ConnectionFailed):
        await within(call.result())
    assert asyncio.all_tasks() == before


async def test_noise_is_counted_and_ignored() -> None:
    server = ScriptedServer(ping={})
    async with connected(server) as session:
        server.write_bytes(b"Starting up ...")
        server.write_bytes(b"[1, 2]")
        server.write_bytes(b"\xff\xfe")
        server.write({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
        await within(session.ping())
        assert session.message_failures == 3
        assert "Parse error" in session.last_message_failure
        assert session.last_message_failure.endswith("in: \\xff\\xfe")


async def test_a_ping_of_the_server_is_answered() -> None:
    server = ScriptedServer()
    async with connected(server):
        server.ask("p1", "ping")
        assert (await server.response_to("p1"))["result"] == {}


@pytest.mark.parametrize("method", ["tools/call", "tasks/get", "tasks/list", "tasks/cancel", "some/thing"])
async def test_a_request_that_clients_do_not_serve_is_answered_with_method_not_found(method: str) -> None:
    server = ScriptedServer()
    async with connected(server):
        server.ask(9, method, taskId="x")
        assert (await server.response_to(9))["error"]["code"] == -32601


async def test_notifications_are_handed_on() -> None:
    server = ScriptedServer(ping={})
    seen: list[Notification] = []
    async with connected(server, on_notification=seen.append) as session:
        server.notify("notifications/tools/list_changed")
        await within(session.ping())
    assert [notification.method for notification in seen] == ["notifications/tools/list_changed"]


async def test_a_question_is_answered_later_by_a_person() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        call = session.call_tool("book", {})
        await server.message("tools/call")
        server.ask("e1", "elicitation/create", message="Which day?", requestedSchema={"type": "object"})
        await until(lambda: session.questions.waiting)
        (question,) = session.questions.waiting
        assert (question.kind, question.mode, question.session) == ("elicitation", "form", "scripted")
        assert question.call == str(call.id)
        assert question.accept({"day": "Monday"})
        assert not question.decline()
        answer = await server.response_to("e1")
        assert answer["result"] == {"action": "accept", "content": {"day": "Monday"}}
        assert session.questions.waiting == []


async def test_a_question_that_the_server_cancels_is_withdrawn() -> None:
    server = ScriptedServer()
    async with connected(server) as session:
        server.ask("e1", "elicitation/create", message="?", requestedSchema={})
        await until(lambda: session.questions.waiting)
        (question,) = session.questions.waiting
        server.notify("notifications/cancelled", requestId="e1")
        await until(lambda: question.done)
        assert question.withdrawn
        assert not question.accept({})
        assert session.questions.waiting == []


async def test_a_url_elicitation_is_refused_where_the_revision_has_none() -> None:
    server = ScriptedServer(initialize=INITIALIZED | {"protocolVersion": "2025-06-18"})
    async with connected(server, revision=REVISION_2025_06_18) as session:
        server.ask("e1", "elicitation/create", mode="url", message="?", url="https://example.com")
        assert (await server.response_to("e1"))["error"]["code"] == -32602
        assert session.questions.waiting == []


async def test_roots_are_answered_from_the_list_that_the_session_was_given() -> None:
    server = ScriptedServer()
    roots = [{"uri": "file:///work", "name": "work"}]
    async with connected(server, roots=roots):
        server.ask("r1", "roots/list")
        assert (await server.response_to("r1"))["result"] == {"roots": roots}


async def test_a_batch_of_a_revision_that_has_them_is_split() -> None:
    server = ScriptedServer(initialize=INITIALIZED | {"protocolVersion": "2025-03-26"}, ping={})
    seen: list[str] = []
    async with connected(server, revision=REVISION_2025_03_26) as session:
        session.on_notification = lambda item: seen.append(item.method)
        call = session.call_tool("x", {})
        request = await server.message("tools/call")
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"content": []}}
        notification = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
        asked = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
        server.write_bytes(json.dumps([notification, "noise", asked, answer]).encode())
        assert await within(call.result()) == {"content": []}
        assert (await server.response_to("p"))["result"] == {}
        assert seen == ["notifications/message"]
        assert session.message_failures == 1
