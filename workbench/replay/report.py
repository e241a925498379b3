"""The results of a replay."""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.model.short_text import shortened
from workbench.replay.differences import ABSENT, ValueDifference

_LONGEST = 200  # Characters of a value.


class Status(StrEnum):
    """The result of one exchange."""

    SAME = "same"
    DIFFERS = "differs"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class ReplayOutcome:
    """The result for one recorded request, of a client or of the server."""

    seq: int  # of the recorded request; 0 for a server request that is not in the capture
    session: str
    method: str
    name: str  # the tool, prompt or resource in the request, if any
    status: Status
    reason: str = ""  # the explanation, where the differences do not provide it
    differences: tuple[ValueDifference, ...] = ()

    @property
    def title(self) -> str:
        return " ".join(filter(None, (f"#{self.seq}", self.method, self.name)))

    def describe(self) -> list[str]:
        """Return what happened, a line each: the reason, and each difference with both values."""
        lines = [self.reason] if self.reason else []
        for difference in self.differences:
            lines += [difference.path, f"  - {_value(difference.recorded)}", f"  + {_value(difference.replayed)}"]
        return lines

    def to_json(self) -> dict[str, Any]:
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


def _value(value: Any) -> str:
    return "(nothing)" if value is ABSENT else shortened(json.dumps(value, ensure_ascii=False), _LONGEST)


@dataclass
class ReplayReport:
    """The results of a replay."""

    capture: str  # its path
    target: str  # the name of the server
    outcomes: list[ReplayOutcome] = field(default_factory=list)  # in the order of the capture
    notes: list[str] = field(default_factory=list)  # for the user

    def count(self, status: Status) -> int:
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def differs(self) -> bool:
        return self.count(Status.DIFFERS) > 0

    def to_json(self) -> dict[str, Any]:
        return {
            "capture": self.capture,
            "target": self.target,
            "counts": {status.value: self.count(status) for status in Status},
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "notes": self.notes,
        }
