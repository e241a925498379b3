"""The outcomes of a column: the output of a client program, compared with the known faults of its peer."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tests.interop.behaviours import BEHAVIOURS
from tests.interop.known import fault_of
from tests.interop.pairs import Column


class Outcome(StrEnum):
    """The outcome in a cell of the matrix."""

    OK = "ok"
    LACKING = "-"
    """Either side lacks the feature, or it cannot be shown with this peer."""
    THEIRS = "theirs"
    """It fails since the peer does not keep to the specification."""
    FAILED = "FAILED"


@dataclass(frozen=True)
class Cell:
    """The outcome of a behaviour.

    Attributes:
        outcome: what the table shows.
        reason: why it is not ok.
    """

    outcome: Outcome
    reason: str = ""


NOT_SHOWN = "The peer has nothing to show it with."


def cells_of(column: Column, lines: Iterable[str], end: str) -> dict[str, Cell]:
    """Return every cell of a column.

    Args:
        column: the column.
        lines: what the client printed.
        end: how the client came to its end; empty when it did so as it should.
    """
    cells: dict[str, Cell] = {}
    for line in lines:
        entry = json.loads(line)
        cells[entry["behaviour"]] = _judged(column, entry["behaviour"], entry["outcome"], entry["reason"])
    missing = Cell(Outcome.FAILED, end) if end else Cell(Outcome.LACKING, NOT_SHOWN)
    return {behaviour: cells.get(behaviour, missing) for behaviour in BEHAVIOURS}


def _judged(column: Column, behaviour: str, outcome: str, reason: str) -> Cell:
    fault = fault_of(column, behaviour)
    if outcome == "lacking":
        return Cell(Outcome.LACKING, reason)
    if fault is not None and (outcome == "failed" or not fault.always):
        return Cell(Outcome.THEIRS, fault.reason)
    if outcome == "failed":
        return Cell(Outcome.FAILED, reason)
    if fault is not None:
        return Cell(Outcome.FAILED, "It works, but known.py lists it as a fault of the peer: remove the entry.")
    return Cell(Outcome.OK)
