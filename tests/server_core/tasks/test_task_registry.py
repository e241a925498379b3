"""All tasks of a server: for how long they are kept, and what is left of them when it ends."""

from pathlib import Path
from typing import Any

import pytest

from server_core.core import Core
from server_core.protocol.revisions import LATEST
from server_core.runtime.background import spawn
from server_core.serving.server import Server
from server_core.settings import Settings
from server_core.tasks.extension_wire import task_json
from server_core.tasks.running_task import CANCELLED, RunningTask
from server_core.tasks.task import TaskState
from server_core.tasks.task_registry import SHUT_DOWN, TIME_OVER, TaskRegistry
from tests.server_core.tasks.clients import CoreClient, StatelessClient, Workshop
from tests.waiting import until, within

RESULT: dict[str, Any] = {"content": []}


def settings(**given: Any) -> Settings:
    return Settings(**{"state_key": "k" * 32, "shutdown_grace": 0.05, **given})


async def begin(registry: TaskRegistry, ttl: float | None = None, owner: str = "") -> RunningTask:
    return await registry.create(owner, "dig", LATEST, ttl, lambda task: None)


@pytest.mark.parametrize(
    ("wanted", "usual", "longest", "granted"),
    [
        (None, 60.0, 100.0, 60.0),
        (None, 60.0, 10.0, 10.0),
        (5.0, 60.0, 100.0, 5.0),
        (500.0, 60.0, 100.0, 100.0),
        (500.0, 60.0, 0.0, 500.0),
        (float("inf"), 60.0, 0.0, None),
        (float("inf"), 60.0, 100.0, 100.0),
    ],
)
async def test_the_time_to_live_is_the_requested_one_up_to_the_limit(
    wanted: float | None, usual: float, longest: float, granted: float | None
) -> None:
    registry = TaskRegistry(settings(task_ttl=usual, max_task_ttl=longest))
    assert (await begin(registry, wanted)).task.ttl == granted
    await registry.close(0)


async def test_an_expired_task_is_deleted_without_a_request() -> None:
    forgotten: list[TaskState] = []
    registry = TaskRegistry(settings())
    registry.watch(forgotten.append)
    running = await begin(registry, ttl=0.01)
    running.conclude(RESULT)
    await begin(registry, ttl=60)
    await until(lambda: len(registry._opened) == 1)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="no such task"):
        await registry.find(running.task.id, "")
    await registry.close(0)


async def test_a_tool_that_runs_when_the_time_of_its_task_is_over_is_stopped() -> None:
    workshop = Workshop(settings(max_task_ttl=0.02))
    client = CoreClient(workshop)
    task = await client.begin("dig")
    result = client.send("tasks/result", taskId=task)
    await within(workshop.stopped.wait())
    assert (await client.answer(result))["error"]["message"] == TIME_OVER
    for method in ("tasks/get", "tasks/result", "tasks/cancel"):
        assert (await client.ask(method, taskId=task))["error"]["code"] == -32602
    assert (await client.ask("tasks/list"))["result"] == {"tasks": []}
    await workshop.close()


async def test_an_expired_task_is_hidden_even_before_it_is_removed() -> None:
    now = 100.0
    registry = TaskRegistry(settings(), clock=lambda: now)
    running = await begin(registry, ttl=50)
    assert await registry.find(running.task.id, "") == running.task
    now = 151.0
    with pytest.raises(Exception, match="no such task"):
        await registry.find(running.task.id, "")
    assert (await registry.page("", 0)).tasks == []
    await registry.close(0)


async def test_watchers_are_notified_of_every_change_until_they_stop() -> None:
    registry = TaskRegistry(settings())
    statuses: list[str] = []
    stop = registry.watch(lambda task: statuses.append(task_json(task)["status"]))
    running = await begin(registry)
    asking = spawn(running.ask("roots/list", {}, 5.0), "question")
    await until(lambda: running.task.questions)
    running.answer("roots-1", {"roots": []}, lambda question, response: response)
    assert await asking == {"roots": []}
    stop()
    running.conclude(RESULT)
    assert statuses == ["input_required", "working"]
    await registry.close(0)


async def test_the_outcome_of_a_stopped_tool_is_ignored() -> None:
    registry = TaskRegistry(settings())
    running = await begin(registry)
    running.cancel()
    running.conclude(RESULT)
    running.fail("too late")
    running.cancel()
    assert (running.task.status, running.task.message, running.task.result) == ("cancelled", CANCELLED, None)
    await registry.close(0)


async def test_a_result_that_is_no_json_fails_the_task() -> None:
    registry = TaskRegistry(settings())
    running = await begin(registry)
    running.conclude({"content": [object()]})
    assert running.task.status == "failed"
    assert "cannot be serialized to JSON" in running.task.message
    await registry.close(0)


async def test_the_shutdown_waits_for_tasks_for_a_while() -> None:
    workshop = Workshop(settings(shutdown_grace=30.0, task_store="memory"))
    task = await StatelessClient(workshop).begin("dig")
    running = workshop.server.tasks.running(task, "")
    assert running is not None
    closing = spawn(workshop.server.close_tasks(), "close")
    await within(workshop.entered.wait())
    workshop.gate.set()
    await within(closing)
    assert running.task.status == "completed"


async def test_the_shutdown_stops_unfinished_tasks_and_a_file_stores_this(tmp_path: Path) -> None:
    durable = settings(task_store=str(tmp_path / "tasks.db"))
    workshop = Workshop(durable)
    client = StatelessClient(workshop)
    unfinished, finished = await client.begin("dig"), await client.begin("fail")
    await client.get_in(finished, "completed")
    await workshop.close()
    assert workshop.stopped.is_set()
    again = Workshop(durable)
    later = StatelessClient(again)
    assert (await later.get(finished))["result"]["isError"] is True
    lost = await later.get(unfinished)
    assert (lost["status"], lost["statusMessage"]) == ("failed", SHUT_DOWN)
    await again.close()


async def test_a_client_on_stdio_can_access_its_stored_tasks_after_a_restart(tmp_path: Path) -> None:
    durable = settings(task_store=str(tmp_path / "tasks.db"))
    workshop = Workshop(durable)
    client = CoreClient(workshop, transport="stdio")
    task = await client.begin("fail")
    await client.ask("tasks/result", taskId=task)
    await workshop.close()
    again = Workshop(durable)
    later = CoreClient(again, transport="stdio")
    assert (await later.ask("tasks/result", taskId=task))["result"]["isError"] is True
    assert len((await later.ask("tasks/list"))["result"]["tasks"]) == 1
    assert (await CoreClient(again).ask("tasks/get", taskId=task))["error"]["code"] == -32602
    await again.close()


async def test_a_session_that_another_process_continues_can_access_its_tasks(tmp_path: Path) -> None:
    durable = settings(task_store=str(tmp_path / "tasks.db"))
    workshop = Workshop(durable)
    client = CoreClient(workshop, transport="http")
    task = await client.begin("fail")
    await client.ask("tasks/result", taskId=task)
    remembered = client.session.export_state()
    assert remembered is not None
    await workshop.close()
    again = Workshop(durable)
    later = CoreClient(again, transport="http")
    assert (await later.ask("tasks/get", taskId=task))["error"]["code"] == -32602
    later.session.restore_state(remembered)
    assert await later.status(task) == "failed"
    await again.close()


async def test_a_core_that_stops_ends_its_tasks() -> None:
    workshop = Workshop()
    core = Core(app=workshop.app, settings=settings(), capture=False, link=False)
    await core.start()
    await within(core.wait_loaded())
    assert isinstance(core.server, Server)
    workshop.server = core.server
    await StatelessClient(workshop).begin("dig")
    await within(workshop.entered.wait())
    await within(core.stop())
    await within(workshop.stopped.wait())


async def test_the_tasks_of_a_session_are_forgotten_with_it() -> None:
    workshop = Workshop(settings())
    client = CoreClient(workshop)
    await client.ask("tasks/result", taskId=await client.begin("fail"))
    store = workshop.server.tasks._opened
    assert len(store) == 1  # type: ignore[arg-type]
    client.session.close()
    await until(lambda: len(store) == 0)  # type: ignore[arg-type]
    await workshop.close()


async def test_a_failing_store_does_not_affect_a_task_while_the_process_runs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    registry = TaskRegistry(settings())
    running = await begin(registry)

    async def fail(task: TaskState) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(registry._opened, "update", fail)
    running.conclude(RESULT)
    await running.saved()
    assert (await registry.find(running.task.id, "")).result == RESULT
    assert registry.has_room
    assert "cannot be stored" in caplog.text
    await registry.close(0)
