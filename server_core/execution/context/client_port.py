"""The interface from a running function to its client, and the base class of the parts of a context."""

from typing import TYPE_CHECKING, Any, Protocol

from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import Revision

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


class ClientPort(Protocol):
    """The connection from a running tool to its client.

    Attributes:
        revision: the negotiated revision.
        capabilities: the capabilities that the client declared.
        client_info: the client's own name and version.
        session_key: the session's name in the workbench.
        session_id: the unique id of the session; over HTTP its `Mcp-Session-Id`. None for a request without a session.
        principal: the authenticated identity of the client; empty if it is not authenticated.
        is_local: whether the same user started the client and the server on the same machine.
        log_level: the least severe level that the client wants; None for no log messages.
        is_full: whether the send buffer is full, so that callers should wait for :meth:`drain`.
    """

    @property
    def revision(self) -> Revision: ...
    @property
    def capabilities(self) -> dict[str, Any]: ...
    @property
    def client_info(self) -> dict[str, Any]: ...
    @property
    def session_key(self) -> str: ...
    @property
    def session_id(self) -> str | None: ...
    @property
    def principal(self) -> str: ...
    @property
    def is_local(self) -> bool: ...
    @property
    def log_level(self) -> str | None: ...
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
            ContextError: when no answer comes in time, or the client has disconnected.
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
