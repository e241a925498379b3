"""The report of a terminal that has failed: its readers, its number, and the error if it cannot be written."""

import stat

import pytest

from server_core.runtime.paths import data_folder, reports_folder
from workbench.cli.failure_report import report, write_report
from workbench.model.terminal_failure import TerminalFailed, TerminalFailure

FAILED = TerminalFailed(
    TerminalFailure("KeyError", ("paint.py:47 in style",)), shown="inspector", size=(170, 40), core="k7"
)


def test_the_report_is_private_and_the_way_back_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    report(FAILED, write_report(FAILED))
    [written] = reports_folder().iterdir()
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(reports_folder().stat().st_mode) == 0o700
    assert "shown: inspector" in written.read_text()
    assert "terminal: 170 x 40" in written.read_text()
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "KeyError at paint.py:47 in style" in lines[0]
    assert lines[1].endswith(str(written))
    assert lines[2].endswith("workbench attach k7")


def test_the_oldest_reports_go(capfd: pytest.CaptureFixture[str]) -> None:
    for number in range(40):
        (reports_folder() / f"terminal-20200101T0000{number:02}Z-1.txt").touch()
    report(FAILED, write_report(FAILED))
    reports = sorted(path.name for path in reports_folder().iterdir())
    assert len(reports) == 20
    assert capfd.readouterr().err.splitlines()[1].endswith(reports[-1])


def test_a_report_that_cannot_be_written_hides_neither_the_failure_nor_the_way_back(
    capfd: pytest.CaptureFixture[str],
) -> None:
    (data_folder() / "reports").write_text("a file in the way")
    report(FAILED, write_report(FAILED))
    lines = capfd.readouterr().err
    assert "error: the terminal has failed: KeyError" in lines
    assert "the report could not be written" in lines
    assert "workbench attach k7" in lines
