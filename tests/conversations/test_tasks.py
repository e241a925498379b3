"""Tasks over every transport, in both eras: the tool keeps running, and its client fetches the result later."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server_core import MCPApp
from server_core.middleware import CallNext, Middleware, MiddlewareContext
from server_core.protocol.jsonrpc import Notification
from server_core.protocol.revisions import REVISION_2025_11_25, REVISION_2026_07_28, Revision
from tests.conversations.conftest import TRANSPORTS, Dial
from tests.server_core.tasks.clients import ADA, TAKES_TASKS, Workshop
from tests.waiting import until, within
from workbench.client.questions import PendingQuestions
from workbench.client.session import ClientSession


class Place:
    """A workshop, and a way to connect to it."""

    def __init__(self, workshop: Workshop, dial: Dial) -> None:
        self.workshop = workshop
        self._dial = dial

    @asynccontextmanager
    async def client(self, revision: Revision, questions: PendingQuestions | None = None) -> AsyncIterator["Tasks"]:
        """A client of the workshop that supports tasks."""
        notifications: list[Notification] = []
        session = await within(
            ClientSession.open(
                await self._dial(),
                revision=revision,
                questions=questions,
                capabilities=TAKES_TASKS,
                on_notification=notifications.append,
            )
        )
        yield Tasks(session, notifications)
        await within(session.close())


class Tasks:
    """What a client does with tasks, in either era."""

    def __init__(self, session: ClientSession, notifications: list[Notification]) -> None:
        self.session = session
        self.notifications = notifications
        self._is_core = session.revision.core_tasks

    async def begin(self, tool: str) -> str:
        params = {"name": tool, "arguments": {}, "task": {}}
        answer = await within(self.session.request_once("tools/call", params))
        return str((answer["task"] if self._is_core else answer)["taskId"])

    async def get(self, task: str) -> dict[str, Any]:
        return await within(self.session.request_once("tasks/get", {"taskId": task}))

    async def result(self, task: str) -> dict[str, Any]:
        """Poll for the result until it is available."""
        if self._is_core:
            return await within(self.session.request_once("tasks/result", {"taskId": task}))
        completed = await self.get_in(task, "completed")
        result: dict[str, Any] = completed["result"]
        return result

    async def get_in(self, task: str, status: str) -> dict[str, Any]:
        async def poll() -> dict[str, Any]:
            while (state := await self.get(task))["status"] != status:
                pass
            return state

        return await within(poll())


@pytest.fixture(params=TRANSPORTS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    """A workshop that is served over the transport of this run."""
    workshop = Workshop()
    async with TRANSPORTS[request.param](workshop.server, tmp_path) as dial:
        yield Place(workshop, dial)
        workshop.gate.set()
    await workshop.close()


BOTH = pytest.mark.parametrize(
    "revision", [REVISION_2025_11_25, REVISION_2026_07_28], ids=lambda revision: revision.date
)


@BOTH
async def test_a_tool_continues_while_its_client_does_something_else(place: Place, revision: Revision) -> None:
    async with place.client(revision) as client:
        task = await client.begin("dig")
        plain = await within(client.session.request("tools/call", {"name": "plain", "arguments": {}}))
        assert plain["content"][0]["text"] == "plain"
        assert (await client.get(task))["status"] == "working"
        place.workshop.gate.set()
        assert (await client.result(task))["content"][0]["text"] == "dug"


@BOTH
async def test_a_task_is_stopped_by_its_client(place: Place, revision: Revision) -> None:
    async with place.client(revision) as client:
        task = await client.begin("dig")
        await within(place.workshop.entered.wait())
        await within(client.session.request_once("tasks/cancel", {"taskId": task}))
        await within(place.workshop.stopped.wait())
        assert (await client.get(task))["status"] == "cancelled"


async def test_the_question_of_a_task_is_a_request_of_the_server(place: Place) -> None:
    questions = PendingQuestions([lambda question: question.answer(ADA)])
    async with place.client(REVISION_2025_11_25, questions) as client:
        task = await client.begin("greet")
        assert (await client.get_in(task, "input_required"))["status"] == "input_required"
        assert (await client.result(task))["content"][0]["text"] == "Hello, Ada!"


async def test_the_question_of_a_task_waits_in_the_task(place: Place) -> None:
    async with place.client(REVISION_2026_07_28) as client:
        task = await client.begin("greet")
        assert set((await client.get_in(task, "input_required"))["inputRequests"]) == {"who"}
        await within(client.session.request_once("tasks/update", {"taskId": task, "inputResponses": {"who": ADA}}))
        assert (await client.result(task))["content"][0]["text"] == "Hello, Ada!"


async def test_a_client_without_a_session_reconnects_for_its_task(place: Place) -> None:
    async with place.client(REVISION_2026_07_28) as client:
        task = await client.begin("dig")
    place.workshop.gate.set()
    async with place.client(REVISION_2026_07_28) as client:
        assert (await client.result(task))["content"][0]["text"] == "dug"


async def test_the_status_of_a_task_is_notified(place: Place) -> None:
    async with place.client(REVISION_2025_11_25) as client:
        task = await client.begin("dig")
        place.workshop.gate.set()
        await until(
            lambda: any(notification.method == "notifications/tasks/status" for notification in client.notifications)
        )
        assert {
            notification.params["taskId"]
            for notification in client.notifications
            if notification.method == "notifications/tasks/status"
        } == {task}


@BOTH
async def test_the_result_of_a_task_has_passed_the_middleware(place: Place, revision: Revision) -> None:
    class Sign(Middleware):
        async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext) -> Any:
            result = await call_next(context)
            return {**result, "content": [*result["content"], {"type": "text", "text": "signed"}]}

    served = place.workshop.server.generation
    assert served is not None
    place.workshop.server.swap(replace(served, apps=(MCPApp("signing", middleware=[Sign()]),)))
    async with place.client(revision) as client:
        task = await client.begin("dig")
        place.workshop.gate.set()
        assert [block["text"] for block in (await client.result(task))["content"]] == ["dug", "signed"]
