"""The statistics of calls: counts, errors, times and sizes, by tool or method."""

from tests.workbench.model.records import Wire
from workbench.model.traffic.filter import parse_filter
from workbench.model.traffic.statistics import statistics
from workbench.model.traffic.timeline import Timeline


def test_calls_errors_times_and_sizes_are_counted_for_each_tool() -> None:
    wire, timeline = Wire(), Timeline()
    for number in range(100):
        timeline.extend([wire.call(number, "greet"), wire.result(number)])
    timeline.extend([wire.call(100, 'a "b"'), wire.result(100, {"isError": True, "content": []})])
    timeline.extend([wire.request(101, "tools/list"), wire.request(102, "tools/list"), wire.error(101)])
    timeline.extend([wire.request(1, "sampling/createMessage", direction="out")])
    greet, listed, other = statistics(timeline)
    assert (greet.title, greet.calls, greet.errors) == ("greet", 100, 0)
    assert greet.size == sum(entry.size for entry in timeline if entry.name == "greet")
    assert {round(greet.quantile(share) or 0, 3) for share in (0.5, 0.95, 0.99)} == {0.1}
    assert (listed.title, listed.calls, listed.errors, len(listed.times)) == ("tools/list", 2, 1, 1)
    assert (other.title, other.errors) == ('a "b"', 1)
    for each in (greet, listed, other):
        assert parse_filter(each.filter).test(
            next(entry for entry in timeline if entry.method == each.method and entry.name == each.name)
        )


def test_a_quantile_is_the_time_within_which_a_share_was_answered() -> None:
    wire, timeline = Wire(), Timeline()
    for number in range(10):
        timeline.extend([wire.call(number, "greet")])
    for number in reversed(range(10)):
        timeline.extend([wire.result(number)])
    (greet,) = statistics(timeline)
    assert [round(greet.quantile(share) or 0, 1) for share in (0.1, 0.5, 0.99)] == [0.1, 0.9, 1.9]
    assert statistics([]) == []
