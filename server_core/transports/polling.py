"""Calls whose client need not hold a connection: it comes back later for what they still send.

Source: 2025-11-25, basic/transports, Streamable HTTP: the server may close the connection before the answer.
"""

from typing import Protocol, runtime_checkable

from server_core.protocol.jsonrpc import RequestId


@runtime_checkable
class PollingOutlet(Protocol):
    """An outlet that can end the response of a call before its answer."""

    def close_stream(self, related: RequestId, retry_ms: int) -> None:
        """End the response of a call, if its client knows how to come back.

        Args:
            related: the id of the call.
            retry_ms: how long the client should wait before that, in milliseconds.
        """
