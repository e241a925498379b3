"""The columns of the list of messages at every width."""

from server_core.records.tap import Direction, Kind
from tests.workbench.tui.fakes import conversation, record
from workbench.model.traffic.timeline import Timeline
from workbench.tui.widgets.traffic import columns_for, heading_of


def titles(width: int) -> list[str]:
    return [column.title for column, _ in columns_for(width)]


def test_the_columns_fill_the_width_where_it_suffices() -> None:
    for width in range(20, 201):
        laid_out = columns_for(width)
        needed = sum(column.width for column, _ in laid_out) + 1
        assert sum(wide for _, wide in laid_out) == max(width, needed), width


def test_a_wide_list_shows_all_columns_and_a_narrow_list_the_important_columns() -> None:
    assert titles(120) == ["#", "time", "way", "kind", "message", "id", "status", "took", "size", "revision"]
    assert titles(100) == ["#", "time", "way", "kind", "message", "id", "status", "took", "size"]
    assert titles(80) == ["#", "time", "way", "kind", "message", "id", "status", "took"]
    assert titles(48) == ["#", "way", "message", "status"]


def test_the_heading_of_a_message_has_its_kind_and_status() -> None:
    timeline = Timeline()
    timeline.extend(conversation())
    assert heading_of(timeline[4]) == "→ in request #5 · ✓ ok · 750 ms · id 1 · 122 B · session s1"
    assert heading_of(timeline[11]).startswith("· stderr #12")


def test_an_open_subscription_is_shown_as_open_and_not_as_waiting() -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {}}
    timeline = Timeline()
    timeline.extend([record(1, Kind.REQUEST, Direction.IN, request)])
    assert "… open" in heading_of(timeline[0])
