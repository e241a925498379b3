"""The fixtures of the conformance suite are whole, and their runner reads what the suite leaves behind."""

import json
from pathlib import Path

import pytest

from server_core.project import Project
from tests.conformance import run, server


def test_every_fixture_loads_without_a_problem() -> None:
    generation = Project.from_app(server.app).load()
    assert [problem.message for problem in generation.problems] == []
    assert set(generation.catalog.prompts) == {
        "test_simple_prompt",
        "test_prompt_with_arguments",
        "test_prompt_with_embedded_resource",
        "test_prompt_with_image",
    }


def leave_checks(folder: Path, scenario: str, *statuses: str) -> None:
    path = folder / f"server-{scenario}-2030-01-01T00-00-00-000Z"
    path.mkdir()
    checks = [{"id": f"check-{number}", "status": status} for number, status in enumerate(statuses)]
    (path / "checks.json").write_text(json.dumps(checks), encoding="utf-8")


def test_outcomes_are_read_from_what_the_suite_leaves(tmp_path: Path) -> None:
    leave_checks(tmp_path, "ping", "SUCCESS", "INFO")
    leave_checks(tmp_path, "server-initialize", "SUCCESS", "FAILURE")
    initialize, ping = sorted(run.read_outcomes(tmp_path), key=lambda one: one.scenario != "server-initialize")
    assert (ping.scenario, ping.passed, ping.failures) == ("ping", 1, ())
    assert (initialize.scenario, initialize.passed, initialize.failures) == ("server-initialize", 1, ("check-1: ",))


def test_a_failed_scenario_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    passed = run.Outcome("ping", 1, ())
    assert run.report([passed]) == 0
    assert run.report([passed, run.Outcome("tools-list", 0, ("tools: none",))]) == 1
    assert "tools: none" in capsys.readouterr().out


def test_a_run_without_outcomes_fails() -> None:
    assert run.report([]) == 1


def test_a_known_gap_does_not_fail_the_run_until_it_is_closed() -> None:
    for scenario in run.NOT_YET:
        assert run.report([run.Outcome(scenario, 0, ("not there",))]) == 0
        assert run.report([run.Outcome(scenario, 1, ())]) == 1
