"""Tasks of 2026-07-28, as an extension: the server decides, and the client polls."""

from typing import Any

import pytest

from server_core.protocol.envelope import SERVER_INFO, TASKS_EXTENSION
from server_core.settings import Settings
from tests.server_core.tasks.clients import ADA, ASKING, TAKES_TASKS, CoreClient, StatelessClient, Workshop
from tests.waiting import until, within

REQUIRED: dict[str, Any] = {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}
META = {"_meta": {SERVER_INFO: {"name": "workshop", "version": "1.0.0", "title": "workshop"}}}


async def test_a_tool_that_may_be_a_task_is_a_task_for_a_client_with_tasks(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    result = (await client.ask("tools/call", name="dig"))["result"]
    members = {"resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "_meta"}
    assert set(result) == members
    assert (result["resultType"], result["status"], result["ttlMs"]) == ("task", "working", 3_600_000)
    state = await client.get(result["taskId"])
    assert set(state) == members
    assert (state["resultType"], state["status"]) == ("complete", "working")


async def test_the_result_is_in_the_task_when_it_is_there(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("dig")
    workshop.gate.set()
    state = await client.get_in(task, "completed")
    assert state["result"] == {"content": [{"type": "text", "text": "dug"}]}
    assert "error" not in state


async def test_no_notifications_of_a_task_are_sent(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    await client.begin("dig")
    await within(workshop.entered.wait())
    workshop.gate.set()
    assert [message for message in client.outlet.sent if "method" in message] == []


async def test_an_error_of_the_tool_completes_the_task(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    state = await client.get_in(await client.begin("fail"), "completed", "failed")
    assert state["status"] == "completed"
    assert state["result"]["isError"] is True


async def test_an_error_of_the_protocol_fails_the_task(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    state = await client.get_in(await client.begin("break_down"), "completed", "failed")
    assert (state["status"], state["statusMessage"]) == ("failed", "It broke down.")
    assert state["error"] == {"code": -32603, "message": "It broke down.", "data": {"why": "rust"}}
    assert "result" not in state


async def test_a_capability_that_the_call_did_not_declare_fails_the_task(workshop: Workshop) -> None:
    client = StatelessClient(workshop, capabilities={"extensions": {TASKS_EXTENSION: {}}})
    state = await client.get_in(await client.begin("greet"), "completed", "failed")
    assert state["error"]["code"] == -32021
    assert state["error"]["data"] == {"requiredCapabilities": {"elicitation": {}}}


async def test_a_question_waits_in_the_task_for_its_answer(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("greet")
    asking = await client.get_in(task, "input_required")
    question = asking["inputRequests"]["who"]
    assert set(question) == {"method", "params"}
    assert question["params"]["message"] == "Who are you?"
    answer = await client.ask("tasks/update", taskId=task, inputResponses={"who": ADA})
    assert answer["result"] == {"resultType": "complete", **META}
    state = await client.get_in(task, "completed")
    assert state["result"]["content"][0]["text"] == "Hello, Ada!"
    assert "inputRequests" not in state


async def test_input_requests_are_answered_singly_and_their_keys_are_unique(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("greet_two")
    assert set((await client.get_in(task, "input_required"))["inputRequests"]) == {"who", "whom"}
    await client.ask("tasks/update", taskId=task, inputResponses={"who": ADA})
    after = await client.get(task)
    assert (after["status"], set(after["inputRequests"])) == ("input_required", {"whom"})
    await client.ask("tasks/update", taskId=task, inputResponses={"whom": ADA})
    third = await client.get_in(task, "input_required")
    assert set(third["inputRequests"]) == {"who-2"}
    # An answer that was given already is no answer to anything.
    await client.ask("tasks/update", taskId=task, inputResponses={"who": ADA})
    assert (await client.get(task))["status"] == "input_required"
    await client.ask("tasks/update", taskId=task, inputResponses={"who-2": ADA})
    assert (await client.get_in(task, "completed"))["result"]["content"][0]["text"] == "Ada, Ada, Ada"


@pytest.mark.parametrize(
    "responses",
    [{}, {"other": ADA}, {"who": None}, {"who": 5}, {"who": "Ada"}, {"who": {"action": "accept"}}, {"who": {}}],
)
async def test_a_response_without_an_open_input_request_is_ignored(workshop: Workshop, responses: Any) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("greet")
    await client.get_in(task, "input_required")
    answer = await client.ask("tasks/update", taskId=task, inputResponses=responses)
    assert answer["result"]["resultType"] == "complete"
    assert set((await client.get(task))["inputRequests"]) == {"who"}


async def test_sampling_and_roots_are_requested_in_the_same_way(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("think")
    message = {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}
    await client.get_in(task, "input_required")
    await client.ask("tasks/update", taskId=task, inputResponses={"sampling-1": message})
    await until(lambda: True)
    assert set((await client.get_in(task, "input_required"))["inputRequests"]) == {"roots-1"}
    await client.ask("tasks/update", taskId=task, inputResponses={"roots-1": {"roots": []}})
    assert (await client.get_in(task, "completed"))["result"]["content"][0]["text"] == "hi 0"


async def test_cancelling_stops_the_tool_and_is_answered_with_nothing(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("dig")
    await within(workshop.entered.wait())
    assert (await client.ask("tasks/cancel", taskId=task))["result"] == {"resultType": "complete", **META}
    await within(workshop.stopped.wait())
    state = await client.get(task)
    assert state["status"] == "cancelled"
    assert {"result", "error", "inputRequests"}.isdisjoint(state)
    # Again, and nothing changes.
    assert (await client.ask("tasks/cancel", taskId=task))["result"] == {"resultType": "complete", **META}
    assert await client.get(task) == state


async def test_a_task_that_is_complete_stays_so_when_it_is_cancelled(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("fail")
    done = await client.get_in(task, "completed")
    assert (await client.ask("tasks/cancel", taskId=task))["result"] == {"resultType": "complete", **META}
    assert (await client.ask("tasks/update", taskId=task, inputResponses={"who": ADA}))["result"]["resultType"]
    assert await client.get(task) == done


async def test_without_the_extension_a_tool_that_may_be_a_task_is_a_call(workshop: Workshop) -> None:
    client = StatelessClient(workshop, capabilities=ASKING)
    workshop.gate.set()
    assert (await client.ask("tools/call", name="dig"))["result"]["content"][0]["text"] == "dug"


@pytest.mark.parametrize(
    "capabilities",
    [{}, {"extensions": {}}, {"extensions": []}, {"extensions": {TASKS_EXTENSION: True}}, {"tasks": {}}],
)
async def test_without_the_extension_methods_that_need_it_are_refused(
    workshop: Workshop, capabilities: dict[str, Any]
) -> None:
    for method, params in (
        ("tools/call", {"name": "only_as_task"}),
        ("tasks/get", {"taskId": "unknown"}),
        ("tasks/update", {"taskId": 5}),
        ("tasks/cancel", {}),
    ):
        error = (await StatelessClient(workshop, capabilities=capabilities).ask(method, **params))["error"]
        assert (error["code"], error["data"]) == (-32021, REQUIRED)


async def test_a_tool_that_runs_only_as_a_task_does_so(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    state = await client.get_in(await client.begin("only_as_task"), "completed")
    assert state["result"]["content"][0]["text"] == "as a task"


async def test_a_task_param_is_ignored(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    assert (await client.ask("tools/call", name="plain", task={"ttl": 1}))["result"]["resultType"] == "complete"


@pytest.mark.parametrize("method", ["tasks/result", "tasks/list"])
async def test_the_methods_of_the_older_tasks_do_not_exist(workshop: Workshop, method: str) -> None:
    assert (await StatelessClient(workshop).ask(method, taskId="x"))["error"]["code"] == -32601


async def test_an_unknown_task_is_refused(workshop: Workshop) -> None:
    for method in (
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
    ):
        for params in (
            {},
            {"taskId": 5},
            {"taskId": None},
            {"taskId": {}},
            {"taskId": "unknown"},
        ):
            given: dict[str, Any] = {"inputResponses": {}} if method == "tasks/update" else {}
            assert (await StatelessClient(workshop).ask(method, **params, **given))["error"]["code"] == -32602


@pytest.mark.parametrize("responses", [None, [], "yes", 1])
async def test_answers_that_are_no_object_are_refused(workshop: Workshop, responses: Any) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("greet")
    answer = await client.ask("tasks/update", taskId=task, inputResponses=responses)
    assert answer["error"]["code"] == -32602


async def test_tasks_of_other_users_do_not_exist(workshop: Workshop) -> None:
    mine = StatelessClient(workshop, principal="anna")
    task = await mine.begin("dig")
    for stranger in (StatelessClient(workshop, principal="ben"), StatelessClient(workshop)):
        for method in ("tasks/get", "tasks/cancel", "tasks/update"):
            answer = await stranger.ask(method, taskId=task, inputResponses={})
            assert answer["error"]["code"] == -32602
    assert (await StatelessClient(workshop, principal="anna").get(task))["status"] == "working"


async def test_a_task_outlives_the_connection_that_began_it(workshop: Workshop) -> None:
    first = StatelessClient(workshop)
    task = await first.begin("dig")
    first.session.close()
    workshop.gate.set()
    assert (await StatelessClient(workshop).get_in(task, "completed"))["result"]["content"][0]["text"] == "dug"


async def test_both_wires_describe_the_same_task_in_their_own_format(workshop: Workshop) -> None:
    stateless = StatelessClient(workshop, principal="anna")
    task = await stateless.begin("fail")
    await stateless.get_in(task, "completed")
    core = CoreClient(workshop, principal="anna")
    assert await core.status(task) == "failed"
    assert (await core.ask("tasks/result", taskId=task))["result"]["isError"] is True


async def test_at_the_limit_of_tasks_a_tool_is_called_without_a_task_if_allowed() -> None:
    workshop = Workshop(Settings(state_key="k" * 32, max_tasks=1, shutdown_grace=0.05))
    client = StatelessClient(workshop)
    task = await client.begin("dig")
    assert (await client.ask("tools/call", name="fail"))["result"]["resultType"] == "complete"
    error = (await client.ask("tools/call", name="only_as_task"))["error"]
    assert error == {"code": -32603, "message": "The limit of 1 running tasks is reached; try again later"}
    await client.ask("tasks/cancel", taskId=task)
    await client.begin("only_as_task")
    await workshop.close()


async def test_the_server_declares_the_extension(workshop: Workshop) -> None:
    capabilities = (await StatelessClient(workshop).ask("server/discover"))["result"]["capabilities"]
    assert capabilities["extensions"] == {TASKS_EXTENSION: {}}
    assert "tasks" not in capabilities


def test_the_tests_declare_the_capabilities_of_a_real_client() -> None:
    assert TAKES_TASKS["extensions"] == {TASKS_EXTENSION: {}}
