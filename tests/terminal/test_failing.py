"""A terminal that fails by a bug is opened again on its core; the second time it prints how to attach to that."""

import os
import re
import signal
import stat
from pathlib import Path

import pytest

from tests.terminal.conftest import Open
from tests.terminal.failing import KEYS, SECRET, WAYS
from tests.terminal.terminal import Terminal

FAILS_AGAIN = ("mount", "paint")
"""The ways to fail that fail at once in the terminal that shows the same pane again."""


@pytest.mark.parametrize("how", WAYS)
def test_a_terminal_that_fails_leaves_a_report_without_values_and_the_way_back(how: str, open_terminal: Open) -> None:
    terminal = open_terminal("demo", module=("tests.terminal.failing", how))
    if keys := KEYS.get(how):
        terminal.expect("✓ ready", "greet")
        terminal.press(*keys)
        if how not in FAILS_AGAIN:
            terminal.expect("✓ ready", "greet", "✗ Reopened after a failure; report: /")
            terminal.press(*keys)
    assert terminal.expect_end() == 70
    last = final_output(terminal)
    assert re.search(r"error: the terminal has failed: RuntimeError at \S+failing\.py:\d+ in fail; this is a bug", last)
    assert_private(report_of(last))
    assert SECRET not in terminal.history
    assert "Traceback" not in terminal.history
    assert "locals" not in terminal.history
    named = re.search(r"the core keeps running; reconnect with: workbench attach (\w+)", last)
    running = [path.stem for path in Path(os.environ["WORKBENCH_RUNTIME"]).glob("*.json")]
    assert [named[1]] if named else running == []
    assert bool(named) == (how in KEYS), "a core that had not started yet does not continue"
    if how == "handler":
        # The line that was printed is the command that attaches to the core.
        again = open_terminal(*last.split()[-2:])
        again.expect("✓ ready", "greet")


def test_a_core_in_the_process_of_the_terminal_survives_its_first_failure(open_terminal: Open) -> None:
    terminal = open_terminal("demo", "--in-process", module=("tests.terminal.failing", "handler"))
    terminal.expect("✓ ready", "greet")
    terminal.press("j")
    terminal.expect("name_dish")
    terminal.press(*KEYS["handler"])
    terminal.expect("✓ ready", "greet", "Reopened after a failure")
    terminal.press(*KEYS["handler"])
    assert terminal.expect_end() == 70
    last = final_output(terminal)
    assert "the core ran in the same process and has ended" in last
    assert last.rstrip().endswith("start again with: workbench demo --in-process")
    assert_private(report_of(last))


def test_a_terminal_ends_with_its_window_also_where_hangups_were_ignored(open_terminal: Open) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        terminal = open_terminal("demo")
    finally:
        signal.signal(signal.SIGHUP, before)
    terminal.expect("✓ ready", "greet")
    terminal.close_window()


def final_output(terminal: Terminal) -> str:
    """Return the output after the screen was restored, if it was used at all."""
    assert not terminal.has_screen
    return terminal.history.rpartition("\x1b[?1049l")[2].replace("\r\n", "\n")


def report_of(last: str) -> Path:
    """Return the report that was named."""
    named = re.search(r"report, without any values: (\S+)", last)
    assert named is not None, last
    return Path(named[1])


def assert_private(report: Path) -> None:
    """Check that a report has the place of the failure, nothing else, and is readable only by its owner."""
    assert report.is_relative_to(os.environ["WORKBENCH_HOME"])
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    text = report.read_text(encoding="utf-8")
    assert SECRET not in text
    for fact in (
        "workbench: ",
        "python: ",
        "textual: ",
        "terminal: 120 x 40",
        "RuntimeError\n",
        "because of:\nLookupError",
    ):
        assert fact in text
    assert re.search(r"tests/terminal/failing\.py:\d+ in fail\n", text)
