"""Run the protocol's official conformance suite against our server and our client: `make conformance`.

`GATES="..."` chooses gates by their names, or a scenario of a gate as `GATE:SCENARIO`. The results of the suite stay in
`.cache/conformance/results/GATE`, with what our server or client wrote. Ends with 1 when a check failed.
"""

import contextlib
import fcntl
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conformance import suite
from tests.conformance.gates import GATES, Gate
from tests.conformance.outcomes import Outcome, read_outcomes
from tests.ports import START_LIMIT, await_port, free_port

RESULTS = suite.CACHE / "results"
SERVER = Path(__file__).with_name("server.py")


def main(wanted: Sequence[str]) -> int:
    """Run the gates that are named, or all of them, and return the exit code."""
    gates = [chosen(name) for name in wanted] or list(GATES)
    with alone():
        suite.install({gate.suite for gate in gates})
        outcomes = [(gate, run_gate(gate)) for gate in gates]
    print()
    for gate, scenarios in outcomes:
        print(summary(gate, scenarios))
    print(closing_line([scenarios for _, scenarios in outcomes]))
    return 0 if all(is_passed(gate, scenarios) for gate, scenarios in outcomes) else 1


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Wait until no other run uses the cache, and keep others waiting meanwhile."""
    suite.CACHE.mkdir(parents=True, exist_ok=True)
    with (suite.CACHE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another conformance run is on; waiting for its end.", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def chosen(argument: str) -> Gate:
    """Return the gate that an argument of the command line names.

    Raises:
        SystemExit: when there is no such gate.
    """
    name, _, scenario = argument.partition(":")
    for gate in GATES:
        if gate.name == name:
            return gate.alone(scenario) if scenario else gate
    sys.exit(f"There is no gate {name!r}; there are {', '.join(gate.name for gate in GATES)}.")


def run_gate(gate: Gate) -> list[Outcome]:
    """Run a gate, print what failed in it, and return the outcomes."""
    print(f"{gate.name}: suite {gate.suite}, {' '.join(gate.selection)}", flush=True)
    started = time.monotonic()
    shutil.rmtree(again(gate), ignore_errors=True)
    scenarios = attempt(gate, RESULTS / gate.name)
    if gate.side == "client":
        scenarios = [confirmed(gate, outcome) for outcome in scenarios]
    for outcome in scenarios:
        print_faults(gate, outcome)
    print(f"  {len(scenarios)} scenarios in {time.monotonic() - started:.0f} s", flush=True)
    return scenarios


def attempt(gate: Gate, results: Path) -> list[Outcome]:
    """Run a gate once and return the outcomes; the suite's output stays in the folder."""
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    with serving(results) if gate.side == "server" else contextlib.nullcontext("") as url:
        output = suite.run(gate, url, results)
    (results / "suite.txt").write_text(output, encoding="utf-8")
    return read_outcomes(results, gate.side, output)


def confirmed(gate: Gate, outcome: Outcome) -> Outcome:
    """Return how a client's scenario went when it had the machine to itself, if it failed among the others."""
    if not faults(gate, outcome) or gate.selection[0] == "--scenario":
        return outcome
    scenarios = attempt(gate.alone(outcome.scenario), again(gate) / outcome.scenario.replace("/", "-"))
    return scenarios[0] if scenarios else outcome


def again(gate: Gate) -> Path:
    """Return the folder for the results of second runs of single scenarios."""
    return RESULTS / f"{gate.name}-again"


@contextlib.contextmanager
def serving(results: Path) -> Iterator[str]:
    """Run our server on a free port, and yield its URL."""
    port = free_port()
    with (results / "server.txt").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, str(SERVER), "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            await_port(port, server)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.terminate()
            try:
                server.wait(START_LIMIT)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def is_passed(gate: Gate, scenarios: Sequence[Outcome]) -> bool:
    """Whether every check passed; a gate in which nothing passed is none."""
    return any(outcome.passed for outcome in scenarios) and not any(faults(gate, outcome) for outcome in scenarios)


def faults(gate: Gate, outcome: Outcome) -> tuple[str, ...]:
    """Return what keeps a scenario from being passed: of a client, the suite counts warnings too."""
    return outcome.failures + outcome.warnings if gate.side == "client" else outcome.failures


def print_faults(gate: Gate, outcome: Outcome) -> None:
    """Print what failed in a scenario, and what it was warned of."""
    if faults(gate, outcome):
        print(f"  {outcome.scenario}: FAILED, {outcome.passed} of {outcome.passed + len(outcome.failures)} checks pass")
    for kind, messages in (("failed", outcome.failures), ("warning", outcome.warnings)):
        for message in messages:
            print(f"    {kind}: {outcome.scenario} {message}")


def summary(gate: Gate, scenarios: Sequence[Outcome]) -> str:
    """Return the gate's line of the table."""
    passed, failed = sum(outcome.passed for outcome in scenarios), sum(len(outcome.failures) for outcome in scenarios)
    notes = [f"{len(scenarios)} scenarios"]
    if count := sum(len(outcome.warnings) for outcome in scenarios):
        notes.append(f"{count} warnings")
    if count := sum(outcome.skipped for outcome in scenarios):
        notes.append(f"{count} checks skipped by the suite")
    mark = "passed" if is_passed(gate, scenarios) else "FAILED"
    return f"{mark:8}{gate.name:20}{passed:4} of {passed + failed:3} checks  {', '.join(notes)}"


def closing_line(gates: Sequence[Sequence[Outcome]]) -> str:
    """Return the line that sums up all gates, in the form that test reports are searched for."""
    scenarios = [outcome for gate in gates for outcome in gate]
    passed, failed = sum(outcome.passed for outcome in scenarios), sum(len(outcome.failures) for outcome in scenarios)
    return f"checks: {passed} passed, {failed} failed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
