"""The tool calls of this user: arguments, progress and results, for running them again.

A history has a limited number of runs; the oldest run that has ended is dropped first.
"""

import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.model.short_text import escaped, shortened
from workbench.model.traffic.failure_details import BehindFailure
from workbench.model.traffic.vocabulary import TASK_STATUSES

MAX_RUNS = 1000
"""The default limit of a history."""


class RunStatus(StrEnum):
    """The status of a run; the values are also shown on the screen."""

    RUNNING = "running"
    OK = "ok"
    TOOL_ERROR = "tool error"
    ERROR = "error"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """One progress notification.

    Attributes:
        progress: the progress so far, in the tool's unit.
        total: the final value of `progress`; None if unknown.
        message: the current step; empty if not specified.
        time: when it was received, in seconds since the epoch.
    """

    progress: float
    total: float | None
    message: str
    time: float

    @property
    def fraction(self) -> float | None:
        """The progress from 0 to 1; None if the total is unknown."""
        if not self.total or self.total < 0:
            return None
        return min(max(self.progress / self.total, 0.0), 1.0)


@dataclass(slots=True, eq=False)
class CallRun:
    """One tool call.

    Attributes:
        number: its place in the history, from 1.
        tool: the name of the tool.
        arguments: the sent arguments; a copy.
        started: when it was sent, in seconds since the epoch.
        ended: when the answer was received; None while it runs.
        status: its status.
        result: the tools/call result as received, also when the tool failed.
        error: why there is no result; empty if there is one.
        progress: the progress notifications so far.
        request_id: the id on the wire; None until it is sent.
        task: the status of the task that the server created for the call, as text; empty if there is none.
        behind: the details of a failure for the author; None if the core has not reported them.
    """

    number: int
    tool: str
    arguments: dict[str, Any]
    started: float
    ended: float | None = None
    status: RunStatus = RunStatus.RUNNING
    result: dict[str, Any] | None = None
    error: str = ""
    progress: list[ProgressStep] = field(default_factory=list)
    request_id: str | int | None = None
    task: str = ""
    behind: BehindFailure | None = None

    @property
    def is_running(self) -> bool:
        """Whether the answer is still pending."""
        return self.ended is None

    @property
    def duration(self) -> float | None:
        """Seconds from the call to its end; None while it runs."""
        return None if self.ended is None else self.ended - self.started

    def advance(self, progress: float, total: float | None, message: str, time: float) -> None:
        """Add a progress notification; ignored after the end."""
        if self.is_running:
            self.progress.append(ProgressStep(progress, total, message, time))

    def follow_task(self, status: str, message: Any) -> None:
        """Store a state of the task that the server created for the call.

        Args:
            status: the status in the protocol.
            message: the server's message about it, if any.
        """
        words = TASK_STATUSES.get(status, escaped(status))
        self.task = f"{words}: {shortened(message)}" if isinstance(message, str) and message else words

    def finish(self, result: dict[str, Any], time: float) -> None:
        """End the run with the result that the server sent."""
        failed = result.get("isError") is True
        self._end(RunStatus.TOOL_ERROR if failed else RunStatus.OK, time, result=result)

    def fail(self, error: str, time: float) -> None:
        """End the run without a result: the server answered with an error, or has ended."""
        self._end(RunStatus.ERROR, time, error=error)

    def cancel(self, time: float) -> None:
        """End the run because the user cancelled it."""
        self._end(RunStatus.CANCELLED, time)

    def _end(self, status: RunStatus, time: float, *, result: dict[str, Any] | None = None, error: str = "") -> None:
        # The first end counts: a cancelled call may still be answered.
        if self.is_running:
            self.status, self.ended, self.result, self.error = status, time, result, error


class History:
    """The runs of one terminal, oldest first.

    Args:
        clock: seconds since the epoch.
        most_runs: the limit of runs.
    """

    def __init__(self, clock: Callable[[], float] = time.time, most_runs: int = MAX_RUNS) -> None:
        self._clock = clock
        self._most_runs = most_runs
        self._runs: list[CallRun] = []
        self._last_number = 0

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[CallRun]:
        return iter(self._runs)

    def start(self, tool: str, arguments: dict[str, Any]) -> CallRun:
        """Add a call and return its run."""
        self._last_number += 1
        run = CallRun(self._last_number, tool, deepcopy(arguments), self._clock())
        self._runs.append(run)
        if len(self._runs) > self._most_runs:
            oldest = next((run for run in self._runs if not run.is_running), None)
            if oldest is not None:
                self._runs.remove(oldest)
        return run

    def of(self, tool: str) -> list[CallRun]:
        """Return the runs of one tool, newest first."""
        return [run for run in reversed(self._runs) if run.tool == tool]

    def last(self, tool: str) -> CallRun | None:
        """Return the newest run of one tool."""
        return next((run for run in reversed(self._runs) if run.tool == tool), None)

    def find(self, number: int) -> CallRun | None:
        """Return the run with this number; None if it was dropped."""
        return next((run for run in self._runs if run.number == number), None)

    def add_details(self, behind: BehindFailure) -> bool:
        """Add the core's details of a failed call to its run; False if no run matches."""
        run = self.find_request(behind.request_id)
        if run is None or run.tool != behind.tool:
            # A call that was continued after input has another id.
            run = self.last(behind.tool)
        if run is None or not (run.is_running or behind.explains(run.result)):
            return False
        run.behind = behind
        return True

    def find_request(self, request_id: str | int) -> CallRun | None:
        """Return the newest run that was sent under this id; ids keep their type."""
        for run in reversed(self._runs):
            if run.request_id == request_id and type(run.request_id) is type(request_id):
                return run
        return None
