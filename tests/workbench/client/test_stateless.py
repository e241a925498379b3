"""A session without a handshake: what each request carries, and requests over their rounds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.revisions import LATEST_STATELESS
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from workbench.client.multi_round_request import MAX_ROUNDS
from workbench.client.questions import PendingQuestions, Question
from workbench.client.requester import Refused
from workbench.client.session import ClientSession
from workbench.client.tool_call import CallCancelled

VERSION = "io.modelcontextprotocol/protocolVersion"
DISCOVERED = {
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
    "instructions": "Be kind.",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}},
}
WHICH_DAY = {"method": "elicitation/create", "params": {"message": "Which day?", "requestedSchema": {"type": "object"}}}
THINK = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 10}}
ROOTS = {"method": "roots/list"}
DONE = {"resultType": "complete", "content": []}


def scripted(**replies: Any) -> ScriptedServer:
    return ScriptedServer(**{"server/discover": DISCOVERED, **replies})


def asks(state: str | None = None, **requests: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"resultType": "input_required"}
    if requests:
        result["inputRequests"] = requests
    return result if state is None else result | {"requestState": state}


@asynccontextmanager
async def connected(server: ScriptedServer, **options: Any) -> AsyncIterator[ClientSession]:
    session = await within(ClientSession.open(server, **{"revision": LATEST_STATELESS, **options}))
    try:
        yield session
    finally:
        await within(session.close())


def accept(question: Question) -> bool:
    return question.accept({"day": "Monday"}) if question.kind == "elicitation" else question.reply("A thought.")


async def test_there_is_no_handshake_and_the_server_is_still_identified() -> None:
    server = scripted()
    async with connected(server) as session:
        assert session.revision is LATEST_STATELESS
        assert session.server_info["name"] == "scripted"
        assert session.instructions == "Be kind."
        assert session.handshake == DISCOVERED
    assert [message["method"] for message in server.received] == ["server/discover"]


async def test_every_request_has_its_revision_and_the_capabilities_of_the_client() -> None:
    server = scripted(tools__list={"tools": []}, tools__call=DONE)
    async with connected(server, client_info={"name": "me", "version": "2"}) as session:
        await within(session.list_tools())
        await within(session.call_tool("x", {}).result())
    for message in server.received:
        meta = message["params"]["_meta"]
        assert meta[VERSION] == "2026-07-28"
        assert meta["io.modelcontextprotocol/clientInfo"] == {"name": "me", "version": "2"}
        assert {"elicitation", "sampling", "roots"} <= meta["io.modelcontextprotocol/clientCapabilities"].keys()
    assert "progressToken" in server.received[-1]["params"]["_meta"]


async def test_a_log_level_is_sent_with_each_later_request() -> None:
    server = scripted(tools__call=DONE)
    async with connected(server) as session:
        await within(session.set_log_level("debug"))
        await within(session.call_tool("x", {}).result())
    first, second = server.received
    assert "io.modelcontextprotocol/logLevel" not in first["params"]["_meta"]
    assert second["params"]["_meta"]["io.modelcontextprotocol/logLevel"] == "debug"


async def test_a_server_that_names_itself_beside_the_meta_is_understood() -> None:
    server = ScriptedServer(
        **{"server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {}, "serverInfo": {"name": "old"}}}
    )
    async with connected(server) as session:
        assert session.server_info == {"name": "old"}


async def test_a_refused_revision_is_replaced_by_a_revision_that_the_server_names() -> None:
    server = ScriptedServer()
    opening = asyncio.gather(ClientSession.open(server, revision=LATEST_STATELESS))
    first = await server.message("server/discover")
    data = {"supported": ["2031-01-01", "2026-07-28"], "requested": "2026-07-28"}
    server.write({"jsonrpc": "2.0", "id": first["id"], "error": {"code": -32022, "message": "no", "data": data}})
    await until(lambda: len(server.received) == 2)
    server.answer(server.received[1], DISCOVERED)
    (session,) = await within(opening)
    assert session.revision is LATEST_STATELESS
    await within(session.close())


async def test_a_server_without_a_common_revision_is_disconnected() -> None:
    server = ScriptedServer(**{"server/discover": DISCOVERED | {"supportedVersions": ["2031-01-01"]}})
    with pytest.raises(ConnectionFailed, match="2031-01-01"):
        await within(ClientSession.open(server, revision=LATEST_STATELESS))
    assert server.is_closed


async def test_a_question_of_a_round_is_answered_with_the_next_round() -> None:
    server = scripted()
    async with connected(server) as session:
        call = session.call_tool("book", {"n": 2})
        first = await server.message("tools/call")
        server.answer(first, asks(day=WHICH_DAY, state=(state := 'a "state" \u00e9\\n')))
        await until(lambda: session.questions.waiting)
        (question,) = session.questions.waiting
        assert (question.id, question.kind, question.session) == ("day", "elicitation", "scripted")
        assert question.call == str(call.first_id) == str(first["id"])
        assert question.accept({"day": "Monday"})
        await until(lambda: len(server.received) == 3)
        second = server.received[2]
        assert second["id"] != first["id"]
        assert call.id == second["id"]
        extra = {"inputResponses": {"day": {"action": "accept", "content": {"day": "Monday"}}}, "requestState": state}
        assert second["params"] == first["params"] | extra
        server.answer(second, DONE)
        assert await within(call.result()) == DONE


async def test_all_input_requests_of_a_round_are_shown_at_once() -> None:
    server = scripted()
    roots = [{"uri": "file:///work"}]
    async with connected(server, roots=roots) as session:
        call = session.call_tool("book", {})
        server.answer(await server.message("tools/call"), asks(day=WHICH_DAY, thought=THINK, roots=ROOTS))
        await until(lambda: len(session.questions.waiting) == 2)
        for question in reversed(session.questions.waiting):
            accept(question)
        await until(lambda: len(server.received) == 3)
        answers = server.received[2]["params"]["inputResponses"]
        assert answers["day"] == {"action": "accept", "content": {"day": "Monday"}}
        assert answers["thought"]["content"] == {"type": "text", "text": "A thought."}
        assert answers["roots"] == {"roots": roots}
        assert "requestState" not in server.received[2]["params"]
        server.answer(server.received[2], DONE)
        await within(call.result())


async def test_a_result_with_only_a_state_is_retried_at_once() -> None:
    rounds = [asks(state="one"), asks(state="two"), DONE]
    server = scripted(tools__call=lambda params: rounds.pop(0))
    async with connected(server) as session:
        assert await within(session.call_tool("book", {}).result()) == DONE
    states = [message["params"].get("requestState") for message in server.received[1:]]
    assert states == [None, "one", "two"]
    assert all("inputResponses" not in message["params"] for message in server.received)


async def test_state_and_answers_go_to_their_own_call_alone() -> None:
    server = scripted(resources__read={"contents": []})
    async with connected(server, questions=PendingQuestions([accept])) as session:
        call = session.call_tool("book", {})
        server.answer(await server.message("tools/call"), asks(day=WHICH_DAY, state="s"))
        await until(lambda: len(server.received) == 3)
        await within(session.read_resource("file:///x"))
        other = await server.message("resources/read")
        assert not {"requestState", "inputResponses"} & other["params"].keys()
        server.answer(server.received[2], DONE)
        await within(call.result())


@pytest.mark.parametrize("method", ["prompts/get", "resources/read"])
async def test_prompts_and_resources_may_request_input_too(method: str) -> None:
    rounds = [asks(day=WHICH_DAY), {"resultType": "complete", "messages": []}]
    server = scripted(**{method: lambda params: rounds.pop(0)})
    async with connected(server, questions=PendingQuestions([accept])) as session:
        await within(session.request(method, {"name": "x"}))
    assert "day" in server.received[-1]["params"]["inputResponses"]


async def test_a_declined_elicitation_is_an_answer() -> None:
    rounds = [asks(day=WHICH_DAY), DONE]
    server = scripted(tools__call=lambda params: rounds.pop(0))
    async with connected(server, questions=PendingQuestions([Question.decline])) as session:
        await within(session.call_tool("book", {}).result())
    assert server.received[-1]["params"]["inputResponses"] == {"day": {"action": "decline"}}


async def test_a_declined_sampling_ends_the_call_without_another_round() -> None:
    server = scripted(tools__call=asks(thought=THINK, day=WHICH_DAY))
    async with connected(server) as session:
        call = session.call_tool("book", {})
        await until(lambda: len(session.questions.waiting) == 2)
        sampling, elicitation = session.questions.waiting
        sampling.decline()
        with pytest.raises(Refused, match=r"sampling.*rejected"):
            await within(call.result())
        assert elicitation.withdrawn
        assert session.questions.waiting == []
    assert len(server.received) == 2


async def test_a_call_is_cancelled_while_its_question_is_open() -> None:
    server = scripted(tools__call=asks(day=WHICH_DAY))
    async with connected(server) as session:
        call = session.call_tool("book", {})
        await until(lambda: session.questions.waiting)
        (question,) = session.questions.waiting
        call.cancel("enough")
        with pytest.raises(CallCancelled, match="enough"):
            await within(call.result())
        await until(lambda: question.withdrawn)
        assert not question.accept({})
    assert [message["method"] for message in server.received] == ["server/discover", "tools/call"]


async def test_a_call_is_cancelled_in_a_later_round() -> None:
    server = scripted()
    async with connected(server, questions=PendingQuestions([accept])) as session:
        call = session.call_tool("book", {})
        server.answer(await server.message("tools/call"), asks(day=WHICH_DAY))
        await until(lambda: len(server.received) == 3)
        call.cancel("enough")
        cancelled = await server.message("notifications/cancelled")
        assert cancelled["params"]["requestId"] == server.received[2]["id"]


async def test_a_server_that_disconnects_withdraws_the_input_requests_of_its_rounds() -> None:
    server = scripted(tools__call=asks(day=WHICH_DAY))
    async with connected(server) as session:
        call = session.call_tool("book", {})
        await until(lambda: session.questions.waiting)
        server.hang_up()
        with pytest.raises(ConnectionFailed):
            await within(call.result())
        assert session.questions.waiting == []


async def test_a_server_that_never_stops_requesting_input_is_abandoned() -> None:
    server = scripted(tools__call=asks(state="again"))
    async with connected(server) as session:
        with pytest.raises(ProtocolError, match=f"{MAX_ROUNDS} times"):
            await within(session.call_tool("book", {}).result())


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"resultType": "surprise"}, "'surprise'"),
        ({"resultType": None}, "None"),
        ({"resultType": "input_required"}, "does not name any"),
        ({"resultType": "input_required", "inputRequests": []}, "does not name any"),
        ({"resultType": "input_required", "requestState": 7}, "does not name any"),
        (asks(x={"method": "tools/call", "params": {}}), "'x'"),
        (asks(x="what"), "'x'"),
        (asks(x={"method": "elicitation/create", "params": []}), "'x'"),
    ],
)
async def test_an_invalid_result_is_reported_as_the_servers_fault(result: dict[str, Any], message: str) -> None:
    server = scripted(tools__call=result)
    async with connected(server) as session:
        with pytest.raises(ProtocolError, match=message) as caught:
            await within(session.call_tool("book", {}).result())
    assert not isinstance(caught.value, RemoteError)


async def test_only_some_methods_may_request_input() -> None:
    server = scripted(tools__list=asks(day=WHICH_DAY))
    async with connected(server) as session:
        with pytest.raises(ProtocolError, match="input_required"):
            await within(session.list_tools())


async def test_a_result_without_a_type_is_complete() -> None:
    async with connected(scripted(tools__call={"content": []})) as session:
        assert await within(session.call_tool("x", {}).result()) == {"content": []}


async def test_the_first_answer_to_a_request_can_be_had_as_it_came() -> None:
    server = scripted(tools__call=asks(day=WHICH_DAY))
    async with connected(server) as session:
        assert await within(session.request_once("tools/call", {"name": "x"})) == asks(day=WHICH_DAY)
        assert session.questions.waiting == []


class RepeatingArguments(ScriptedServer):
    """A server behind a channel that has refused a tool."""

    refused_tools = {"bad": "the header has no name"}


async def test_tools_that_cannot_be_called_over_the_channel_are_left_out_with_the_reason() -> None:
    server = RepeatingArguments(
        **{"server/discover": DISCOVERED, "tools/list": {"tools": [{"name": "good"}, {"name": "bad"}]}}
    )
    async with connected(server) as session:
        assert [tool["name"] for tool in await within(session.list_tools())] == ["good"]
        assert session.uncallable_tools == {"bad": "the header has no name"}


async def test_a_call_whose_headers_are_refused_is_made_again_with_a_new_list() -> None:
    answers: list[dict[str, Any]] = [{"error": {"code": -32020, "message": "Header mismatch"}}, DONE]
    server = scripted(tools__list={"tools": []}, tools__call=lambda _: answers.pop(0))
    async with connected(server) as session:
        assert await within(session.call_tool("find", {}).result()) == DONE
    assert [item["method"] for item in server.received] == ["server/discover", "tools/call", "tools/list", "tools/call"]


async def test_headers_that_are_refused_again_are_the_answer() -> None:
    server = scripted(tools__list={"tools": []}, tools__call={"error": {"code": -32020, "message": "Header mismatch"}})
    async with connected(server) as session:
        with pytest.raises(RemoteError, match="Header mismatch"):
            await within(session.call_tool("find", {}).result())
    assert len(server.received) == 4


async def test_a_valid_cached_list_is_requested_again_only_explicitly() -> None:
    server = scripted(tools__list={"tools": [{"name": "a"}], "ttlMs": 60_000})
    async with connected(server) as session:
        for _ in range(2):
            assert await within(session.list_tools()) == [{"name": "a"}]
        assert len(server.received) == 2
        await within(session.list_tools(fresh=True))
        assert len(server.received) == 3
        server.notify("notifications/tools/list_changed")
        server.replies["completion/complete"] = {}
        await within(session.complete({}, {}))
        await within(session.list_tools())
        assert len(server.received) == 5


async def test_responses_to_retries_are_not_cached() -> None:
    rounds: list[dict[str, Any]] = [asks(day=WHICH_DAY), {"contents": [], "ttlMs": 60_000}] * 2
    server = scripted(resources__read=lambda _: rounds.pop(0))
    async with connected(server, questions=PendingQuestions([accept])) as session:
        for _ in range(2):
            await within(session.read_resource("file:///x"))
    assert len(server.received) == 5


async def test_a_session_with_a_handshake_uses_no_result_again() -> None:
    server = ScriptedServer(tools__list={"tools": [], "ttlMs": 60_000})
    session = await within(ClientSession.open(server))
    for _ in range(2):
        await within(session.list_tools())
    assert [item["method"] for item in server.received].count("tools/list") == 2
    await within(session.close())


async def test_a_request_of_the_server_is_noise_and_gets_no_answer() -> None:
    server = scripted(tools__call=DONE)
    async with connected(server) as session:
        server.ask("e1", "elicitation/create", message="?", requestedSchema={})
        server.ask("p1", "ping")
        await within(session.call_tool("x", {}).result())
        assert session.message_failures == 2
        assert "does not exist in revision 2026-07-28" in session.last_message_failure
        assert session.questions.waiting == []
    assert all("method" in message for message in server.received)
