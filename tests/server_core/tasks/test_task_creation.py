"""A call that becomes a task at the request of its tool, while it runs."""

import pytest

from server_core.errors import ContextError
from server_core.execution.context.context import Context
from tests.server_core.ports import FakePort
from tests.server_core.tasks.clients import ADA, ASKING, CoreClient, StatelessClient, Workshop
from tests.waiting import within


async def test_a_tool_continues_as_a_task_on_request(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    created = (await client.ask("tools/call", name="turn"))["result"]
    assert (created["resultType"], created["ttlMs"]) == ("task", 30_000)
    workshop.gate.set()
    state = await client.get_in(created["taskId"], "completed")
    assert state["result"]["content"][0]["text"] == "turned"
    assert workshop.became == [True]


async def test_a_tool_on_a_thread_becomes_a_task_too(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    state = await client.get_in(await client.begin("turn_on_a_thread"), "completed")
    assert state["result"]["content"][0]["text"] == "turned on a thread"


async def test_a_call_stays_a_call_for_a_client_without_tasks(workshop: Workshop) -> None:
    workshop.gate.set()
    for client in (StatelessClient(workshop, capabilities=ASKING), CoreClient(workshop)):
        assert (await client.ask("tools/call", name="turn"))["result"]["content"][0]["text"] == "turned"
    assert workshop.became == [False, False]


async def test_a_task_that_the_tool_made_is_stopped_by_its_client(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    task = await client.begin("turn")
    await within(workshop.entered.wait())
    await client.ask("tasks/cancel", taskId=task)
    assert (await client.get(task))["status"] == "cancelled"


async def test_a_tool_requests_input_in_rounds_first_and_then_in_its_task(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    asked = (await client.ask("tools/call", name="ask_and_turn"))["result"]
    assert asked["resultType"] == "input_required"
    assert "taskId" not in asked
    created = await client.ask(
        "tools/call", name="ask_and_turn", inputResponses={"who": ADA}, requestState=asked["requestState"]
    )
    assert created["result"]["resultType"] == "task"
    assert {"requestState", "inputRequests"}.isdisjoint(created["result"])
    task = created["result"]["taskId"]
    assert set((await client.get_in(task, "input_required"))["inputRequests"]) == {"who"}
    await client.ask("tasks/update", taskId=task, inputResponses={"who": ADA})
    assert (await client.get_in(task, "completed"))["result"]["content"][0]["text"] == "Ada and Ada"


async def test_a_call_does_not_become_a_task_while_an_input_request_is_open(workshop: Workshop) -> None:
    client = StatelessClient(workshop)
    asked = (await client.ask("tools/call", name="turn_while_asking"))["result"]
    assert asked["resultType"] == "input_required"
    answer = await client.ask("tools/call", name="turn_while_asking", requestState=asked["requestState"])
    assert answer["result"]["content"][0]["text"].startswith("ContextError: The call cannot become a task")


async def test_only_calls_can_become_tasks() -> None:
    context = Context(FakePort(), 1)
    assert await context.become_task() is False
    context.end()
    with pytest.raises(ContextError, match="has ended"):
        await context.become_task()


@pytest.mark.parametrize("ttl", [0, -1, float("nan")])
async def test_a_task_has_a_time_to_live(ttl: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        await Context(FakePort(), 1).become_task(ttl)
