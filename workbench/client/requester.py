"""What a request over several rounds, or one that became a task, takes of the dialogue that it is a part of."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from server_core.errors import RemoteError, WorkbenchError
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.transports.channel import SessionGone
from workbench.client.handshake import Greeting

Trouble = RemoteError | SessionGone
"""What a request may meet that can perhaps be mended."""


class Refused(WorkbenchError):
    """The server asked for what the client refused, and so the request was not sent again."""


class Requester(Protocol):
    """Sends requests to one server."""

    @property
    def greeting(self) -> Greeting:
        """What the server said of itself when the session began, or began again."""
        ...

    def begin(self, method: str, params: Params | None) -> tuple[RequestId, asyncio.Future[dict[str, Any]]]:
        """Send a request; return its id and what resolves to its result.

        Raises:
            ConnectionFailed: when the session is closed.
            TypeError, ValueError: when the params have no JSON form.
        """
        ...

    async def once(self, method: str, params: Params | None) -> dict[str, Any]:
        """Send a request and return the first answer to it; when the awaiting task is cancelled, so is the request."""
        ...

    def abandon(self, id: RequestId, reason: str) -> None:
        """Stop waiting for an answer, and tell the server so."""
        ...

    async def pause(self, seconds: float) -> None:
        """Wait a while.

        Raises:
            ConnectionFailed: when the server goes away meanwhile.
        """
        ...

    async def inquire(self, requests: Mapping[str, Any], call: RequestId) -> dict[str, Any]:
        """Ask all that a server wants to know, and return the answers by their keys.

        Args:
            requests: what it wants to know.
            call: the id with which the call began that it wants to know it for.

        Raises:
            Refused: when one of them is refused.
        """
        ...

    async def mend(self, method: str, error: Trouble, before: int, greeting: Greeting, call: RequestId) -> bool:
        """Do what makes it worth sending a request again; False when there is nothing to do.

        Args:
            method: of the request.
            error: why it was not served.
            before: how often the request has met the same trouble already.
            greeting: the one under which it was sent.
            call: the id with which it began.
        """
        ...
