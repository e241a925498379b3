"""Store tasks in a file, so that the results of finished tasks outlive the process.

Rule 1: a task whose process ended while it ran is marked as failed, since its progress is unknown.
Rule 2: the id of a task gives access to it, and results may be sensitive, so the file is readable by its owner only.
Rule 3: several processes may share a file; each updates only the tasks that it runs.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from server_core.errors import ConfigurationError
from server_core.runtime.sqlite_files import open_private
from server_core.tasks.task import TaskState
from server_core.tasks.task_store import TaskPage

# The version of the format; it is incremented when older versions of the program would misread the file. The column
# `ended` is when a task ended, in milliseconds since the epoch, and 0 while it runs; older versions wrote 1 there.
FORMAT = 1
TABLES = """
CREATE TABLE IF NOT EXISTS tasks (
    position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, runner TEXT NOT NULL,
    ended INTEGER NOT NULL, expires REAL, task TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tasks_of_owner ON tasks (owner, position);
CREATE INDEX IF NOT EXISTS tasks_by_expiry ON tasks (expires);
"""
MAX_TASKS = 100_000
PATIENCE = 2.0
LOST = "The server ended while the task was running; its progress is unknown."


class SqliteTasks:
    """Store tasks in a SQLite file; ConfigurationError if it cannot be opened, or is another program's."""

    durable = True

    def __init__(self, path: Path, most: int = MAX_TASKS, clock: Callable[[], float] = time.time) -> None:
        self._most = most
        self._clock = clock
        self._runner = f"{os.getpid()} {os.urandom(8).hex()}"
        try:
            self._connection = open_private(path, TABLES, lock_timeout=PATIENCE, version=FORMAT)
            self._fail_lost()
        except (sqlite3.Error, OSError) as error:
            raise ConfigurationError(f"Tasks cannot be stored in {path}: {error}; choose another file.") from error

    async def create(self, task: TaskState) -> None:
        position = self._execute(
            "INSERT INTO tasks (id, owner, runner, ended, expires, task) VALUES (?, ?, ?, 0, ?, ?)",
            task.id,
            task.owner,
            self._runner,
            task.expires,
            _text(task),
        ).lastrowid
        # Not for each task, since counting reads the whole table.
        if position is not None and position % 100 == 0:
            self._shrink()

    async def get(self, task_id: str) -> TaskState | None:
        row = self._execute("SELECT task FROM tasks WHERE id = ?", task_id).fetchone()
        return None if row is None else _task(row[0])

    async def update(self, task: TaskState) -> None:
        self._execute(
            "UPDATE tasks SET ended = ?, expires = ?, task = ? WHERE id = ?",
            _end_ms(task),
            task.expires,
            _text(task),
            task.id,
        )

    async def list(self, owner: str, after: int, limit: int) -> TaskPage:
        rows = self._execute(
            "SELECT position, task FROM tasks WHERE owner = ? AND position > ? ORDER BY position LIMIT ?",
            owner,
            after,
            min(limit, self._most) + 1,  # One more shows whether there is another page. SQLite integers have 64 bits.
        ).fetchall()
        page = rows[:limit]
        return TaskPage([_task(text) for _, text in page], page[-1][0] if len(rows) > limit else None)

    async def delete_owned(self, owner: str) -> None:
        self._execute("DELETE FROM tasks WHERE owner = ?", owner)

    async def delete_expired(self, now: float) -> float | None:
        self._execute("DELETE FROM tasks WHERE expires <= ?", now)
        next_expiry = self._execute("SELECT min(expires) FROM tasks").fetchone()[0]
        return None if next_expiry is None else float(next_expiry)

    async def close(self) -> None:
        self._connection.close()

    def _fail_lost(self) -> None:
        now = self._clock()
        for runner, text in self._execute("SELECT runner, task FROM tasks WHERE ended = 0").fetchall():
            if not _is_alive(runner):
                lost = _task(text).with_status("failed", now, message=LOST, error={"code": -32603, "message": LOST})
                self._execute("UPDATE tasks SET ended = ?, task = ? WHERE id = ?", _end_ms(lost), _text(lost), lost.id)

    def _shrink(self) -> None:
        excess = self._execute("SELECT count(*) FROM tasks").fetchone()[0] - self._most
        if excess > 0:
            first_ended = "SELECT position FROM tasks WHERE ended != 0 ORDER BY ended, position LIMIT ?"
            self._execute(f"DELETE FROM tasks WHERE position IN ({first_ended})", excess)

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)


def _end_ms(task: TaskState) -> int:
    return round(task.updated * 1000) if task.is_ended else 0


def _text(task: TaskState) -> str:
    return json.dumps(asdict(task))


def _task(text: str) -> TaskState:
    return TaskState(**json.loads(text))


def _is_alive(runner: str) -> bool:
    """Return whether the process of a runner may still be running; an earlier runner of this process has ended."""
    pid = int(runner.partition(" ")[0])
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # It runs as another user.
    return True
