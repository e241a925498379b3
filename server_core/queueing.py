"""The requests of a session that wait for others to end, so that a client may ask for any number at once.

Rule 1: nothing that waits is lost or refused; whoever hands requests on looks at :attr:`RequestQueue.full` and stops
there, so that the client waits instead: what is kept stays bounded.
Rule 2: only requests wait. A cancellation, and the answer to a question of a running call, are served as they come,
and there is room for as many waiting requests as there may be running ones before such a message is held up. What lies
behind still more requests has to wait with them, since reading on would mean to keep without bound what a client sends;
then it is the timeout of the question that ends the wait.
"""

import asyncio

from server_core.protocol.jsonrpc import Request, RequestId


class RequestQueue:
    """First in, first out.

    Args:
        most: from how many on it is full.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._requests: dict[RequestId, Request] = {}
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._requests)

    @property
    def full(self) -> bool:
        """Whether some have to leave before more should be handed on."""
        return len(self._requests) >= self._most

    async def room(self) -> None:
        """Wait until more may be handed on."""
        while self.full:
            self._changed.clear()
            await self._changed.wait()

    def add(self, request: Request) -> None:
        """Let a request wait."""
        self._requests[request.id] = request

    def take(self) -> Request:
        """Take out the request that has waited longest; there must be one."""
        request = self._requests.pop(next(iter(self._requests)))
        self._changed.set()
        return request

    def discard(self, id: RequestId) -> None:
        """Take out a request that nobody wants any more, if it is there."""
        self._requests.pop(id, None)
        self._changed.set()

    def clear(self) -> None:
        """Take out everything."""
        self._requests.clear()
        self._changed.set()
