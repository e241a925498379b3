"""The outcomes of scenarios: read from the files of the suite and from its output."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUMMARY = re.compile(r"^[✓✗] (\S+): \d+ passed", re.MULTILINE)
"""The suite's line about a scenario at the end of a run of several."""

TIME = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")
"""What the suite appends to the name of a scenario's folder."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a scenario.

    Attributes:
        scenario: its name.
        passed: how many of its checks passed.
        skipped: how many the suite left out.
        failures: the messages of failed checks.
        warnings: the messages of checks that the suite counts as warnings.
    """

    scenario: str
    passed: int
    skipped: int = 0
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_outcomes(results: Path, side: str, output: str = "") -> list[Outcome]:
    """Return the outcome of every scenario that was run, in the order of their names.

    Args:
        results: the folder that the suite wrote to.
        side: "server" or "client": which of our sides was tested.
        output: the suite's output.
    """
    read = {}
    for path in results.rglob("checks.json"):
        # A scenario's name may hold a slash; those of servers have a prefix.
        name = TIME.sub("", path.parent.relative_to(results).as_posix())
        name = name.removeprefix("server-") if side == "server" else name
        read[name] = _outcome(name, json.loads(path.read_text(encoding="utf-8")))
    for name in SUMMARY.findall(output):
        read.setdefault(name, Outcome(name, 0, failures=("it broke down and left no checks behind",)))
    return [read[name] for name in sorted(read)]


def _outcome(scenario: str, checks: list[dict[str, Any]]) -> Outcome:
    by_status: dict[str, list[str]] = {"SUCCESS": [], "SKIPPED": [], "FAILURE": [], "WARNING": [], "INFO": []}
    for check in checks:
        message = check.get("errorMessage") or check.get("description", "")
        by_status[check["status"]].append(f"{check['id']}: {message}")
    return Outcome(
        scenario,
        len(by_status["SUCCESS"]),
        len(by_status["SKIPPED"]),
        tuple(by_status["FAILURE"]),
        tuple(by_status["WARNING"]),
    )
