"""How scenarios went: read from what the suite leaves behind and from what it says."""

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
    """How one scenario went.

    Attributes:
        scenario: its name.
        passed: how many of its checks passed.
        skipped: how many the suite left out.
        failures: what the failed ones say.
        warnings: what those say that found fault and do not call it a failure.
    """

    scenario: str
    passed: int
    skipped: int = 0
    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read_outcomes(results: Path, side: str, said: str = "") -> list[Outcome]:
    """Return the outcome of every scenario that was run, in the order of their names.

    Args:
        results: the folder that the suite wrote to.
        side: "server" or "client": which of our sides was tested.
        said: the suite's output.
    """
    read = {}
    for path in results.rglob("checks.json"):
        # A scenario's name may hold a slash; those of servers stand behind the word.
        name = TIME.sub("", path.parent.relative_to(results).as_posix())
        name = name.removeprefix("server-") if side == "server" else name
        read[name] = _outcome(name, json.loads(path.read_text(encoding="utf-8")))
    for name in SUMMARY.findall(said):
        read.setdefault(name, Outcome(name, 0, failures=("it broke down and left no checks behind",)))
    return [read[name] for name in sorted(read)]


def _outcome(scenario: str, checks: list[dict[str, Any]]) -> Outcome:
    told: dict[str, list[str]] = {"SUCCESS": [], "SKIPPED": [], "FAILURE": [], "WARNING": [], "INFO": []}
    for one in checks:
        told[one["status"]].append(f"{one['id']}: {one.get('errorMessage') or one.get('description', '')}")
    return Outcome(scenario, len(told["SUCCESS"]), len(told["SKIPPED"]), tuple(told["FAILURE"]), tuple(told["WARNING"]))
