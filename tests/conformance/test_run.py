"""The runner fails when it should, and names what it needs."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conformance import run, suite
from tests.conformance.gates import GATES, Gate
from tests.conformance.outcomes import Outcome
from tests.peers import node

GATE = Gate("server-sample", "0", "server", ("--suite", "all"), "2025-11-25")
PASSED = Outcome("ping", 1)


def test_a_failed_scenario_fails_its_gate() -> None:
    assert run.is_passed(GATE, [PASSED])
    assert not run.is_passed(GATE, [PASSED, Outcome("tools-list", 3, failures=("tools: none",))])


def test_a_warning_fails_a_client_and_not_a_server() -> None:
    warned = Outcome("sse-retry", 2, warnings=("retry: late",))
    assert run.is_passed(GATE, [warned])
    assert not run.is_passed(replace(GATE, side="client"), [warned])


def test_a_failure_is_printed_with_its_scenario_and_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    run.print_faults(GATE, Outcome("tools-list", 3, failures=("schema: none",)))
    assert "tools-list schema: none" in capsys.readouterr().out


def test_a_run_in_which_nothing_passed_fails() -> None:
    assert not run.is_passed(GATE, [])
    assert not run.is_passed(GATE, [Outcome("skipped", 0, skipped=1)])


def test_the_table_distinguishes_passed_and_failed_gates() -> None:
    assert run.summary(GATE, [PASSED]).startswith("passed ")
    assert run.summary(GATE, [Outcome("ping", 1, failures=("no",))]).startswith("FAILED ")


def test_the_last_line_counts_the_checks_of_all_gates() -> None:
    scenarios = [[PASSED], [PASSED, Outcome("tools-list", 3, failures=("tools: none",))]]
    assert run.closing_line(scenarios) == "checks: 5 passed, 1 failed"


def test_a_single_scenario_is_run_at_the_revision_of_its_gate() -> None:
    gate = run.chosen("server-2026-07-28:caching")
    assert gate.selection == ("--scenario", "caching", "--spec-version", "2026-07-28", "--force")


def test_an_unknown_gate_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(SystemExit, match=GATES[0].name):
        run.chosen("server-2031")


def test_without_npm_and_without_a_suite_the_run_ends_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "CACHE", tmp_path)
    monkeypatch.setattr(node, "CACHE", tmp_path)
    monkeypatch.setattr(node, "NODE_BINARY", tmp_path / "node")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="npm"):
        suite.install({"0.1.16"})
