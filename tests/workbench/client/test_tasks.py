"""Calls that a server makes tasks of, in both of the ways that there are."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from tests.waiting import until, within
from tests.workbench.client.scripted import ScriptedServer
from tests.workbench.client.test_stateless import DISCOVERED, DONE, THINK, WHICH_DAY, accept
from workbench.client.questions import PendingQuestions, Question
from workbench.client.requester import Refused
from workbench.client.session import ClientSession
from workbench.client.tasks import TaskCancelled
from workbench.client.tool_call import CallCancelled


def state(status: str, **more: Any) -> dict[str, Any]:
    return {"resultType": "complete", "taskId": "t1", "status": status, "pollIntervalMs": 1, "pollInterval": 1, **more}


CREATED = state("working") | {"resultType": "task"}


def server(*states: dict[str, Any] | None, **replies: Any) -> ScriptedServer:
    """A server that makes a task of each call, and reports these states of it, the last one again and again."""
    waiting = list(states)

    def report_status(_: dict[str, Any]) -> dict[str, Any] | None:
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return ScriptedServer(
        **{
            "server/discover": DISCOVERED,
            "tools/call": CREATED,
            "tasks/get": report_status,
            "tasks/update": {"resultType": "complete"},
            **replies,
        }
    )


def core_server(*states: dict[str, Any] | None, **replies: Any) -> ScriptedServer:
    return server(*states, **{"tools/call": {"task": state("working")}, "tasks/result": DONE, **replies})


@asynccontextmanager
async def connected(
    behind: ScriptedServer, revision: Revision = LATEST_STATELESS, **options: Any
) -> AsyncIterator[ClientSession]:
    session = await within(ClientSession.open(behind, revision=revision, **options))
    try:
        yield session
    finally:
        await within(session.close())


def of(behind: ScriptedServer, method: str) -> list[dict[str, Any]]:
    return [item["params"] for item in behind.received if item.get("method") == method]


async def test_the_client_declares_its_support_of_tasks() -> None:
    behind = server(state("completed", result=DONE))
    async with connected(behind) as session:
        await within(session.call_tool("slow", {}).result())
    for message in behind.received:
        declared = message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
        assert declared["extensions"] == {"io.modelcontextprotocol/tasks": {}}


async def test_a_task_is_followed_to_its_result() -> None:
    behind = server(state("working"), state("working"), state("completed", result=DONE))
    async with connected(behind) as session:
        assert await within(session.call_tool("slow", {}).result()) == DONE
    assert [item["taskId"] for item in of(behind, "tasks/get")] == ["t1"] * 3


async def test_each_state_of_a_task_is_reported_to_the_caller() -> None:
    states: list[str] = []
    async with connected(server(state("working"), state("completed", result=DONE))) as session:
        await within(session.call_tool("slow", {}, on_task=lambda item: states.append(item["status"])).result())
    assert states == ["working", "working", "completed"]


async def test_a_tool_that_failed_in_a_task_is_a_result() -> None:
    failed = {"content": [], "isError": True}
    async with connected(server(state("completed", result=failed))) as session:
        assert await within(session.call_tool("slow", {}).result()) == failed


async def test_a_request_that_failed_in_a_task_is_an_error() -> None:
    error = {"code": -32050, "message": "broken", "data": {"x": 1}}
    async with connected(server(state("failed", error=error))) as session:
        with pytest.raises(RemoteError, match="broken") as caught:
            await within(session.call_tool("slow", {}).result())
    assert (caught.value.code, caught.value.data) == (-32050, {"x": 1})


async def test_a_task_that_the_server_cancelled_is_reported_as_cancelled() -> None:
    async with connected(server(state("cancelled"))) as session:
        with pytest.raises(TaskCancelled):
            await within(session.call_tool("slow", {}).result())


async def test_an_input_request_of_a_task_is_answered_once() -> None:
    asking = state("input_required", inputRequests={"day": WHICH_DAY})
    behind = server(asking)
    async with connected(behind) as session:
        call = session.call_tool("slow", {})
        await until(lambda: len(of(behind, "tasks/get")) > 2)
        (question,) = session.questions.waiting
        assert question.call == str(call.first_id)
        behind.replies["tasks/get"] = state("completed", result=DONE)
        assert question.accept({"day": "Monday"}) or call.done
        assert await within(call.result()) == DONE


async def test_the_answers_of_a_task_go_out_under_their_keys() -> None:
    states = [state("input_required", inputRequests={"day": WHICH_DAY, "thought": THINK})]
    behind = server(*states)

    def updated(params: dict[str, Any]) -> dict[str, Any]:
        behind.replies["tasks/get"] = state("completed", result=DONE)
        return {"resultType": "complete"}

    behind.replies["tasks/update"] = updated
    async with connected(behind, questions=PendingQuestions([accept])) as session:
        assert await within(session.call_tool("slow", {}).result()) == DONE
    (update,) = of(behind, "tasks/update")
    assert update["taskId"] == "t1"
    assert update["inputResponses"]["day"] == {"action": "accept", "content": {"day": "Monday"}}
    assert update["inputResponses"].keys() == {"day", "thought"}


async def test_a_question_is_withdrawn_when_its_task_is_over_without_it() -> None:
    behind = server(state("input_required", inputRequests={"day": WHICH_DAY}))
    async with connected(behind) as session:
        call = session.call_tool("slow", {})
        await until(lambda: session.questions.waiting)
        (question,) = session.questions.waiting
        behind.replies["tasks/get"] = state("completed", result=DONE)
        assert await within(call.result()) == DONE
        await until(lambda: question.withdrawn)


async def test_a_refusal_ends_the_task() -> None:
    behind = server(state("input_required", inputRequests={"thought": THINK}))
    async with connected(behind, questions=PendingQuestions([Question.decline])) as session:
        with pytest.raises(Refused):
            await within(session.call_tool("slow", {}).result())
        await behind.message("tasks/cancel")


@pytest.mark.parametrize("revision", [LATEST, LATEST_STATELESS])
async def test_a_task_is_cancelled_by_a_request(revision: Revision) -> None:
    behind = (server if revision.stateless else core_server)(state("working"))
    async with connected(behind, revision) as session:
        call = session.call_tool("slow", {}, task={})
        await until(lambda: len(of(behind, "tasks/get")) > 1)
        call.cancel("enough")
        with pytest.raises(CallCancelled):
            await within(call.result())
        assert (await behind.message("tasks/cancel"))["params"]["taskId"] == "t1"
    cancelled = {item["requestId"] for item in of(behind, "notifications/cancelled")}
    assert not cancelled & {item["id"] for item in behind.received if item.get("method") == "tools/call"}


async def test_the_tasks_of_a_server_end_when_it_disconnects() -> None:
    behind = server(state("working", pollIntervalMs=60_000))
    async with connected(behind) as session:
        call = session.call_tool("slow", {})
        await until(lambda: len(of(behind, "tasks/get")) == 1)
        behind.hang_up()
        with pytest.raises(ConnectionFailed):
            await within(call.result())


@pytest.mark.parametrize(
    ("invalid", "message"),
    [
        (state("done"), "'done'"),
        (state("completed"), "has no result"),
        (state("completed", result=[]), "has no result"),
        (state("failed"), "has no error"),
        (state("input_required"), "has no inputRequests"),
        ({}, "None"),
    ],
)
async def test_an_invalid_state_is_reported_as_the_servers_fault(invalid: dict[str, Any], message: str) -> None:
    async with connected(server(invalid)) as session:
        with pytest.raises(ProtocolError, match=message):
            await within(session.call_tool("slow", {}).result())


async def test_a_task_without_an_id_is_the_servers_fault() -> None:
    async with connected(server(None, **{"tools/call": CREATED | {"taskId": None}})) as session:
        with pytest.raises(ProtocolError, match="no id"):
            await within(session.call_tool("slow", {}).result())


async def test_only_calls_may_become_tasks() -> None:
    async with connected(server(None, **{"prompts/get": CREATED})) as session:
        with pytest.raises(ProtocolError, match="'task'"):
            await within(session.get_prompt("x"))


# The tasks of 2025-11-25.


async def test_a_requested_task_is_followed_and_its_result_fetched() -> None:
    behind = core_server(state("working"), state("completed"))
    async with connected(behind, LATEST) as session:
        assert await within(session.call_tool("slow", {}, task={"ttl": 60_000}).result()) == DONE
    (call,) = of(behind, "tools/call")
    assert call["task"] == {"ttl": 60_000}
    assert len(of(behind, "tasks/get")) == 2
    assert of(behind, "tasks/result") == [{"taskId": "t1"}]


async def test_a_server_that_ignores_the_request_for_a_task_is_supported() -> None:
    async with connected(core_server(None, **{"tools/call": DONE}), LATEST) as session:
        assert await within(session.call_tool("slow", {}, task={}).result()) == DONE


async def test_the_result_is_waited_for_when_the_task_wants_to_know_something() -> None:
    behind = core_server(state("input_required"))
    async with connected(behind, LATEST, questions=PendingQuestions([accept])) as session:
        assert await within(session.call_tool("slow", {}, task={}).result()) == DONE
    assert len(of(behind, "tasks/result")) == 1


async def test_a_tool_that_only_runs_as_a_task_is_called_as_a_task() -> None:
    listed = {"tools": [{"name": "slow", "execution": {"taskSupport": "required"}}, {"name": "quick"}]}
    behind = core_server(state("completed"), **{"tools/list": listed})
    async with connected(behind, LATEST) as session:
        await within(session.list_tools())
        await within(session.call_tool("slow", {}).result())
        behind.replies["tools/call"] = DONE
        await within(session.call_tool("quick", {}).result())
    first, second = of(behind, "tools/call")
    assert first["task"] == {}
    assert "task" not in second
