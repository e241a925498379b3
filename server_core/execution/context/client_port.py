"""What a running function reaches its client through, and what each part of its context is made of."""

from typing import TYPE_CHECKING, Any, Protocol

from server_core.protocol.jsonrpc import RequestId
from server_core.protocol.revisions import Revision

if TYPE_CHECKING:
    from server_core.execution.context.context import Context


class ClientPort(Protocol):
    """What a running tool may reach of its client.

    Attributes:
        revision: the revision that was negotiated.
        capabilities: what the client declared.
        client_info: how the client named itself.
        session_key: the session's name for people.
        session_id: names the session and no other; over HTTP its `Mcp-Session-Id`. None for a request without one.
        principal: who the client has proved to be; empty for nobody.
        is_local: the client and the server were started by the same person, on the same machine.
        log_level: the least severe level that the client wants; None for no log messages.
        is_full: the client has to take something before more should be sent.
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
        """Ask the client and return its result.

        Args:
            method: a request method of the client.
            params: its params.
            related: the id of the client's request that is being served.
            timeout: seconds to wait for the answer.
            key: names the question, where questions travel in results; made from its order where it is empty.

        Raises:
            RemoteError: when the client answers with an error.
            ContextError: when no answer comes in time, or the client is gone.
        """

    def notify(self, method: str, params: dict[str, Any], *, related: RequestId | None) -> None:
        """Tell the client something; never waits."""

    async def drain(self) -> None:
        """Wait until the client has taken enough that more may be sent."""

    def close_stream(self, *, related: RequestId, retry_ms: int) -> None:
        """Let go of the connection that waits for a call, where the client knows how to come back; else do nothing.

        Args:
            related: the id of the client's request that is being served.
            retry_ms: how long the client should wait before it comes back, in milliseconds.
        """


class Namespace:
    """One part of a context, as `context.log`.

    Args:
        context: of the call.
    """

    def __init__(self, context: "Context") -> None:
        self._context = context
