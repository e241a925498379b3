"""The call of another terminal of the same core, during which a question was asked."""

from dataclasses import dataclass

from server_core.protocol.jsonrpc import RequestId


@dataclass
class CallElsewhere:
    """A call of another terminal, as the core has described it."""

    tool: str  # Empty if the core does not know it.
    session: str  # The key of the session of the other terminal.
    request_id: RequestId  # Of the call; empty if the core does not know it.
    deadline: float | None = None  # When the server gives up, in seconds since the epoch; None if unknown.

    def __str__(self) -> str:
        number = f" id {self.request_id}" if self.request_id != "" else ""
        return f"{self.tool or 'a tool'}{number} in another terminal"
