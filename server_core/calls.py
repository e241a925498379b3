"""Which call runs here: asked by whoever finds output and wants to know whose it is.

Standard output belongs to the whole process, so this is the state of the process and of no object in it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class RunningCall(NamedTuple):
    """One request of a client that is being worked on.

    Attributes:
        session: the key of its session.
        id: JSON text of the request's id.
    """

    session: str
    id: str


NO_CALL = RunningCall("", "")

current: ContextVar[RunningCall] = ContextVar("current_call", default=NO_CALL)
"""The call that this task, or this thread of a call, works on."""

_running: dict[RunningCall, None] = {}
_watchers: list[Callable[[RunningCall], None]] = []


@contextmanager
def running(session: str, id: str) -> Iterator[None]:
    """Say that what happens within belongs to this call."""
    call = RunningCall(session, id)
    token = current.set(call)
    _running[call] = None
    try:
        yield
    finally:
        for watcher in _watchers:
            watcher(call)
        _running.pop(call, None)
        current.reset(token)


def only_one() -> RunningCall:
    """Return the call in flight when it is the only one, else :data:`NO_CALL`."""
    calls = list(_running)
    return calls[0] if len(calls) == 1 else NO_CALL


def watch_ends(watcher: Callable[[RunningCall], None]) -> Callable[[], None]:
    """Call the watcher just before each call ends; return what stops that."""
    _watchers.append(watcher)
    return lambda: _watchers.remove(watcher)
