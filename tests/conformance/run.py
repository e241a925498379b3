"""Run the protocol's official conformance suite against `server.py`: `make conformance`.

Installs the suite, and the Node.js that it needs, into `.cache/conformance` on the first run; only npm is asked for.
Every scenario of the suite is run; ends with 1 when one fails that is not in :data:`NOT_YET`.
"""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SUITE = "@modelcontextprotocol/conformance@0.1.16"
NODE = "node@22"

NOT_YET = {"json-schema-2020-12": "a tool's schema comes from its signature; one cannot be handed in"}
"""Scenarios that may fail, and why."""

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "conformance"
NODE_BINARY = CACHE / "node" / "node_modules" / "node" / "bin" / "node"
SUITE_SCRIPT = CACHE / "suite" / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SERVER = Path(__file__).with_name("server.py")

START_LIMIT = 30.0
SUITE_LIMIT = 300.0


@dataclass(frozen=True)
class Outcome:
    """How one scenario went.

    Attributes:
        scenario: its name.
        passed: how many of its checks passed.
        failures: what the failed ones say.
    """

    scenario: str
    passed: int
    failures: tuple[str, ...]


def main(scenarios: list[str]) -> int:
    """Run the scenarios that are named, or all of them, and return the exit code."""
    install()
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        port = free_port()
        server = subprocess.Popen([sys.executable, str(SERVER), "--port", str(port)], stdin=subprocess.DEVNULL)
        try:
            await_port(port, server)
            for scenario in scenarios or [""]:
                run_suite(f"http://127.0.0.1:{port}/mcp", scenario, Path(folder))
        finally:
            server.terminate()
            server.wait(START_LIMIT)
        outcomes = read_outcomes(Path(folder))
    return report(outcomes)


def install() -> None:
    """Install the suite and its Node.js, unless they are there."""
    if shutil.which("npm") is None:
        sys.exit(
            "The conformance suite is installed with npm, which is not on the PATH; install Node.js and try again."
        )
    for name, package, there in (("node", NODE, NODE_BINARY), ("suite", SUITE, SUITE_SCRIPT)):
        if not there.exists():
            print(f"Installing {package} into {CACHE / name}", file=sys.stderr)
            (CACHE / name).mkdir(parents=True, exist_ok=True)
            # `--prefix` with a package.json of its own: without one npm looks for a project further up.
            (CACHE / name / "package.json").write_text("{}\n", encoding="utf-8")
            subprocess.run(
                ["npm", "install", "--prefix", str(CACHE / name), "--no-audit", "--no-fund", "--silent", package],
                check=True,
            )


def run_suite(url: str, scenario: str, folder: Path) -> None:
    """Run one scenario, or all for an empty name; what it finds goes to the folder."""
    chosen = ["--scenario", scenario] if scenario else ["--suite", "all"]
    subprocess.run(
        [str(NODE_BINARY), str(SUITE_SCRIPT), "server", "--url", url, *chosen, "-o", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # its exit code is that of all scenarios together; the outcomes are read one by one
        timeout=SUITE_LIMIT,
    )


def read_outcomes(folder: Path) -> list[Outcome]:
    """Return the outcome of every scenario that left its checks in the folder."""
    outcomes = []
    for path in sorted(folder.rglob("checks.json")):
        checks = json.loads(path.read_text(encoding="utf-8"))
        failures = [f"{one['id']}: {one.get('errorMessage', '')}" for one in checks if one["status"] == "FAILURE"]
        passed = sum(one["status"] == "SUCCESS" for one in checks)
        # The folder is called server-SCENARIO-TIMESTAMP.
        scenario = path.parent.name.removeprefix("server-").rpartition("-20")[0]
        outcomes.append(Outcome(scenario, passed, tuple(failures)))
    return outcomes


def report(outcomes: list[Outcome]) -> int:
    """Print every outcome and return the exit code."""
    for outcome in outcomes:
        mark = "ok" if not outcome.failures else "not yet" if outcome.scenario in NOT_YET else "FAILED"
        print(f"{mark:8}{outcome.scenario:36}{outcome.passed} of {outcome.passed + len(outcome.failures)}")
        for failure in outcome.failures:
            print(f"        {failure}")
    failed = [one for one in outcomes if one.failures and one.scenario not in NOT_YET]
    fixed = [one.scenario for one in outcomes if not one.failures and one.scenario in NOT_YET]
    for scenario in fixed:
        print(f"{scenario} passes now: take it out of NOT_YET")
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} scenarios are as they should be")
    return 1 if failed or fixed or not outcomes else 0


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def await_port(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return when the server listens."""
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"{SERVER} ended with {server.returncode} before it listened")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"{SERVER} does not listen on port {port}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
