"""Notifications of changes: lists that have changed, and resources that have new contents.

Changes are collected for a moment, and repeated changes are sent as one notification. The rate of notifications to a
client is limited; a client over the limit gets the last state later.

Rule 1: nothing here blocks, and everything runs on the event loop's thread.
Rule 2: a change is sent or queued, and is queued only once. The queue of a client is bounded: when it is full, the
resource updates that have waited longest are dropped, never a list change, and their number is recorded.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Set
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from server_core.settings import Settings

LISTS = ("tools", "resources", "prompts")


class Change(NamedTuple):
    """A change that clients are notified of, and the method of the notification."""

    method: str
    uri: str = ""  # The URI of the resource; empty for a list.


def list_changed(kind: str) -> Change:
    """Return the change of a list: of tools, resources or prompts."""
    return Change(f"notifications/{kind}/list_changed")


def resource_updated(uri: str) -> Change:
    """Return the change of a resource's contents."""
    return Change("notifications/resources/updated", uri)


class ChangeListener(Protocol):
    """A client, or a request of a client, that is notified of changes."""

    def wants(self, change: Change) -> bool:
        """Whether to send this change."""

    def notify_change(self, change: Change) -> None:
        """Send the notification."""


class Timers(Protocol):
    """The clock and the timers of an event loop."""

    def time(self) -> float:
        """Return the time of a monotonic clock, in seconds."""

    def call_later(self, delay: float, callback: Callable[[], None], /) -> object:
        """Call the callback after so many seconds."""


class ListChanges:
    """The listeners for changes, and the changes queued for them; `on_dropped` gets the number of dropped ones."""

    def __init__(
        self,
        settings: "Settings",
        timers: Timers | None = None,
        on_dropped: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._delay = settings.list_changed_delay
        # 0 for no limit.
        self._per_minute = settings.changes_per_minute
        self._most = settings.max_queued_changes
        self._on_dropped = on_dropped
        self._timers = timers
        self._listeners: dict[ChangeListener, _ChangeQueue | None] = {}
        self._collected: dict[Change, None] = {}
        # When the collected changes are sent, by the clock.
        self._due = math.inf

    def add(self, listener: ChangeListener) -> None:
        """Register a listener; safe to call twice."""
        self._listeners.setdefault(listener)

    def remove(self, listener: ChangeListener) -> None:
        """Unregister a listener; safe to call twice."""
        self._listeners.pop(listener, None)

    def changed(self, changes: Iterable[Change], delay: float | None = None) -> None:
        """Notify listeners of changes soon, after collecting for so many seconds; None is the settings' value.

        The delay never applies to changes that are collected already.
        """
        self._collected.update(dict.fromkeys(changes))
        delay = self._delay if delay is None else delay
        if delay <= 0:
            self._notify()
        elif self._collected and (due := self._clock.time() + delay) < self._due:
            # Counted from the first change, so that a list that changes all the time is reported as well.
            self._due = due
            self._clock.call_later(delay, lambda: self._notify_at(due))

    @property
    def _clock(self) -> Timers:
        return self._timers or asyncio.get_running_loop()

    def _notify_at(self, due: float) -> None:
        if due == self._due:  # Else the changes were sent earlier.
            self._notify()

    def _notify(self) -> None:
        changes, self._collected, self._due = self._collected, {}, math.inf
        for listener in list(self._listeners):
            if wanted := [change for change in changes if listener.wants(change)]:
                self._enqueue(listener, wanted)

    def _enqueue(self, listener: ChangeListener, changes: list[Change]) -> None:
        if not self._per_minute:
            for change in changes:
                listener.notify_change(change)
            return
        queue = self._listeners.get(listener)
        if queue is None:
            queue = self._listeners[listener] = _ChangeQueue(self._per_minute, self._clock.time())
        queue.changes.update(dict.fromkeys(changes))
        self._deliver(listener)
        if dropped := queue.shorten(self._most):
            self._on_dropped(dropped)

    def _deliver(self, listener: ChangeListener) -> None:
        queue = self._listeners.get(listener)
        if queue is None:
            return  # It was unregistered.
        for change in queue.pop_allowed(self._clock.time()):
            listener.notify_change(change)
        if queue.changes and not queue.has_timer:
            queue.has_timer = True
            self._clock.call_later(queue.seconds_to_next, lambda: self._deliver_late(listener))

    def _deliver_late(self, listener: ChangeListener) -> None:
        if (queue := self._listeners.get(listener)) is not None:
            queue.has_timer = False
            self._deliver(listener)


class _ChangeQueue:
    """The queued changes of one listener, with a token bucket as rate limit.

    After a minute without changes, as many may be sent at once as otherwise in a minute.
    """

    __slots__ = ("_allowed", "_per_minute", "_updated", "changes", "has_timer")

    def __init__(self, per_minute: int, now: float) -> None:
        self.changes: dict[Change, None] = {}
        self.has_timer = False
        self._per_minute = per_minute
        self._allowed = float(per_minute)
        self._updated = now

    def pop_allowed(self, now: float) -> list[Change]:
        """Remove and return the changes that may be sent now, in the order of their first occurrence."""
        self._allowed = min(self._per_minute, self._allowed + (now - self._updated) * self._per_minute / 60)
        self._updated = now
        # Rounded up a little, since timers fire a moment early.
        ready = list(self.changes)[: int(self._allowed + 1e-3)]
        self._allowed -= len(ready)
        for change in ready:
            del self.changes[change]
        return ready

    def shorten(self, most: int) -> int:
        """Drop the updates that have waited longest until `most` changes are left, and return how many were dropped."""
        excess = len(self.changes) - most
        if excess <= 0:
            return 0
        dropped = list(islice((change for change in self.changes if change.uri), excess))
        for change in dropped:
            del self.changes[change]
        return len(dropped)

    @property
    def seconds_to_next(self) -> float:
        """The seconds until the next change may be sent."""
        return (1 - self._allowed) * 60 / self._per_minute


def covers(subscribed: Set[str], uri: str) -> bool:
    """Return whether there is a subscription for the URI of a resource or for a parent of it.

    Source: server/resources, subscriptions: an update may be of a sub-resource of the subscribed resource.
    """
    if not subscribed:
        return False
    if uri in subscribed:
        return True
    end = uri.rfind("/")
    while end > 0:
        if uri[:end] in subscribed or uri[: end + 1] in subscribed:
            return True
        end = uri.rfind("/", 0, end)
    return False
