"""The requests in flight, and which of them the current code works on, so that output can be attributed to its call.

Standard output belongs to the whole process, so the running calls are global state. Requests are compared by identity:
ids may be reused once a request is cancelled, and clients without a session may use the same id at the same time.
"""

from collections.abc import Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import TYPE_CHECKING

from server_core.protocol.jsonrpc import RequestId

if TYPE_CHECKING:
    from server_core.execution.time_limits import TimeLimit


class RequestState(Enum):
    """The states of a request in flight; the scheduler of its session moves it from one to the next."""

    NEW = "new"
    QUEUED = "queued"
    RUNNING = "running"
    OPEN = "open"
    """It runs, and does not count as running: it waits for its client, or stays open until it is cancelled."""
    RELEASED = "released"
    """It is answered, and continues in the background."""
    STOPPED = "stopped"
    ENDED = "ended"


@dataclass(slots=True, eq=False)
class InFlight:
    """A request of a client in flight; the code in a `with` block of it works on that request."""

    session: str  # The key of its session.
    call: str  # Its name in records; that of the latest request if the call spans several.
    id: RequestId = ""
    method: str = ""
    name: str = ""  # The name or URI of its tool, prompt or resource.
    started: float = 0.0  # In seconds since the epoch.
    state: RequestState = RequestState.NEW
    limits: "list[TimeLimit]" = field(default_factory=list)  # Those that it may exceed at the moment.
    keep_alive: "Callable[[str], bool] | None" = None  # of the progress of a tool's call
    _token: "Token[InFlight] | None" = field(default=None, init=False)

    def __enter__(self) -> None:
        self._token = current.set(self)
        _running[self] = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for watcher in _watchers:
            watcher(self)
        _running.pop(self, None)
        assert self._token is not None
        current.reset(self._token)
        # A token refers to its context, which refers to this object; so does the progress of the call.
        self._token = self.keep_alive = None


NO_CALL = InFlight("", "")

current: ContextVar[InFlight] = ContextVar("current_call", default=NO_CALL)
"""The call that the current task or thread works on."""

_running: dict[InFlight, None] = {}  # An ordered set.
_watchers: list[Callable[[InFlight], None]] = []


def sole_call() -> InFlight:
    """Return the running call if there is exactly one, else :data:`NO_CALL`."""
    calls = list(_running)  # A copy, since other threads print as well.
    return calls[0] if len(calls) == 1 else NO_CALL


def running_call(session: str, request_id: RequestId) -> InFlight | None:
    """Return the running call of a session that has this id; 1 and "1" are different ids."""
    calls = [call for call in list(_running) if call.session == session]
    return next((call for call in calls if call.id == request_id and type(call.id) is type(request_id)), None)


def watch_call_ends(watcher: Callable[[InFlight], None]) -> Callable[[], None]:
    """Register a function to be called just before each call ends; return a function that unregisters it."""
    _watchers.append(watcher)
    return lambda: _watchers.remove(watcher)
