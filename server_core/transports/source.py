"""The interface between transports and servers: sources of sessions, and the sessions.

A transport passes each message to a session, and does not know how it is served.
"""

from typing import TYPE_CHECKING, Any, Protocol

from server_core.protocol.framing import OversizedLine
from server_core.protocol.jsonrpc import Message, Request
from server_core.records.tap import Tap
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.protocol.headers import HeaderParameters
    from server_core.resource_server.admission import Gate
    from server_core.transports.open_questions import OpenQuestion

TERMINAL = "workbench"
"""The `peer_name` of a terminal's session."""


class RunningRequest(Protocol):
    """A stateless request that is being served."""

    def cancel(self) -> None:
        """Stop, because the client has disconnected and gets no more messages; safe to call at any time."""


class ServingSession(Protocol):
    """The session of one client, from the point of view of its transport."""

    key: str
    id: str  # Unique among the sessions of all servers, and not for display.

    @property
    def negotiated(self) -> str:
        """The negotiated revision; empty before the handshake is done."""

    @property
    def busy(self) -> bool:
        """Whether a request of the client is still being served."""

    @property
    def full(self) -> bool:
        """Whether requests have to be answered before more should be passed to the session."""

    async def wait_for_room(self) -> None:
        """Wait until more requests may be passed to the session; closing the session ends the wait."""

    def receive(self, data: bytes, message: Message | None = None) -> None:
        """Process one message from the client, which may have been parsed already; never raises."""

    def serve_stateless(self, data: bytes, request: Request, outlet: Outlet) -> RunningRequest:
        """Start to serve a stateless request, whose messages all go to a separate outlet; never raises.

        Its id may be in use already, since clients without a session do not know of each other.
        """

    def receive_oversized(self, line: OversizedLine) -> None:
        """Process the start of a message that was too long."""

    async def settle(self, grace: float) -> None:
        """Wait until all requests are answered, at most so many seconds; the client sends nothing more."""

    def close(self) -> None:
        """Close the session and cancel its calls; safe to call twice."""

    def export_state(self) -> dict[str, Any] | None:
        """Return the state from which another process can continue the session, JSON-safe; None if it cannot."""

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore the state that :meth:`export_state` returned in another process."""

    def describe(self) -> dict[str, Any]:
        """Return a description of the session for display, JSON-safe."""

    def questions(self) -> "list[OpenQuestion]":
        """Return the requests for input that wait for the client."""


class SessionSource(Protocol):
    """A source of sessions: a server, a relay, or the core around one of them."""

    tap: Tap

    def open_session(
        self, outlet: Outlet, transport: str, *, peer_name: str = "", principal: str = "", id: str = ""
    ) -> ServingSession:
        """Open a session that sends its messages through the outlet.

        State that is stored for a client is bound to the principal, its authenticated user. The transport may assign
        the id.
        """


class ToolSource(SessionSource, Protocol):
    """A source for HTTP, which checks the headers of a call before the call is served."""

    @property
    def allowed_origins(self) -> frozenset[str]:
        """The origins of other web pages that may send requests, in lower case."""

    @property
    def may_ask_for_tokens(self) -> bool:
        """Whether an app may configure authorization, as far as that is known before it is loaded."""

    @property
    def is_relayed(self) -> bool:
        """Whether the responses are those of another server, whose challenges are not ours to send."""

    async def gate(self) -> "Gate | None":
        """Return the app's authorization of clients, once it is known; None if the app does not configure any."""

    def header_parameters(self, tool: str) -> "HeaderParameters":
        """Return the headers that repeat arguments of a tool; empty if there are none, or no such tool."""
