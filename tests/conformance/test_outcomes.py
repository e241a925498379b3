"""The files of the suite are read completely: nothing that failed counts as passed."""

import json
from pathlib import Path

from tests.conformance.outcomes import Outcome, read_outcomes


def leave_checks(folder: Path, scenario: str, *statuses: str) -> None:
    path = folder / f"{scenario}-2030-01-01T00-00-00-000Z"
    path.mkdir(parents=True)
    checks = [
        {"id": f"check-{number}", "status": status, "description": "what it looks at"}
        for number, status in enumerate(statuses)
    ]
    (path / "checks.json").write_text(json.dumps(checks), encoding="utf-8")


def test_checks_are_counted_by_their_status(tmp_path: Path) -> None:
    leave_checks(tmp_path, "server-ping", "SUCCESS", "INFO", "SKIPPED", "WARNING", "FAILURE")
    assert read_outcomes(tmp_path, "server") == [
        Outcome(
            "ping",
            passed=1,
            skipped=1,
            failures=("check-4: what it looks at",),
            warnings=("check-3: what it looks at",),
        )
    ]


def test_the_name_of_a_scenario_is_independent_of_the_folder_of_the_suite(tmp_path: Path) -> None:
    leave_checks(tmp_path / "servers", "server-server-initialize", "SUCCESS")
    leave_checks(tmp_path / "clients", "auth/metadata-default", "SUCCESS")
    assert [outcome.scenario for outcome in read_outcomes(tmp_path / "servers", "server")] == ["server-initialize"]
    assert [outcome.scenario for outcome in read_outcomes(tmp_path / "clients", "client")] == ["auth/metadata-default"]


def test_a_scenario_that_ended_before_it_wrote_checks_has_failed(tmp_path: Path) -> None:
    leave_checks(tmp_path, "server-ping", "SUCCESS")
    output = "=== SUMMARY ===\n✓ ping: 1 passed, 0 failed\n✗ caching: 0 passed, 1 failed\n"
    caching, ping = read_outcomes(tmp_path, "server", output)
    assert (caching.scenario, caching.passed, len(caching.failures)) == ("caching", 0, 1)
    assert ping == Outcome("ping", 1)
