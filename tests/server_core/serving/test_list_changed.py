"""Changes are collected for a moment and sent to subscribers, at a limited rate."""

from collections.abc import Callable

import pytest

from server_core.serving.list_changed import Change, ListChanges, covers, list_changed, resource_updated
from server_core.settings import Settings

pytestmark = pytest.mark.promises("notifications")

TOOLS, PROMPTS = list_changed("tools"), list_changed("prompts")


class Clock:
    """Time that passes when a test advances it."""

    def __init__(self) -> None:
        self.now = 0.0
        self._calls: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], None]) -> None:
        self._calls.append((self.now + delay, callback))

    def pass_to(self, when: float) -> None:
        while due := [item for item in self._calls if item[0] <= when]:
            first = min(due, key=lambda first: first[0])
            self._calls.remove(first)
            self.now = first[0]
            first[1]()
        self.now = when


class Listener:
    """Keeps the notifications and their times."""

    def __init__(self, clock: Clock, *wanted: Change) -> None:
        self.received: list[tuple[float, Change]] = []
        self._clock = clock
        self._wanted = wanted

    def wants(self, change: Change) -> bool:
        return not self._wanted or change in self._wanted

    def notify_change(self, change: Change) -> None:
        self.received.append((self._clock.now, change))

    @property
    def changes(self) -> list[Change]:
        return [change for _, change in self.received]


def list_changes(clock: Clock, delay: float = 0.1, per_minute: int = 0) -> ListChanges:
    return ListChanges(Settings(list_changed_delay=delay, changes_per_minute=per_minute), clock)


def test_changes_within_the_delay_are_sent_once_at_its_end() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock)
    changes.add(listener)
    changes.changed([TOOLS])
    clock.pass_to(0.05)
    changes.changed([TOOLS, PROMPTS])
    assert listener.received == []
    clock.pass_to(0.2)
    assert listener.received == [(0.1, TOOLS), (0.1, PROMPTS)]


def test_a_list_that_changes_all_the_time_is_sent_nevertheless() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock)
    changes.add(listener)
    for tick in range(30):
        clock.pass_to(tick * 0.01)
        changes.changed([TOOLS])
    clock.pass_to(1)
    assert [round(when, 2) for when, _ in listener.received] == [0.1, 0.2, 0.3]


def test_a_change_after_the_delay_is_sent_after_the_next_delay() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock)
    changes.add(listener)
    changes.changed([TOOLS])
    clock.pass_to(0.1)
    changes.changed([TOOLS])
    clock.pass_to(0.3)
    assert listener.received == [(0.1, TOOLS), (0.2, TOOLS)]


def test_without_a_delay_changes_are_sent_at_once() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock, delay=0)
    changes.add(listener)
    changes.changed([TOOLS])
    changes.changed([])
    changes.changed([TOOLS])
    assert listener.received == [(0, TOOLS), (0, TOOLS)]


def test_each_listener_gets_the_changes_that_it_wants() -> None:
    clock = Clock()
    first, other, changes = Listener(clock, TOOLS), Listener(clock, resource_updated("a://b")), list_changes(clock)
    for listener in (first, first, other):
        changes.add(listener)
    changes.changed([TOOLS, PROMPTS, resource_updated("a://b"), resource_updated("a://c")])
    clock.pass_to(1)
    assert first.changes == [TOOLS]
    assert other.changes == [resource_updated("a://b")]


def test_an_unregistered_listener_gets_nothing() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock, per_minute=1)
    changes.add(listener)
    changes.changed([TOOLS, PROMPTS])
    clock.pass_to(0.1)
    changes.changed([TOOLS])
    changes.remove(listener)
    changes.remove(listener)
    clock.pass_to(1000)
    assert listener.changes == [TOOLS]


def test_the_rate_is_limited_and_the_last_change_arrives() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock, delay=0, per_minute=3)
    changes.add(listener)
    for second in range(60):
        clock.pass_to(second)
        changes.changed([TOOLS])
    # Three at once, and then three a minute.
    assert [when for when, _ in listener.received] == [0, 1, 2, 20, 40]
    clock.pass_to(1000)
    assert [round(when) for when, _ in listener.received][5:] == [60]


def test_queued_changes_are_sent_once_and_in_order() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock, delay=0, per_minute=1)
    changes.add(listener)
    resources = [resource_updated(f"a://{number}") for number in range(3)]
    for _ in range(5):
        changes.changed(resources)
    assert listener.changes == resources[:1]
    clock.pass_to(1000)
    assert listener.changes == [resources[0], resources[1], resources[2], resources[0]]


def test_after_a_pause_the_burst_is_as_large_as_at_first() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock, delay=0, per_minute=2)
    changes.add(listener)
    clock.pass_to(10_000)
    for _ in range(3):
        changes.changed([TOOLS])
    assert len(listener.received) == 2


def test_a_listener_over_its_limit_does_not_delay_another() -> None:
    clock = Clock()
    busy, calm, changes = Listener(clock), Listener(clock, PROMPTS), list_changes(clock, delay=0, per_minute=1)
    changes.add(busy)
    changes.add(calm)
    for _ in range(3):
        changes.changed([TOOLS])
    changes.changed([PROMPTS])
    assert calm.received == [(0, PROMPTS)]


def test_the_queue_of_a_client_is_bounded_and_drops_the_oldest_update_but_no_list() -> None:
    clock, dropped = Clock(), list[int]()
    settings = Settings(list_changed_delay=0, changes_per_minute=1, max_queued_changes=3)
    listener, changes = Listener(clock), ListChanges(settings, clock, dropped.append)
    changes.add(listener)
    resources = [resource_updated(f"a://{number}") for number in range(6)]
    changes.changed([PROMPTS, TOOLS])
    for resource in resources:
        changes.changed([resource])
    assert sum(dropped) == 4
    clock.pass_to(1000)
    assert listener.changes == [PROMPTS, TOOLS, *resources[4:]]


def test_a_change_may_have_its_own_delay_and_is_sent_with_the_waiting_ones() -> None:
    clock = Clock()
    listener, changes = Listener(clock), list_changes(clock, delay=0.1)
    changes.add(listener)
    changes.changed([TOOLS], delay=5)
    clock.pass_to(4)
    assert listener.received == []
    clock.pass_to(6)
    changes.changed([TOOLS])
    changes.changed([PROMPTS], delay=0)
    clock.pass_to(10)
    assert [(round(when, 1), change) for when, change in listener.received] == [(5, TOOLS), (6, TOOLS), (6, PROMPTS)]
    changes.changed([TOOLS], delay=5)
    changes.changed([PROMPTS])
    clock.pass_to(20)
    assert [(round(when, 1), change) for when, change in listener.received[3:]] == [(10.1, TOOLS), (10.1, PROMPTS)]


def test_an_update_of_a_part_is_an_update_of_the_whole() -> None:
    for subscribed, uri, covered in (
        ("a://b/c", "a://b/c", True),
        ("a://b/c", "a://b/c/d/e", True),
        ("a://b/", "a://b/c", True),
        ("a://b/c", "a://b/cd", False),
        ("a://b/c/d", "a://b/c", False),
        ("", "a://b", False),
    ):
        assert covers({subscribed}, uri) is covered
        assert not covers(set(), uri)
