"""The records of calls of earlier sessions are read from their captures."""

import threading
from pathlib import Path

import pytest

from server_core.errors import WorkbenchError
from tests.workbench.workspace.test_earlier_sessions import captured
from workbench.model.history import CallRun
from workbench.model.traffic.run_log import RunLog
from workbench.model.traffic.run_records import RunRecords
from workbench.workspace.capture_files import captured_body, captured_timeline
from workbench.workspace.earlier_sessions import read_runs


def test_the_messages_of_a_run_are_those_of_its_time() -> None:
    runs = read_runs([captured(100, *range(1, 30))], "/demo", 9000, threading.Event())
    for run in runs:
        records = RunRecords(captured_timeline(run), run)
        records.refresh()
        assert [entry.id for entry in records.messages] == [str(run.arguments["n"])] * 2


def test_a_capture_that_is_gone_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "bad.capture").write_bytes(b"no capture")
    for name in ("gone.capture", "bad.capture"):
        run = CallRun(1, "greet", {}, 100, ended=101, capture=str(tmp_path / name))
        log = RunLog(RunRecords(captured_timeline(run), run))
        log.refresh()
        assert not log.lines


def test_a_body_is_read_from_a_capture_or_the_error_has_the_reason(tmp_path: Path) -> None:
    path = captured(100, 1)
    assert b"jsonrpc" in captured_body(str(path), 3)
    for capture, reason in (("", "has left no capture"), (str(path), "does not have it"), (str(tmp_path / "x"), "x")):
        with pytest.raises(WorkbenchError, match=reason):
            captured_body(capture, 999)
