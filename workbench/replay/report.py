"""The results of a replay."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.replay.differences import ValueDifference


class Status(StrEnum):
    """The result of one exchange."""

    SAME = "same"
    DIFFERS = "differs"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class ReplayOutcome:
    """The result for one recorded request, of a client or of the server.

    Attributes:
        seq: the `seq` of the recorded request; 0 for a server request that is not in the capture.
        session: the recorded session.
        method: the method.
        name: the tool, prompt or resource in the request, if any.
        status: the result.
        reason: the explanation, where the differences do not provide it.
        differences: where the answers differ.
    """

    seq: int
    session: str
    method: str
    name: str
    status: Status
    reason: str = ""
    differences: tuple[ValueDifference, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as a JSON value."""
        value: dict[str, Any] = {
            "seq": self.seq,
            "session": self.session,
            "method": self.method,
            "name": self.name,
            "status": self.status.value,
        }
        if self.reason:
            value["reason"] = self.reason
        if self.differences:
            value["differences"] = [difference.to_json() for difference in self.differences]
        return value


@dataclass
class ReplayReport:
    """The results of a replay.

    Attributes:
        capture: the path of the capture.
        target: the name of the server.
        outcomes: one for each request, in the order of the capture.
        notes: further information for the user.
    """

    capture: str
    target: str
    outcomes: list[ReplayOutcome] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, status: Status) -> int:
        """Return how many requests have this status."""
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def differs(self) -> bool:
        """Whether any answer differs."""
        return self.count(Status.DIFFERS) > 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON value."""
        return {
            "capture": self.capture,
            "target": self.target,
            "counts": {status.value: self.count(status) for status in Status},
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "notes": self.notes,
        }
