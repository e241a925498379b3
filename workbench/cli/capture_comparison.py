"""`workbench captures compare`: the calls of two captures, and which of them differ."""

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli import console, output
from workbench.cli.command_run import DONE, FAILED
from workbench.model.describe import duration, plural

if TYPE_CHECKING:
    from workbench.replay.comparison import CallComparison, ComparedCall

MAX_CHANGES = 20
"""How many changes of one answer are printed; `--json` has all."""


def compare_captures(first: Path, second: Path, *, has_all: bool, as_json: bool) -> int:
    """Print what differs; the exit code is 1 if anything does."""
    from workbench.replay.comparison import CallVerdict, compare

    comparison = compare(first, second, has_all=has_all)
    for note in comparison.notes:
        console.warn(note)
    if as_json:
        output.print_json(comparison.to_json())
        return FAILED if comparison.differs else DONE
    for call in comparison.calls:
        if call.verdict is not CallVerdict.SAME:
            _print_call(comparison, call)
    counts = ", ".join(f"{comparison.count(verdict)} {verdict}" for verdict in CallVerdict)
    output.print_text(f"{plural(len(comparison.calls), 'call')}: {counts}")
    return FAILED if comparison.differs else DONE


def _print_call(comparison: "CallComparison", call: "ComparedCall") -> None:
    from workbench.replay.comparison import changes_in, places_of

    numbers = " ".join(f"#{side.seq}" for side in (call.first, call.second) if side is not None)
    times = " → ".join(duration(side.seconds) or "no response" for side in (call.first, call.second) if side)
    output.print_text(f"{numbers} {call.call.title} {call.verdict} ({times})")
    changes = [change for place in places_of(comparison, call) for change in changes_in(place)]
    for change in changes[:MAX_CHANGES]:
        values = " → ".join(filter(None, (change.before, change.after)))
        output.print_text(f"  {change.kind} {change.path}  {values}")
    if len(changes) > MAX_CHANGES:
        output.print_text(f"  … {plural(len(changes) - MAX_CHANGES, 'further change')}")
