"""Which call runs here: asked by whoever finds output and wants to know whose it is.

Standard output belongs to the whole process, so this is the state of the process and of no object in it. Each call is
itself alone: clients without a session may use one id at the same time.
"""

from collections.abc import Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType


@dataclass(slots=True, eq=False)
class RunningCall:
    """One call of a client that is being worked on.

    Attributes:
        session: the key of its session.
        name: names its request in records; where a call goes on over several requests, the latest of them.
    """

    session: str
    name: str


NO_CALL = RunningCall("", "")

current: ContextVar[RunningCall] = ContextVar("current_call", default=NO_CALL)
"""The call that this task, or this thread of a call, works on."""

_running: dict[RunningCall, None] = {}
_watchers: list[Callable[[RunningCall], None]] = []


class running:
    """Say that what happens within belongs to this call.

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
    """Return the call in flight when it is the only one, else :data:`NO_CALL`."""
    calls = list(_running)
    return calls[0] if len(calls) == 1 else NO_CALL


def watch_call_ends(watcher: Callable[[RunningCall], None]) -> Callable[[], None]:
    """Call the watcher just before each call ends; return what stops that."""
    _watchers.append(watcher)
    return lambda: _watchers.remove(watcher)
