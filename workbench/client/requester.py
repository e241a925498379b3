"""The interface of the dialogue that multi-round requests and tasks use."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from server_core.errors import RemoteError, WorkbenchError
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.transports.channel import SessionGone
from workbench.client.session_handshake import HandshakeResult

RecoverableError = RemoteError | SessionGone  # The request can perhaps be sent again.


class Refused(WorkbenchError):
    """A request for input was refused, and so the request was not sent again."""


class Requester(Protocol):
    """Sends requests to one server."""

    @property
    def handshake(self) -> HandshakeResult: ...

    def start_request(self, method: str, params: Params | None) -> tuple[RequestId, asyncio.Future[dict[str, Any]]]:
        """Send a request; return its id and a future for its result.

        Raises:
            ConnectionFailed: when the session is closed.
            TypeError, ValueError: when the params cannot be converted to JSON.
        """
        ...

    async def request_once(self, method: str, params: Params | None) -> dict[str, Any]:
        """Send a request and return the first response; cancelling the awaiting task cancels the request."""
        ...

    def abandon(self, request_id: RequestId, reason: str) -> None: ...

    async def pause(self, seconds: float) -> None:
        """Wait for a while; ConnectionFailed when the connection is closed meanwhile."""
        ...

    async def request_input(self, requests: Mapping[str, Any], call: RequestId) -> dict[str, Any]:
        """Ask all input requests of a call, by the id of its first round; Refused if one of them is refused."""
        ...

    async def recover(
        self, method: str, error: RecoverableError, attempts: int, handshake: HandshakeResult, call: RequestId
    ) -> bool:
        """Resolve an error so that the request can be sent again; False when that is not possible.

        `attempts` is how often the request has met the error, `handshake` that of its session, `call` its first
        round.
        """
        ...
