"""The interface from a running function to its client, and the base class of the parts of a context."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.methods import LOG_LEVELS
from server_core.protocol.revisions import Revision

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


@dataclass(slots=True, eq=False)
class CallingClient:
    """The client that a call is answered for.

    Attributes:
        session_key: the session's name in the workbench.
        session_id: the unique id of the session; over HTTP its `Mcp-Session-Id`. None for a request without a session.
        principal: the authenticated identity of the client; empty if it is not authenticated.
        is_local: whether the same user started the client and the server on the same machine.
        revision: the negotiated revision.
        capabilities: the capabilities that the client declared.
        info: the client's own name and version.
        log_level: the least severe level that the client wants; None for no log messages.
    """

    session_key: str
    session_id: str | None
    principal: str
    is_local: bool
    revision: Revision
    capabilities: dict[str, Any]
    info: dict[str, Any]
    log_level: str | None

    def wants_log(self, level: Any) -> bool:
        """Whether the client wants log messages of this level; one that is not a level of MCP is not filtered."""
        if self.log_level is None:
            return False
        return level not in LOG_LEVELS or LOG_LEVELS.index(level) >= LOG_LEVELS.index(self.log_level)


class ClientPort(Protocol):
    """The connection from a running function to its client.

    Attributes:
        client: the client.
        is_full: whether the send buffer is full, so that callers should wait for :meth:`drain`.
    """

    @property
    def client(self) -> CallingClient: ...
    @property
    def is_full(self) -> bool: ...

    async def request(
        self, method: str, params: dict[str, Any], *, related: RequestId, timeout: float, key: str = ""
    ) -> dict[str, Any]:
        """Send a request to the client and return its result.

        Args:
            method: a request method of the client.
            params: its params.
            related: the id of the client's request that is being served.
            timeout: seconds to wait for the answer.
            key: the key of the request where requests to the client are part of a result; generated if empty.

        Raises:
            RemoteError: when the client answers with an error.
            ContextError: when no response arrives in time, or the client has disconnected.
        """

    def notify(self, method: str, params: dict[str, Any], *, related: RequestId | None) -> None:
        """Send a notification to the client; never waits."""

    async def drain(self) -> None:
        """Wait until the client has read enough that more may be sent."""

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Close the connection that waits for a call if the client can reconnect; else do nothing.

        Args:
            related: the id of the client's request that is being served.
            retry_ms: how long the client should wait before it reconnects, in milliseconds.
        """


class Namespace:
    """One part of a context, such as `context.log`.

    Args:
        context: the context of the call.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context
