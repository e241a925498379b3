"""Tasks of 2025-11-25: the client asks for them, and fetches the result with a request of its own."""

import re
from typing import Any

import pytest

from server_core.protocol.envelope import RELATED_TASK
from server_core.settings import Settings
from tests.server_core.tasks.clients import ADA, CoreClient, Workshop
from tests.waiting import until, within

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def related(task: str) -> dict[str, Any]:
    return {RELATED_TASK: {"taskId": task}}


async def test_a_call_with_a_task_is_answered_with_the_task(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    result = (await client.ask("tools/call", name="dig", task={"ttl": 60_000}))["result"]
    task = result["task"]
    assert result == {"task": task, "_meta": related(task["taskId"])}
    assert set(task) == {"taskId", "status", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"}
    assert (task["status"], task["ttl"]) == ("working", 60_000)
    assert re.fullmatch(r"[0-9a-f]{32}", task["taskId"])
    assert TIMESTAMP.fullmatch(task["createdAt"])
    assert TIMESTAMP.fullmatch(task["lastUpdatedAt"])


async def test_the_result_waits_for_the_tool_and_names_its_task(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("dig")
    waiting = client.send("tasks/result", taskId=task)
    assert await client.status(task) == "working"
    workshop.gate.set()
    assert (await client.answer(waiting))["result"] == {
        "content": [{"type": "text", "text": "dug"}],
        "_meta": related(task),
    }
    assert await client.status(task) == "completed"
    # It may be fetched again.
    assert "result" in await client.ask("tasks/result", taskId=task)


async def test_progress_and_log_messages_continue_until_the_task_ends(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("dig")
    await until(lambda: client.notifications("notifications/message"))
    assert client.notifications("notifications/progress") == [
        {"progressToken": "token", "progress": 1, "total": 2, "_meta": related(task)}
    ]
    assert client.notifications("notifications/message")[0]["_meta"] == related(task)


async def test_the_client_is_notified_of_a_new_status(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("dig")
    workshop.gate.set()
    await until(lambda: client.notifications("notifications/tasks/status"))
    (notification,) = client.notifications("notifications/tasks/status")
    assert (notification["taskId"], notification["status"]) == (task, "completed")
    assert "_meta" not in notification


async def test_an_input_request_is_sent_with_the_request_for_the_result(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("greet")
    assert await client.status(task) == "input_required"
    waiting = client.send("tasks/result", taskId=task)
    question = await client.asked()
    assert question["method"] == "elicitation/create"
    assert question["params"]["_meta"] == related(task)
    # Over HTTP it takes the stream of that request.
    assert client.outlet.related[client.outlet.sent.index(question)] == waiting
    client.respond(question, ADA)
    assert (await client.answer(waiting))["result"]["content"][0]["text"] == "Hello, Ada!"
    statuses = [item["status"] for item in client.notifications("notifications/tasks/status")]
    assert statuses == ["input_required", "working", "completed"]


async def test_a_later_input_request_is_sent_to_the_client_that_waits_already(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    waiting = client.send("tasks/result", taskId=await client.begin("think"))
    sampling = await client.asked(0)
    client.respond(sampling, {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"})
    roots = await client.asked(1)
    assert roots["method"] == "roots/list"
    client.respond(roots, {"roots": [{"uri": "file:///a"}]})
    assert (await client.answer(waiting))["result"]["content"][0]["text"] == "hi 1"


async def test_an_input_request_is_sent_again_when_the_result_is_requested_again(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("greet")
    client.send("tasks/result", taskId=task)
    lost = await client.asked(0)
    waiting = client.send("tasks/result", taskId=task)
    again = await client.asked(1)
    assert again["params"] == lost["params"]
    assert client.notifications("notifications/cancelled")[0]["requestId"] == lost["id"]
    client.respond(again, ADA)
    assert (await client.answer(waiting))["result"]["content"][0]["text"] == "Hello, Ada!"


async def test_an_input_request_stays_open_when_no_client_waits_for_the_result(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("greet")
    waiting = client.send("tasks/result", taskId=task)
    question = await client.asked()
    client.cancel_request(waiting)
    client.respond(question, ADA)
    await until(lambda: "completed" in [item["status"] for item in client.notifications("notifications/tasks/status")])


async def test_an_error_of_the_client_reaches_the_tool(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("greet")
    waiting = client.send("tasks/result", taskId=task)
    question = await client.asked()
    client.session.receive(
        b'{"jsonrpc": "2.0", "id": %d, "error": {"code": -1, "message": "no thanks"}}' % question["id"]
    )
    result = (await client.answer(waiting))["result"]
    assert result["isError"] is True
    assert "no thanks" in result["content"][0]["text"]


async def test_an_input_request_that_times_out_fails_the_tool(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("hurry")
    result = (await client.ask("tasks/result", taskId=task))["result"]
    assert "did not answer elicitation/create within 0.02 s" in result["content"][0]["text"]


async def test_a_tool_that_reports_an_error_has_failed_and_its_result_is_there(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("fail")
    assert (await client.ask("tasks/result", taskId=task))["result"]["isError"] is True
    state = (await client.ask("tasks/get", taskId=task))["result"]
    message = "[TOOL_RUNTIME_FATAL] FatalToolError during execution of tool 'fail': It broke."
    assert (state["status"], state["statusMessage"]) == ("failed", message)


@pytest.mark.parametrize(
    ("tool", "task", "message"),
    [
        ("plain", {}, "cannot run as a task"),
        ("plain", {"ttl": "soon"}, "cannot run as a task"),
        ("only_as_task", None, "runs only as a task"),
    ],
)
async def test_a_tool_is_called_as_its_task_support_requires(
    workshop: Workshop, tool: str, task: dict[str, Any] | None, message: str
) -> None:
    given = {} if task is None else {"task": task}
    error = (await CoreClient(workshop).ask("tools/call", name=tool, **given))["error"]
    assert error["code"] == -32601
    assert message in error["message"]


async def test_a_tool_that_may_be_a_task_is_a_call_without_a_task_param(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    workshop.gate.set()
    assert (await client.ask("tools/call", name="dig"))["result"]["content"][0]["text"] == "dug"


async def test_clients_of_earlier_revisions_get_no_tasks(workshop: Workshop) -> None:
    client = CoreClient(workshop, revision="2025-06-18")
    workshop.gate.set()
    assert (await client.ask("tools/call", name="dig", task={}))["result"]["content"][0]["text"] == "dug"
    assert (await client.ask("tools/call", name="plain", task={}))["result"]["content"][0]["text"] == "plain"
    assert (await client.ask("tasks/list"))["error"]["code"] == -32601


async def test_a_tool_that_runs_only_as_a_task_is_a_call_where_there_are_no_tasks(workshop: Workshop) -> None:
    client = CoreClient(workshop, revision="2025-06-18")
    wishes: tuple[dict[str, Any], ...] = ({}, {"task": {}})
    for wish in wishes:
        assert "content" in (await client.ask("tools/call", name="only_as_task", **wish))["result"]


async def test_an_invalid_ttl_is_refused(workshop: Workshop) -> None:
    for ttl in (
        "soon",
        -1,
        -1.0,
        True,
        False,
        [],
        0,
        0.0,
        0.5,
        1e-9,
    ):
        answer = await CoreClient(workshop).ask("tools/call", name="dig", task={"ttl": ttl})
        assert answer["error"]["code"] == -32602
        assert "above 0" in answer["error"]["message"]
        assert not workshop.entered.is_set()


@pytest.mark.parametrize("wish", [{}, {"ttl": None}, {"ttl": 1}, {"ttl": 60000.0}])
async def test_a_client_may_request_a_time_to_live(workshop: Workshop, wish: Any) -> None:
    answer = await CoreClient(workshop).ask("tools/call", name="dig", task=wish)
    assert answer["result"]["task"]["status"] == "working"


@pytest.mark.parametrize("task", [[], "now", 1, True])
async def test_a_wish_that_makes_no_sense_is_refused(workshop: Workshop, task: Any) -> None:
    answer = await CoreClient(workshop).ask("tools/call", name="dig", task=task)
    assert answer["error"]["code"] == -32602
    assert not workshop.entered.is_set()


async def test_an_unknown_task_is_refused(workshop: Workshop) -> None:
    for params in (
        {},
        {"taskId": 5},
        {"taskId": None},
        {"taskId": ["x"]},
        {"taskId": "unknown"},
    ):
        for method in (
            "tasks/get",
            "tasks/result",
            "tasks/cancel",
        ):
            assert (await CoreClient(workshop).ask(method, **params))["error"]["code"] == -32602


async def test_tasks_of_other_sessions_are_not_there(workshop: Workshop) -> None:
    mine, other = CoreClient(workshop), CoreClient(workshop)
    task = await mine.begin("dig")
    for method in ("tasks/get", "tasks/result", "tasks/cancel"):
        assert (await other.ask(method, taskId=task))["error"]["code"] == -32602
    assert (await other.ask("tasks/list"))["result"] == {"tasks": []}
    assert [item["taskId"] for item in (await mine.ask("tasks/list"))["result"]["tasks"]] == [task]
    assert await mine.status(task) == "working"


async def test_the_same_user_can_access_a_task_again(workshop: Workshop) -> None:
    first = CoreClient(workshop, principal="anna")
    task = await first.begin("greet")
    first.send("tasks/result", taskId=task)
    await first.asked()
    first.session.close()
    second = CoreClient(workshop, principal="anna")
    assert await second.status(task) == "input_required"
    waiting = second.send("tasks/result", taskId=task)
    second.respond(await second.asked(), ADA)
    assert (await second.answer(waiting))["result"]["content"][0]["text"] == "Hello, Ada!"
    assert (await CoreClient(workshop, principal="ben").ask("tasks/get", taskId=task))["error"]["code"] == -32602


async def test_the_list_is_paginated() -> None:
    workshop = Workshop(Settings(state_key="k" * 32, page_size=2, shutdown_grace=0.05))
    client = CoreClient(workshop)
    tasks = [await client.begin("fail") for _ in range(5)]
    state: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = (await client.ask("tasks/list", **cursor))["result"]
        state += [task["taskId"] for task in page["tasks"]]
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else {}
    assert (state, cursor) == (tasks, {})
    await workshop.close()


@pytest.mark.parametrize("cursor", ["", "x", 5, ["a"], "dG9vbHMgMA==", "dGFza3MgLTE=", "é"])
async def test_a_cursor_that_is_none_is_refused(workshop: Workshop, cursor: Any) -> None:
    assert (await CoreClient(workshop).ask("tasks/list", cursor=cursor))["error"]["code"] == -32602


async def test_cancelling_a_task_stops_its_tool(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("dig")
    await within(workshop.entered.wait())
    waiting = client.send("tasks/result", taskId=task)
    cancelled = (await client.ask("tasks/cancel", taskId=task))["result"]
    assert (cancelled["taskId"], cancelled["status"]) == (task, "cancelled")
    await within(workshop.stopped.wait())
    assert (await client.answer(waiting))["error"]["message"] == "The task was cancelled by request."
    assert await client.status(task) == "cancelled"


async def test_a_task_that_has_ended_cannot_be_cancelled(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("dig")
    await client.ask("tasks/cancel", taskId=task)
    again = (await client.ask("tasks/cancel", taskId=task))["error"]
    assert again == {"code": -32602, "message": "Cannot cancel task: already in terminal status 'cancelled'"}
    failed = await client.begin("fail")
    await client.ask("tasks/result", taskId=failed)
    assert "'failed'" in (await client.ask("tasks/cancel", taskId=failed))["error"]["message"]


async def test_cancelling_a_task_withdraws_its_question(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("greet")
    client.send("tasks/result", taskId=task)
    question = await client.asked()
    await client.ask("tasks/cancel", taskId=task)
    await until(lambda: client.notifications("notifications/cancelled"))
    assert client.notifications("notifications/cancelled")[0]["requestId"] == question["id"]


async def test_cancelling_the_answered_call_does_not_touch_its_task(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("dig")
    client.cancel_request("r1")
    workshop.gate.set()
    assert (await client.ask("tasks/result", taskId=task))["result"]["content"][0]["text"] == "dug"


async def test_the_end_of_a_session_stops_its_tasks(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    await client.begin("dig")
    await within(workshop.entered.wait())
    assert client.session.busy
    client.session.close()
    await within(workshop.stopped.wait())
    assert not client.session.busy


async def test_the_tasks_of_a_session_are_seen_beside_its_calls(workshop: Workshop) -> None:
    client = CoreClient(workshop)
    task = await client.begin("fail")
    await client.ask("tasks/result", taskId=task)
    events = [record for record in client.records.events() if record["event"].startswith("task_")]
    assert [(event["event"], event["status"], event["ok"]) for event in events] == [
        ("task_created", "working", True),
        ("task_changed", "completed", False),
    ]
    assert {(event["task"], event["tool"], event["id"]) for event in events} == {(task, "fail", "r1")}


async def test_a_task_does_not_count_as_a_call_that_runs() -> None:
    workshop = Workshop(Settings(state_key="k" * 32, max_calls=1, shutdown_grace=0.05))
    client = CoreClient(workshop)
    await client.begin("dig")
    assert (await client.ask("tools/call", name="plain"))["result"]["content"][0]["text"] == "plain"
    await workshop.close()
