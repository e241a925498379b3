"""Requests that a person has to go to an address for, before they are served."""

import asyncio
from typing import Any

import pytest

from server_core.errors import RemoteError
from server_core.protocol.revisions import LATEST, REVISION_2025_06_18, Revision
from tests.waiting import until, within
from tests.workbench.client.scripted import INITIALIZED, ScriptedServer
from workbench.client import url_elicitations
from workbench.client.questions import PendingQuestions, Question
from workbench.client.session import ClientSession
from workbench.client.tool_call import ToolCall

VISIT = {"mode": "url", "elicitationId": "e1", "url": "https://example.com/connect", "message": "Connect first."}
DONE = {"content": []}


def refused(*elicitations: Any) -> dict[str, Any]:
    data = {"elicitations": list(elicitations)}
    return {"error": {"code": -32042, "message": "There is something to do first.", "data": data}}


async def called(
    *answers: dict[str, Any], questions: PendingQuestions | None = None, revision: Revision = LATEST
) -> tuple[ScriptedServer, ClientSession, ToolCall]:
    waiting = list(answers)
    server = ScriptedServer(
        initialize=INITIALIZED | {"protocolVersion": revision.date}, tools__call=lambda _: waiting.pop(0)
    )
    session = await within(ClientSession.open(server, questions=questions, revision=revision))
    return server, session, session.call_tool("fetch", {})


async def test_a_call_continues_when_the_person_has_visited_the_url() -> None:
    server, session, call = await called(refused(VISIT), DONE)
    await until(lambda: session.questions.waiting)
    (question,) = session.questions.waiting
    assert (question.mode, question.params["url"], question.call) == ("url", VISIT["url"], str(call.first_id))
    assert question.accept()
    await asyncio.sleep(0)
    assert not call.done
    server.notify("notifications/elicitation/complete", elicitationId="other")
    server.notify("notifications/elicitation/complete", elicitationId="e1")
    assert await within(call.result()) == DONE
    first, second = [item for item in server.received if item.get("method") == "tools/call"]
    assert first["params"] == second["params"]
    assert first["id"] != second["id"]
    await within(session.close())


async def test_a_server_that_does_not_notify_is_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_elicitations, "COMPLETION_SECONDS", 0.01)
    _, session, call = await called(refused(VISIT), DONE, questions=PendingQuestions([Question.accept]))
    assert await within(call.result()) == DONE
    await within(session.close())


async def test_a_person_who_needs_more_time_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_elicitations, "COMPLETION_SECONDS", 0.001)
    asked: list[Question] = []

    def accept(question: Question) -> bool:
        asked.append(question)
        return question.accept()

    server, session, call = await called(*[refused(VISIT)] * 3, DONE, questions=PendingQuestions([accept]))
    assert await within(call.result()) == DONE
    assert len(asked) == 1
    assert [item.get("method") for item in server.received].count("tools/call") == 4
    await within(session.close())


async def test_a_person_who_never_finishes_gets_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_elicitations, "COMPLETION_SECONDS", 0.001)
    refusals = [refused(VISIT)] * (url_elicitations.MAX_WAITS + 1)
    _, session, call = await called(*refusals, questions=PendingQuestions([Question.accept]))
    with pytest.raises(RemoteError, match="something to do first"):
        await within(call.result())
    await within(session.close())


@pytest.mark.parametrize("answer", [Question.decline, Question.cancel, lambda question: question.refuse(-1, "no")])
async def test_a_person_who_does_not_want_to_go_there_gets_the_error(answer: Any) -> None:
    _, session, call = await called(
        refused(VISIT, VISIT | {"elicitationId": "e2"}), questions=PendingQuestions([answer])
    )
    with pytest.raises(RemoteError, match="something to do first"):
        await within(call.result())
    assert session.questions.waiting == []
    await within(session.close())


@pytest.mark.parametrize(
    "elicitations",
    [[], ["https://example.com"], [VISIT | {"mode": "form"}], [VISIT | {"elicitationId": 7}], [VISIT | {"url": None}]],
)
async def test_an_error_that_names_no_address_is_the_answer(elicitations: list[Any]) -> None:
    _, session, call = await called(refused(*elicitations), questions=PendingQuestions([Question.accept]))
    with pytest.raises(RemoteError, match="something to do first"):
        await within(call.result())
    await within(session.close())


async def test_in_a_revision_without_such_errors_the_error_is_the_answer() -> None:
    _, session, call = await called(refused(VISIT), revision=REVISION_2025_06_18)
    with pytest.raises(RemoteError, match="something to do first"):
        await within(call.result())
    await within(session.close())


async def test_a_visit_that_has_another_id_each_time_is_the_same_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_elicitations, "COMPLETION_SECONDS", 0.001)
    asked: list[Question] = []

    def accept(question: Question) -> bool:
        asked.append(question)
        return question.accept()

    refusals = [refused(VISIT | {"elicitationId": f"e{n}"}) for n in range(url_elicitations.MAX_WAITS + 1)]
    server, session, call = await called(*refusals, questions=PendingQuestions([accept]))
    with pytest.raises(RemoteError, match="something to do first"):
        await within(call.result())
    assert len(asked) == 1
    assert [item.get("method") for item in server.received].count("tools/call") == url_elicitations.MAX_WAITS + 1
    await within(session.close())


async def test_the_number_of_retries_of_a_call_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_elicitations, "COMPLETION_SECONDS", 0.001)
    server = ScriptedServer(initialize=INITIALIZED, tools__call=lambda _: refused(VISIT))
    session = await within(ClientSession.open(server, questions=PendingQuestions([Question.accept]), max_waits=2))
    with pytest.raises(RemoteError, match="something to do first"):
        await within(session.call_tool("fetch", {}).result())
    assert [item.get("method") for item in server.received].count("tools/call") == 3
    await within(session.close())
