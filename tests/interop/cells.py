"""How each behaviour went in one column: what a client program printed, held against what is known of its peer."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from tests.interop.behaviours import BEHAVIOURS
from tests.interop.known import fault_of
from tests.interop.pairs import Column


class Outcome(StrEnum):
    """What a cell of the matrix says."""

    OK = "ok"
    LACKING = "-"
    """One of the two has no such thing, or it cannot be shown with this peer."""
    THEIRS = "theirs"
    """It fails since the peer does not keep to the specification."""
    FAILED = "FAILED"


@dataclass(frozen=True)
class Cell:
    """How one behaviour went.

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
        column: which one.
        lines: what the client printed.
        end: how the client came to its end; empty when it did so as it should.
    """
    told: dict[str, Cell] = {}
    for line in lines:
        one = json.loads(line)
        told[one["behaviour"]] = _judged(column, one["behaviour"], one["outcome"], one["reason"])
    missing = Cell(Outcome.FAILED, end) if end else Cell(Outcome.LACKING, NOT_SHOWN)
    return {behaviour: told.get(behaviour, missing) for behaviour in BEHAVIOURS}


def _judged(column: Column, behaviour: str, outcome: str, reason: str) -> Cell:
    fault = fault_of(column, behaviour)
    if outcome == "lacking":
        return Cell(Outcome.LACKING, reason)
    if fault is not None and (outcome == "failed" or not fault.always):
        return Cell(Outcome.THEIRS, fault.reason)
    if outcome == "failed":
        return Cell(Outcome.FAILED, reason)
    if fault is not None:
        return Cell(Outcome.FAILED, "It works, but known.py says that the peer gets it wrong; take that out there.")
    return Cell(Outcome.OK)
