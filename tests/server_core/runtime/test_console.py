"""What a core writes for the user who started it."""

import pytest

from server_core.runtime.console import RecurringMessage


def test_repeated_messages_are_written_once_in_an_interval_with_a_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    repeated = RecurringMessage(10.0, clock=lambda: now)
    for now in (0.0, 1.0, 9.0, 10.0, 19.0, 40.0, 60.0):
        repeated.write(f"it happened at {now:g}")
    assert capsys.readouterr().err.splitlines() == [
        "it happened at 0",
        "it happened at 10 (2 more since the last report)",
        "it happened at 40 (1 more since the last report)",
        "it happened at 60",
    ]
