"""The gates: which suite is run with which arguments, against our server or with our client.

Every check of every scenario of a gate has to pass, those too that the suite runs without scoring them: extensions, and
what came after a revision.
"""

from dataclasses import dataclass, replace
from typing import Literal

STABLE = "0.1.16"
NEWEST = "0.2.0-alpha.12"


@dataclass(frozen=True)
class Gate:
    """A run of the suite.

    Attributes:
        name: its name on the command line.
        suite: the version of the suite.
        side: which of our two sides is tested.
        selection: the suite's arguments that choose scenarios.
        wire: the revision that a scenario is run at when it is run alone; empty for the suite's own choice.
    """

    name: str
    suite: str
    side: Literal["server", "client"]
    selection: tuple[str, ...]
    wire: str = ""

    def alone(self, scenario: str) -> "Gate":
        """Return the gate with a single scenario."""
        # Extensions have no place on the suite's line of revisions: only force runs them at one.
        at = ("--spec-version", self.wire, "--force") if self.wire else ()
        return replace(self, selection=("--scenario", scenario, *at))


GATES = (
    Gate("server-stable", STABLE, "server", ("--suite", "all")),
    Gate("server-2025-03-26", NEWEST, "server", ("--suite", "all", "--spec-version", "2025-03-26"), "2025-03-26"),
    Gate("server-2025-06-18", NEWEST, "server", ("--suite", "all", "--spec-version", "2025-06-18"), "2025-06-18"),
    Gate("server-2025-11-25", NEWEST, "server", ("--requirements", "2025-11-25"), "2025-11-25"),
    Gate("server-2026-07-28", NEWEST, "server", ("--requirements", "2026-07-28"), "2026-07-28"),
    Gate("client-stable", STABLE, "client", ("--suite", "all")),
    Gate("client-2025-03-26", NEWEST, "client", ("--suite", "all", "--spec-version", "2025-03-26"), "2025-03-26"),
    Gate("client-2025-06-18", NEWEST, "client", ("--suite", "all", "--spec-version", "2025-06-18"), "2025-06-18"),
    Gate("client-2025-11-25", NEWEST, "client", ("--requirements", "2025-11-25"), "2025-11-25"),
    Gate("client-2026-07-28", NEWEST, "client", ("--requirements", "2026-07-28"), "2026-07-28"),
)
