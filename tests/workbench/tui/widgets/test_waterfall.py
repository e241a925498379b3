"""The bars of calls: from their beginning to their end, within the time of the rows in view."""

from server_core.records.tap import Direction, Kind
from tests.workbench.model.records import Wire, timeline_of
from workbench.tui.widgets.waterfall import bar, window_of


def test_a_bar_covers_the_time_of_its_call_within_that_of_all() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "a"),  # 0.0 to 0.3 s
        wire.call(2, "b"),  # 0.1 s, open
        wire.raw(Kind.STDOUT, b"x", direction=Direction.NONE),  # 0.2 s
        wire.error(1),
        wire.call(3, "c"),  # 0.4 to 0.5 s
        wire.result(3),
    )
    first, waiting, output, _, last, _ = timeline
    window = window_of([first, waiting, output, last])
    assert bar(first, window, 11) == ("━━━━━━━", "traffic--bad")
    assert bar(waiting, window, 11) == ("  ╌╌╌╌╌╌╌╌╌", "traffic--warn")
    assert bar(output, window, 11) == ("    │", "traffic--muted")
    assert bar(last, window, 11) == ("        ━━━", "traffic--in")


def test_a_bar_covers_the_time_in_which_its_call_was_held() -> None:
    wire = Wire()
    timeline = timeline_of(
        wire.call(1, "a"),
        wire.lifecycle("message_held", "s1", message=1),
        wire.lifecycle("message_released", "s1", message=1),
        wire.result(1),
    )
    assert bar(timeline[0], window_of([timeline[0]]), 8) == ("━" * 8, "traffic--in")


def test_a_single_moment_has_a_bar_as_well() -> None:
    timeline = timeline_of(Wire().raw(Kind.STDOUT, b"x", direction=Direction.NONE))
    assert bar(timeline[0], window_of(timeline), 10) == ("│", "traffic--muted")
