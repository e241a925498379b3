"""Stores of tasks: what each of them does, and what memory and a file do by themselves."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server_core.errors import ConfigurationError
from server_core.tasks.sqlite_store import LOST, SqliteTasks
from server_core.tasks.task import TaskState
from server_core.tasks.task_store import MemoryTasks, TaskStore, open_store

RESULT = {"content": [{"type": "text", "text": "done"}]}


def new_task(task_id: str, owner: str = "", ttl: float | None = 60.0) -> TaskState:
    return TaskState(task_id, owner, "dig", created=100.0, updated=100.0, ttl=ttl)


def finished(task: TaskState, **result: Any) -> TaskState:
    return task.with_status("completed", 110.0, result=result or RESULT)


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TaskStore]:
    opened = open_store("memory" if request.param == "memory" else str(tmp_path / "tasks.db"))
    yield opened
    await opened.close()


async def test_a_task_is_returned_as_it_was_last_stored(store: TaskStore) -> None:
    asking = new_task("t1").with_requests({"a": {"method": "roots/list", "params": {}}}, 101.0)
    await store.create(new_task("t1"))
    assert await store.get("t1") == new_task("t1")
    await store.update(asking)
    assert await store.get("t1") == asking
    await store.update(finished(asking))
    assert await store.get("t1") == finished(asking)
    assert await store.get("t2") is None


async def test_a_deleted_task_stays_deleted(store: TaskStore) -> None:
    await store.create(new_task("t1", ttl=1))
    await store.delete_expired(200.0)
    await store.update(finished(new_task("t1")))
    assert await store.get("t1") is None


async def test_owners_list_their_own_tasks_page_by_page(store: TaskStore) -> None:
    for number in range(5):
        await store.create(new_task(f"a{number}", "anna"))
        await store.create(new_task(f"b{number}", "ben"))
    first = await store.list("anna", 0, 3)
    assert [task.id for task in first.tasks] == ["a0", "a1", "a2"]
    assert first.position is not None
    rest = await store.list("anna", first.position, 3)
    assert [task.id for task in rest.tasks] == ["a3", "a4"]
    assert rest.position is None
    assert (await store.list("carl", 0, 3)).tasks == []


async def test_a_page_continues_after_the_previous_page_though_tasks_were_deleted(store: TaskStore) -> None:
    for number in range(4):
        await store.create(new_task(f"t{number}", ttl=1 if number < 2 else 60))
    first = await store.list("", 0, 2)
    assert first.position is not None
    await store.delete_expired(150.0)
    assert [task.id for task in (await store.list("", first.position, 2)).tasks] == ["t2", "t3"]


async def test_only_expired_tasks_are_deleted_and_the_next_expiry_is_returned(store: TaskStore) -> None:
    await store.create(new_task("soon", ttl=10))
    await store.create(new_task("later", ttl=20))
    await store.create(new_task("never", ttl=None))
    assert await store.delete_expired(110.0) == 120.0
    assert await store.get("soon") is None
    assert await store.delete_expired(130.0) is None
    assert await store.get("later") is None
    assert await store.get("never") is not None


async def test_all_tasks_of_an_owner_are_deleted_at_once(store: TaskStore) -> None:
    await store.create(new_task("t1", "anna"))
    await store.create(new_task("t2", "ben"))
    await store.delete_owned("anna")
    assert await store.get("t1") is None
    assert await store.get("t2") is not None


async def test_memory_deletes_the_oldest_ended_tasks_first() -> None:
    store = MemoryTasks(most=3)
    await store.create(new_task("running"))
    for number in range(4):
        await store.create(new_task(f"t{number}"))
        await store.update(finished(new_task(f"t{number}")))
    assert len(store) == 3
    assert await store.get("running") is not None
    assert await store.get("t0") is None
    assert await store.get("t3") is not None


async def test_a_task_that_ends_late_outlives_those_that_ended_before_it() -> None:
    store = MemoryTasks(most_bytes=1000)
    for number in range(3):
        await store.create(new_task(f"t{number}"))
    for number in (1, 2, 0):
        await store.update(finished(new_task(f"t{number}"), text="x" * 400))
    assert [await store.get(f"t{number}") is not None for number in range(3)] == [True, False, True]


async def test_the_task_that_ended_last_is_stored_however_large_its_result_is() -> None:
    store = MemoryTasks(most_bytes=1000)
    for number in range(2):
        await store.create(new_task(f"t{number}"))
    await store.update(finished(new_task("t1"), text="x"))
    await store.update(finished(new_task("t0"), text="x" * 2000))
    assert [await store.get(f"t{number}") is not None for number in range(2)] == [True, False]


async def test_memory_is_bounded_by_the_size_of_results_too() -> None:
    store = MemoryTasks(most_bytes=1000)
    for number in range(4):
        await store.create(new_task(f"t{number}"))
        await store.update(finished(new_task(f"t{number}"), text="x" * 400))
    assert [await store.get(f"t{number}") is not None for number in range(4)] == [False, False, True, True]


async def test_finished_tasks_outlive_their_process_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    first = SqliteTasks(path)
    await first.create(new_task("t1", "anna"))
    await first.update(finished(new_task("t1", "anna")))
    await first.close()
    second = SqliteTasks(path)
    assert await second.get("t1") == finished(new_task("t1", "anna"))
    await second.close()


async def test_tasks_that_ran_when_their_process_ended_have_failed_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    first = SqliteTasks(path)
    await first.create(new_task("t1"))
    # The process is gone without a word: nothing more is written.
    await first.close()
    second = SqliteTasks(path, clock=lambda: 130.0)
    lost = await second.get("t1")
    assert lost is not None
    assert (lost.status, lost.message, lost.updated) == ("failed", LOST, 130.0)
    assert lost.error == {"code": -32603, "message": LOST}
    await second.close()


async def test_tasks_of_another_running_process_continue(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    ours = SqliteTasks(path)
    await ours.create(new_task("t1"))
    script = (
        "import asyncio, sys; from pathlib import Path; from server_core.tasks.sqlite_store import SqliteTasks\n"
        "async def main():\n"
        "    store = SqliteTasks(Path(sys.argv[1])); print((await store.get('t1')).status); await store.close()\n"
        "asyncio.run(main())"
    )
    seen = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "working"
    await ours.close()


async def test_other_users_cannot_read_the_file(tmp_path: Path) -> None:
    store = SqliteTasks(tmp_path / "tasks.db")
    await store.create(new_task("t1"))
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, path
    await store.close()


async def test_the_number_of_tasks_in_a_file_is_limited(tmp_path: Path) -> None:
    store = SqliteTasks(tmp_path / "tasks.db", most=10)
    for number in range(100):
        await store.create(new_task(f"t{number}"))
        await store.update(finished(new_task(f"t{number}")))
    stored = (await store.list("", 0, 1000)).tasks
    assert len(stored) == 10
    assert stored[-1].id == "t99"
    await store.close()


async def test_a_task_in_a_file_that_ends_late_outlives_those_that_ended_before_it(tmp_path: Path) -> None:
    store = SqliteTasks(tmp_path / "tasks.db", most=10)
    await store.create(new_task("late"))
    for number in range(98):
        await store.create(new_task(f"t{number}"))
        await store.update(finished(new_task(f"t{number}")))
    await store.update(replace(finished(new_task("late")), updated=120.0))
    await store.create(new_task("running"))
    assert [task.id for task in (await store.list("", 0, 1000)).tasks] == [
        "late",
        *(f"t{number}" for number in range(90, 98)),
        "running",
    ]
    await store.close()


def test_a_file_of_something_else_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, this is no database at all, and it is long enough to be seen as such.")
    with pytest.raises(ConfigurationError, match="choose another file"):
        SqliteTasks(path)
    assert path.read_text().startswith("Dear Ada")


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(ConfigurationError, match="newer version"):
        SqliteTasks(path)


async def test_a_task_is_complete_after_it_was_stored(tmp_path: Path) -> None:
    store = SqliteTasks(tmp_path / "tasks.db")
    task = replace(new_task("t1", "anna", None), message="half way", error={"code": -1, "message": "no"})
    await store.create(task)
    assert await store.get("t1") == task
    await store.close()
