"""What the server tells of its own accord: lists that have changed, and resources that have new contents.

Changes are gathered for a moment, and what changes again meanwhile is told once; a client that has been told much waits
longer, and hears the last state of it then.

Rule 1: nothing here waits, and everything runs on the event loop's thread.
Rule 2: a change is told or waits to be told, and none waits twice. So much may wait for one client; where it is more,
the resource that has waited longest gives way, never a list, and whoever looks at the records sees how many that were.
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
    """Something that clients may want to look at anew.

    Attributes:
        method: the notification that tells it.
        uri: of the resource; empty for a list.
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
    """Somebody who is told of changes."""

    def wants(self, change: Change) -> bool:
        """Whether this change shall be told."""

    def notify_change(self, change: Change) -> None:
        """Send the notification."""


class Timers(Protocol):
    """The part of an event loop that knows of time."""

    def time(self) -> float:
        """Return seconds that only grow."""

    def call_later(self, delay: float, callback: Callable[[], None], /) -> object:
        """Call back in so many seconds."""


class ListChanges:
    """Who is told of changes, and what waits to be told.

    Args:
        settings: how long changes are gathered, and how many a client is told of.
        timers: what measures time; the running event loop when not given.
        on_dropped: told how many changes are not told to one client, because too many wait for it.
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
        """When that is told."""

    def add(self, one: Audience) -> None:
        """Tell somebody from now on what they want to know; safe to call twice."""
        self._audience.setdefault(one)

    def remove(self, one: Audience) -> None:
        """Tell somebody nothing more; safe to call twice."""
        self._audience.pop(one, None)

    def changed(self, changes: Iterable[Change], delay: float | None = None) -> None:
        """Note what has changed; it is told soon.

        Args:
            changes: what has changed.
            delay: seconds for which changes are gathered; as the settings say when not given, and 0 for not at all.
                What is gathered already is told when it would have been, or sooner.
        """
        self._gathered.update(dict.fromkeys(changes))
        delay = self._delay if delay is None else delay
        if delay <= 0:
            self._notify()
        elif self._gathered and (due := self._clock.time() + delay) < self._due:
            # From the first change on, so that a list which never rests is told of as well.
            self._due = due
            self._clock.call_later(delay, lambda: self._notify_at(due))

    @property
    def _clock(self) -> Timers:
        return self._timers or asyncio.get_running_loop()

    def _notify_at(self, due: float) -> None:
        if due == self._due:  # Else it was told sooner.
            self._notify()

    def _notify(self) -> None:
        changes, self._gathered, self._due = self._gathered, {}, math.inf
        for one in list(self._audience):
            if wanted := [change for change in changes if one.wants(change)]:
                self._post(one, wanted)

    def _post(self, one: Audience, changes: list[Change]) -> None:
        if not self._per_minute:
            for change in changes:
                one.notify_change(change)
            return
        post = self._audience.get(one)
        if post is None:
            post = self._audience[one] = _Post(self._per_minute, self._clock.time())
        post.waiting.update(dict.fromkeys(changes))
        self._deliver(one)
        if dropped := post.shorten(self._most):
            self._on_dropped(dropped)

    def _deliver(self, one: Audience) -> None:
        post = self._audience.get(one)
        if post is None:
            return  # It has left.
        for change in post.take(self._clock.time()):
            one.notify_change(change)
        if post.waiting and not post.is_due:
            post.is_due = True
            self._clock.call_later(post.patience, lambda: self._deliver_late(one))

    def _deliver_late(self, one: Audience) -> None:
        if (post := self._audience.get(one)) is not None:
            post.is_due = False
            self._deliver(one)


class _Post:
    """What waits to be told to one client, who may be told only so much in a minute.

    Args:
        per_minute: how much; so much at once, too, after a minute without any.
        now: seconds that only grow.
    """

    __slots__ = ("_allowed", "_at", "_per_minute", "is_due", "waiting")

    def __init__(self, per_minute: int, now: float) -> None:
        self.waiting: dict[Change, None] = {}
        self.is_due = False
        """A timer will look at it."""
        self._per_minute = per_minute
        self._allowed = float(per_minute)
        self._at = now

    def take(self, now: float) -> list[Change]:
        """Return what may be told now, in the order of its first change."""
        self._allowed = min(self._per_minute, self._allowed + (now - self._at) * self._per_minute / 60)
        self._at = now
        # A little less than a whole one counts: timers fire a moment early.
        taken = list(self.waiting)[: int(self._allowed + 1e-3)]
        self._allowed -= len(taken)
        for change in taken:
            del self.waiting[change]
        return taken

    def shorten(self, most: int) -> int:
        """Let the updates that have waited longest go until no more than so many wait, and return how many went."""
        excess = len(self.waiting) - most
        if excess <= 0:
            return 0
        gone = list(islice((change for change in self.waiting if change.uri), excess))
        for change in gone:
            del self.waiting[change]
        return len(gone)

    @property
    def patience(self) -> float:
        """The seconds until the next may be told."""
        return (1 - self._allowed) * 60 / self._per_minute


def covers(subscribed: Set[str], uri: str) -> bool:
    """Return whether a resource, or one that it is part of, is among those that were subscribed to.

    Args:
        subscribed: addresses of resources.
        uri: the address of the resource that has new contents.

    Source: server/resources, subscriptions: the update may be of a part of the resource that was subscribed to.
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
