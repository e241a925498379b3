"""The runs of this user, of tools, resources and prompts: arguments, progress and results, for running them again.

A history has a limited number of runs; the oldest run that has ended is dropped first.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.model.catalog import OfferKind
from workbench.model.describe import day_and_time
from workbench.model.short_text import escaped, shortened
from workbench.model.traffic.failure_details import FailureDetails
from workbench.model.traffic.vocabulary import TASK_STATUSES

MAX_RUNS = 1000
"""The default limit of a history."""
MAX_PROGRESS = 100
"""The progress notifications of a run that are stored, the latest; the records of the run have all."""


class RunStatus(StrEnum):
    """The values are also shown on the screen."""

    RUNNING = "running"
    OK = "ok"
    TOOL_ERROR = "tool error"
    ERROR = "error"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """One progress notification."""

    progress: float  # in the tool's unit
    total: float | None  # the final value of `progress`; None if unknown
    message: str
    time: float  # seconds since the epoch

    @property
    def fraction(self) -> float | None:
        if not self.total or self.total < 0:
            return None
        return min(max(self.progress / self.total, 0.0), 1.0)


@dataclass(slots=True, eq=False)
class CallRun:
    """One tool call, or one request for a resource or prompt."""

    number: int  # its place in the history, from 1; negative for a run of an earlier session
    tool: str
    arguments: dict[str, Any]  # a copy
    started: float  # seconds since the epoch
    ended: float | None = None
    status: RunStatus = RunStatus.RUNNING
    result: dict[str, Any] | None = None  # as received, also when the tool failed
    error: str = ""  # why there is no result
    progress: list[ProgressStep] = field(default_factory=list)
    request_id: str | int | None = None  # None until it is sent
    task: str = ""  # the status, as text, of the task that the server created for the call
    failure_details: FailureDetails | None = None  # None if the core has not reported them
    deadline: float | None = None  # when the server gives up, in seconds since the epoch; None if unknown
    cancelling: bool = False  # the user has cancelled it; it may take a moment to end
    kind: OfferKind = OfferKind.TOOL  # of the offer; `tool` is its name
    wire: float | None = None  # seconds from requests to responses; None until it is known
    capture: str = ""  # the path of the capture with its records, if they are no longer in memory

    @property
    def is_running(self) -> bool:
        return self.ended is None

    @property
    def is_earlier(self) -> bool:
        return self.number < 0

    @property
    def title(self) -> str:
        """What it is called: "#4", or for an earlier session its date and time."""
        return day_and_time(self.started) if self.is_earlier else f"#{self.number}"

    @property
    def duration(self) -> float | None:
        return None if self.ended is None else self.ended - self.started

    def advance(self, progress: float, total: float | None, message: str, time: float) -> None:
        """Add a progress notification; ignored after the end."""
        if self.is_running:
            self.progress.append(ProgressStep(progress, total, message, time))
            del self.progress[:-MAX_PROGRESS]

    def update_task(self, status: str, message: Any) -> None:
        """Store a state of the task that the server created for the call."""
        words = TASK_STATUSES.get(status, escaped(status))
        self.task = f"{words}: {shortened(message)}" if isinstance(message, str) and message else words

    def finish(self, result: dict[str, Any], time: float) -> None:
        failed = result.get("isError") is True
        self._end(RunStatus.TOOL_ERROR if failed else RunStatus.OK, time, result=result)

    def fail(self, error: str, time: float) -> None:
        """End the run without a result: the server answered with an error, or has ended."""
        self._end(RunStatus.ERROR, time, error=error)

    def cancel(self, time: float) -> None:
        self._end(RunStatus.CANCELLED, time)

    def _end(self, status: RunStatus, time: float, *, result: dict[str, Any] | None = None, error: str = "") -> None:
        # The first end counts: a cancelled call may still be answered.
        if self.is_running:
            self.status, self.ended, self.result, self.error = status, time, result, error


class History:
    """The runs of one terminal, oldest first."""

    def __init__(self, clock: Callable[[], float] = time.time, most_runs: int = MAX_RUNS) -> None:
        self._clock = clock
        self._most_runs = most_runs
        self._runs: list[CallRun] = []
        self._last_number = 0
        self.has_earlier = False
        """Whether the runs of earlier sessions have been added, or are being read."""

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[CallRun]:
        return iter(self._runs)

    def start(self, tool: str, arguments: dict[str, Any], kind: OfferKind = OfferKind.TOOL) -> CallRun:
        """Add a call, or a request for a resource or prompt, and return its run."""
        self._last_number += 1
        run = CallRun(self._last_number, tool, deepcopy(arguments), self._clock(), kind=kind)
        self._runs.append(run)
        if len(self._runs) > self._most_runs:
            # Running calls stay, even if that exceeds the limit: their end has to be shown.
            oldest = next((run for run in self._runs if not run.is_running), None)
            if oldest is not None:
                self._runs.remove(oldest)
        return run

    def drop(self, run: CallRun) -> None:
        """Remove a run that has ended, if the history still has it."""
        if run in self._runs and not run.is_running:
            self._runs.remove(run)

    def add_earlier(self, runs: Sequence[CallRun]) -> None:
        """Add the runs of earlier sessions, oldest first, before those of this one."""
        for index, run in enumerate(runs):
            run.number = index - len(runs)
        room = max(0, self._most_runs - len(self._runs))
        self._runs[:0] = runs[max(0, len(runs) - room) :]

    def set_capture(self, path: str) -> None:
        """Set where the records of the runs are that were in memory until now."""
        for run in self:
            run.capture = run.capture or path

    def of(self, tool: str) -> list[CallRun]:
        """Return the runs of one tool, newest first."""
        return [run for run in reversed(self._runs) if run.tool == tool]

    def last(self, tool: str) -> CallRun | None:
        return next((run for run in reversed(self._runs) if run.tool == tool), None)

    def previous(self, run: CallRun) -> CallRun | None:
        """Return the newest ended run of the same offer before a run; None if there is none."""
        earlier = (other for other in reversed(self._runs) if other.number < run.number and not other.is_running)
        return next((other for other in earlier if (other.kind, other.tool) == (run.kind, run.tool)), None)

    def find(self, number: int) -> CallRun | None:
        """Return the run with this number; None if it was dropped."""
        return next((run for run in self._runs if run.number == number), None)

    def add_details(self, failure_details: FailureDetails) -> bool:
        """Add the core's details of a failed call to its run; False if no run matches."""
        run = self.find_request(failure_details.request_id)
        if run is None or run.tool != failure_details.tool:
            # A call that was continued after input has another id.
            run = self.last(failure_details.tool)
        if run is None or not (run.is_running or failure_details.explains(run.result)):
            return False
        run.failure_details = failure_details
        return True

    def find_request(self, request_id: str | int) -> CallRun | None:
        """Return the newest run that was sent under this id; 1 and "1" are different ids."""
        for run in reversed(self._runs):
            if run.request_id == request_id and type(run.request_id) is type(request_id):
                return run
        return None
