"""What became of a call that was run again, compared with its first result."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model.difference import ValueChange
from workbench.model.history import CallRun, RunStatus
from workbench.model.json_members import objects_in, text_in
from workbench.model.saved_calls import SavedCall


@dataclass(frozen=True, slots=True)
class WatchedResult:
    """The last run of a watched call, or why there was none."""

    call: SavedCall
    run: CallRun | None = None  # None if it was not run
    changes: Sequence[ValueChange] = ()  # against the first result; empty for that itself
    schema: str = ""  # the verdict on the changes of the tool's definition by the last reload; empty without any
    asked: Sequence[str] = ()  # the requests of the tool for input, which were declined
    ruled: Sequence[str] = ()  # what rules of the project have done with such requests
    reason: str = ""  # why it was not run
    first: CallRun | None = None  # the run with which it was compared

    @property
    def problem(self) -> str:
        """Why the call was not run, or has failed; empty if it has a result."""
        if self.run is None:
            return self.reason
        if self.run.status is RunStatus.OK:
            return ""
        texts = (text_in(item, "text") for item in objects_in(self.run.result or {}, "content"))
        return self.run.error or next(filter(None, texts), self.run.status.value)

    @property
    def is_green(self) -> bool:
        return not self.problem and not self.changes

    @property
    def is_red(self) -> bool:
        """Whether it was run, and has failed or differs."""
        return self.run is not None and not self.is_green

    @property
    def is_breaking(self) -> bool:
        """Whether the last reload has broken callers or readers of results."""
        return self.schema.startswith("breaking")

    @property
    def seconds(self) -> float | None:
        return None if self.run is None else self.run.duration
