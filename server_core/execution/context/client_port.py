"""The interface from a running function to its client."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import Revision


@dataclass(slots=True, eq=False)
class CallingClient:
    """The client that a call is answered for; shared by a session, its nested calls and its tasks."""

    session_key: str  # The name of the session in records.
    session_id: str | None  # Over HTTP the `Mcp-Session-Id`; None for a request without a session.
    principal: str  # The authenticated identity; empty if the client is not authenticated.
    is_local: bool  # Whether the same user started the client and the server on the same machine.
    revision: Revision
    capabilities: dict[str, Any]  # As the client declared them.
    info: dict[str, Any]  # The name and version that the client gives of itself.
    log_level: str | None  # The least severe level that the client wants; None for no log messages.

    def wants_log(self, level: Any) -> bool:
        """Return whether the client wants log messages of this level; an unknown level is not filtered."""
        if self.log_level is None:
            return False
        return level not in LOG_LEVELS or LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level)


class ClientPort(Protocol):
    """The connection from a running function to its client.

    Every implementation inherits from it; the default methods are those of a client that nothing can be sent to.
    `related` is always the id of the client's request that is being served.
    """

    client: CallingClient

    @property
    def is_full(self) -> bool:
        """Whether the send buffer is full, so that callers should wait for :meth:`drain`."""
        return False

    @property
    def is_reachable(self) -> bool:
        """Whether notifications about the call reach the client now."""
        return True

    async def request(
        self, method: str, params: dict[str, Any], *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Send a request to the client and return its result.

        Args:
            method: a request method of the client.
            params: its params.
            related: see :class:`ClientPort`.
            timeout: seconds to wait for the response.
            key: the key of the request where requests to the client are part of a result; generated if empty.

        Raises:
            RemoteError: when the client responds with an error.
            ContextError: when no response arrives in time, or the client has disconnected.
        """

    def notify(self, method: str, params: dict[str, Any], *, related: RequestId | None) -> None:
        """Send a notification to the client; never waits."""
        return

    async def drain(self) -> None:
        """Wait until the client has read enough that more may be sent."""
        return

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Close the connection that waits for a call if the client can reconnect; else do nothing.

        `retry_ms` is how long the client should wait before it reconnects, in milliseconds.
        """
        return


class InputRequestKeys:
    """The keys of the requests to the client that are part of the results of one call or task.

    They are deterministic, so that a tool that runs again gets the same keys.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()

    def new(self, method: str, requested: str = "") -> str:
        """Return an unused key: as the author requested it, else the name of the method; a number makes it unique."""
        name = requested or method.rpartition("/")[0] or method
        key, count = (name, 1) if requested else (f"{name}-1", 1)
        while key in self._used:
            count += 1
            key = f"{name}-{count}"
        self._used.add(key)
        return key


class ClientWaits:
    """Measures the time in which a call waits for its client: at least one request is open, a `with` block each."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """Of all waits that have ended."""
        self._open = 0
        self._since = 0.0

    def __enter__(self) -> None:
        if not self._open:
            self._since = perf_counter()
        self._open += 1

    def __exit__(self, *error: object) -> None:
        self._open -= 1
        if not self._open:
            self.seconds += perf_counter() - self._since
