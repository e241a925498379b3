"""The line about a run has the most important facts that fit."""

from dataclasses import replace

from tests.tables import each_row
from workbench.model.history import CallRun
from workbench.model.traffic.run_records import RunTimes
from workbench.tui.widgets.run_rows import status_rows

TIMES = RunTimes(wire=0.015, waited=8.0, ran=0.012, size=300)


NAME = "trigger-long-running-operation"


@each_row(
    ("width", "rows"),
    [
        (99, ["trigger-long-running-op… · ✓ ok  wire 15 ms · tool 12 ms · waited for you 8.00 s · 300 B  #2"]),
        (80, ["trigger-long-runnin… · ✓ ok  wire 15 ms · tool 12 ms · waited for you 8.00 s  #2"]),
        (73, ["trigger-long… · ✓ ok  wire 15 ms · tool 12 ms · waited for you 8.00 s  #2"]),
        (60, ["trigger-long-running-op… · ✓ ok  wire 15 ms  #2", "tool 12 ms · waited for you 8.00 s · 300 B"]),
        (40, ["trigger-long-run… · ✓ ok  wire 15 ms  #2", "tool 12 ms · waited for you 8.00 s"]),
        (29, ["trigg… · ✓ ok  wire 15 ms  #2", "tool 12 ms · you 8.00 s"]),
    ],
)
def test_the_times_move_to_a_second_row_and_none_is_left_out(width: int, rows: list[str]) -> None:
    run = CallRun(2, NAME, {}, 1000)
    run.finish({}, 1008)
    shown = status_rows(run, "wire 15 ms", TIMES, 0, width)
    assert ["".join(text for text, _ in row) for row in shown] == rows


@each_row(
    ("width", "line"),
    [
        (80, "trigger-long-running-op… · ✓ ok  8.00 s · ~40 tokens  #2"),
        (50, "trigger-long-running-op… · ✓ ok  8.00 s  #2"),
        (36, "trigger-long-run… · ✓ ok  8.00 s  #2"),
        (20, "✓ ok  8.00 s  #2"),
    ],
)
def test_a_run_of_which_only_the_duration_is_known_has_one_row(width: int, line: str) -> None:
    run = CallRun(2, NAME, {}, 1000)
    run.finish({}, 1008)
    shown = status_rows(run, "8.00 s", None, 40, width)
    assert ["".join(text for text, _ in row) for row in shown] == [line]


def test_the_time_of_a_hold_is_named() -> None:
    run = CallRun(2, "greet", {}, 1000)
    run.finish({}, 1008)
    (row,) = status_rows(run, "wire 15 ms", replace(TIMES, waited=0, held=7), 0, 80)
    assert "".join(text for text, _ in row) == "greet · ✓ ok  wire 15 ms · tool 12 ms · held 7.00 s · 300 B  #2"
