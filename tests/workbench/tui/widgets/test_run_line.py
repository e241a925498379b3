"""The line about a run has the most important facts that fit."""

from tests.tables import each_row
from workbench.model.history import CallRun
from workbench.model.traffic.run_records import RunTimes
from workbench.tui.widgets.run_line import run_status

TIMES = RunTimes(wire=0.015, waited=8.0, ran=0.012, size=300)


@each_row(
    ("width", "line"),
    [
        (99, "trigger-long-running-op… · ✓ ok  wire 15 ms · tool 12 ms · waited for you 8.00 s · 300 B  #2"),
        (80, "trigger-long-running-op… · ✓ ok  wire 15 ms · waited for you 8.00 s  #2"),
        (60, "trigger-long… · ✓ ok  wire 15 ms · waited for you 8.00 s  #2"),
        (50, "trigger-long-running-op… · ✓ ok  wire 15 ms  #2"),
        (36, "trigger-long… · ✓ ok  wire 15 ms  #2"),
        (29, "trigg… · ✓ ok  wire 15 ms  #2"),
        (28, "✓ ok  wire 15 ms  #2"),
    ],
)
def test_a_long_name_is_shortened_before_it_is_left_out(width: int, line: str) -> None:
    run = CallRun(2, "trigger-long-running-operation", {}, 1000)
    run.finish({}, 1008)
    assert "".join(text for text, _ in run_status(run, "wire 15 ms", TIMES, 0, width)) == line
