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
    """A change that clients are notified of.

    Attributes:
        method: the method of the notification.
        uri: the URI of the resource; empty for a list.
    """

    method: str
    uri: str = ""


def list_changed(kind: str) -> Change:
    """Return the change of a list: of tools, resources or prompts."""
    return Change(f"notifications/{kind}/list_changed")


def resource_updated(uri: str) -> Change:
    """Return the change of a resource's contents."""
    return Change("notifications/resources/updated", uri)


class Audience(Protocol):
    """A receiver of notifications of changes."""

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
    """The listeners for changes, and the changes that are queued for them.

    Args:
        settings: how long changes are collected, and the rate limit of a client.
        timers: the clock; the running event loop by default.
        on_dropped: called with the number of changes that were dropped because the queue of a client is full.
    """

    def __init__(
        self,
        settings: "Settings",
        timers: Timers | None = None,
        on_dropped: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._delay = settings.list_changed_delay
        self._per_minute = settings.changes_per_minute
        self._most = settings.max_queued_changes
        self._on_dropped = on_dropped
        self._timers = timers
        self._audience: dict[Audience, _Post | None] = {}
        self._gathered: dict[Change, None] = {}
        self._due = math.inf
        """When the collected changes are sent."""

    def add(self, listener: Audience) -> None:
        """Register a listener; safe to call twice."""
        self._audience.setdefault(listener)

    def remove(self, listener: Audience) -> None:
        """Unregister a listener; safe to call twice."""
        self._audience.pop(listener, None)

    def changed(self, changes: Iterable[Change], delay: float | None = None) -> None:
        """Notify listeners of changes soon.

        Args:
            changes: the changes.
            delay: how many seconds to collect changes; the settings' value by default, and 0 for not at all.
                Changes that are collected already are never delayed by this.
        """
        self._gathered.update(dict.fromkeys(changes))
        delay = self._delay if delay is None else delay
        if delay <= 0:
            self._notify()
        elif self._gathered and (due := self._clock.time() + delay) < self._due:
            # Counted from the first change, so that a list that changes all the time is reported, too.
            self._due = due
            self._clock.call_later(delay, lambda: self._notify_at(due))

    @property
    def _clock(self) -> Timers:
        return self._timers or asyncio.get_running_loop()

    def _notify_at(self, due: float) -> None:
        if due == self._due:  # Else the changes were sent earlier.
            self._notify()

    def _notify(self) -> None:
        changes, self._gathered, self._due = self._gathered, {}, math.inf
        for listener in list(self._audience):
            if wanted := [change for change in changes if listener.wants(change)]:
                self._post(listener, wanted)

    def _post(self, listener: Audience, changes: list[Change]) -> None:
        if not self._per_minute:
            for change in changes:
                listener.notify_change(change)
            return
        post = self._audience.get(listener)
        if post is None:
            post = self._audience[listener] = _Post(self._per_minute, self._clock.time())
        post.waiting.update(dict.fromkeys(changes))
        self._deliver(listener)
        if dropped := post.shorten(self._most):
            self._on_dropped(dropped)

    def _deliver(self, listener: Audience) -> None:
        post = self._audience.get(listener)
        if post is None:
            return  # It was unregistered.
        for change in post.take(self._clock.time()):
            listener.notify_change(change)
        if post.waiting and not post.is_due:
            post.is_due = True
            self._clock.call_later(post.patience, lambda: self._deliver_late(listener))

    def _deliver_late(self, listener: Audience) -> None:
        if (post := self._audience.get(listener)) is not None:
            post.is_due = False
            self._deliver(listener)


class _Post:
    """The queued changes of one listener, with a token bucket as rate limit.

    Args:
        per_minute: how many changes per minute; after a minute without any, so many at once.
        now: the time of a monotonic clock, in seconds.
    """

    __slots__ = ("_allowed", "_at", "_per_minute", "is_due", "waiting")

    def __init__(self, per_minute: int, now: float) -> None:
        self.waiting: dict[Change, None] = {}
        self.is_due = False
        """Whether a timer is set for it."""
        self._per_minute = per_minute
        self._allowed = float(per_minute)
        self._at = now

    def take(self, now: float) -> list[Change]:
        """Remove and return the changes that may be sent now, in the order of their first occurrence."""
        self._allowed = min(self._per_minute, self._allowed + (now - self._at) * self._per_minute / 60)
        self._at = now
        # Round up a little: timers fire a moment early.
        ready = list(self.waiting)[: int(self._allowed + 1e-3)]
        self._allowed -= len(ready)
        for change in ready:
            del self.waiting[change]
        return ready

    def shorten(self, most: int) -> int:
        """Drop the updates that have waited longest until at most so many wait, and return how many were dropped."""
        excess = len(self.waiting) - most
        if excess <= 0:
            return 0
        dropped = list(islice((change for change in self.waiting if change.uri), excess))
        for change in dropped:
            del self.waiting[change]
        return len(dropped)

    @property
    def patience(self) -> float:
        """The seconds until the next change may be sent."""
        return (1 - self._allowed) * 60 / self._per_minute


def covers(subscribed: Set[str], uri: str) -> bool:
    """Return whether there is a subscription for a resource or for a parent of it.

    Args:
        subscribed: URIs of resources.
        uri: the URI of the resource that has new contents.

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
