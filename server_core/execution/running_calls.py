"""Track the running calls, so that output can be attributed to the call that wrote it.

Standard output belongs to the whole process, so this is global state. Calls are compared by identity: clients without
a session may use the same id at the same time.
"""

from collections.abc import Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType


@dataclass(slots=True, eq=False)
class RunningCall:
    """One call of a client that is in progress.

    Attributes:
        session: the key of its session.
        name: the name of its request in records; the latest request if the call spans several.
    """

    session: str
    name: str


NO_CALL = RunningCall("", "")

current: ContextVar[RunningCall] = ContextVar("current_call", default=NO_CALL)
"""The call that the current task or thread works on."""

_running: dict[RunningCall, None] = {}
_watchers: list[Callable[[RunningCall], None]] = []


class running:
    """Mark the code in the `with` block as part of a call.

    Args:
        call: the call.
    """

    __slots__ = ("_call", "_token")

    _token: Token[RunningCall]

    def __init__(self, call: RunningCall) -> None:
        self._call = call

    def __enter__(self) -> None:
        self._token = current.set(self._call)
        _running[self._call] = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for watcher in _watchers:
            watcher(self._call)
        _running.pop(self._call, None)
        current.reset(self._token)


def sole_call() -> RunningCall:
    """Return the running call if there is exactly one, else :data:`NO_CALL`."""
    calls = list(_running)
    return calls[0] if len(calls) == 1 else NO_CALL


def watch_call_ends(watcher: Callable[[RunningCall], None]) -> Callable[[], None]:
    """Register a function to be called just before each call ends; return a function that unregisters it."""
    _watchers.append(watcher)
    return lambda: _watchers.remove(watcher)
