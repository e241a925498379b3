"""Results that may be used again, and what makes them stale."""

from typing import Any

from server_core.protocol.jsonrpc import Notification
from tests.clock import Clock
from tests.tables import each_row
from workbench.client.result_cache import LONGEST_MS, MAX_ENTRIES, ResultCache


def kept(**uris: int) -> tuple[ResultCache, Clock]:
    clock = Clock(100.0)
    results = ResultCache(clock)
    results.store("tools/list", {}, {"tools": [], "ttlMs": 5000})
    results.store("tools/list", {"cursor": "2"}, {"tools": [1], "ttlMs": 5000})
    results.store("resources/read", {"uri": "file:///a"}, {"contents": [], "ttlMs": 5000})
    return results, clock


def test_a_result_is_cached_by_its_method_and_params_for_its_time_to_live() -> None:
    results, clock = kept()
    assert results.find("tools/list", None) == {"tools": [], "ttlMs": 5000}
    assert results.find("tools/list", {"cursor": "2"}) == {"tools": [1], "ttlMs": 5000}
    assert results.find("tools/list", {"cursor": "3"}) is None
    assert results.find("prompts/list", {}) is None
    clock.now += 4.9
    assert results.find("tools/list", {}) is not None
    clock.now += 0.2
    assert results.find("tools/list", {}) is None


@each_row("hint", [None, 0, -1, "5000", 5000.0, True, []])
def test_a_result_without_a_time_to_live_is_not_cached(hint: Any) -> None:
    results, _ = kept()
    results.store("prompts/list", {}, {"prompts": [], "ttlMs": hint})
    assert results.find("prompts/list", {}) is None


def test_only_lists_and_resources_are_stored() -> None:
    results, _ = kept()
    results.store("tools/call", {"name": "x"}, {"ttlMs": 5000})
    results.store("some/thing", {}, {"ttlMs": 5000})
    assert results.find("tools/call", {"name": "x"}) is None
    assert results.find("some/thing", {}) is None


def test_nothing_is_valid_for_longer_than_a_day() -> None:
    results, clock = kept()
    results.store("prompts/list", {}, {"prompts": [], "ttlMs": 10**400})
    clock.now += LONGEST_MS / 1000
    assert results.find("prompts/list", {}) is None


def test_a_changed_list_drops_all_its_pages_and_nothing_else() -> None:
    results, _ = kept()
    results.invalidate(Notification("notifications/tools/list_changed", {}))
    assert results.find("tools/list", {}) is None
    assert results.find("tools/list", {"cursor": "2"}) is None
    assert results.find("resources/read", {"uri": "file:///a"}) is not None


@each_row(("uri", "drops"), [("file:///a", True), ("file:///a/part", True), ("file:///b", False)])
def test_an_updated_resource_is_dropped_with_what_it_is_a_part_of(uri: str, drops: bool) -> None:
    results, _ = kept()
    results.invalidate(Notification("notifications/resources/updated", {"uri": uri}))
    assert (results.find("resources/read", {"uri": "file:///a"}) is None) is drops


def test_only_a_limited_number_is_stored() -> None:
    results, _ = kept()
    for number in range(MAX_ENTRIES):
        results.store("resources/read", {"uri": f"x:{number}"}, {"ttlMs": 5000})
    assert results.find("tools/list", {}) is None
    assert results.find("resources/read", {"uri": "x:0"}) is not None


def test_everything_can_be_dropped() -> None:
    results, _ = kept()
    results.clear()
    assert results.find("tools/list", {}) is None
