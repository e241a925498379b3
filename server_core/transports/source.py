"""Where a transport gets its sessions, and what it may do with one: the shape of whatever is served.

A transport hands each message to a session, and knows neither who answers it nor how.
"""

from typing import TYPE_CHECKING, Any, Protocol

from server_core.protocol.framing import Oversized
from server_core.protocol.jsonrpc import Message, Request
from server_core.records.tap import Tap
from server_core.transports.channel import Outlet

if TYPE_CHECKING:
    from server_core.protocol.headers import HeaderParameters
    from server_core.resource_server.admission import Gate


class Ongoing(Protocol):
    """One self-contained request that is being served."""

    def cancel(self) -> None:
        """Stop: the client has gone, and nothing it would be sent matters any more; safe to call at any time."""


class ServingSession(Protocol):
    """One client, as its transport sees it."""

    key: str

    @property
    def negotiated(self) -> str:
        """The revision that the handshake agreed on; empty before it is done."""

    @property
    def busy(self) -> bool:
        """Whether a request of the client is still being worked on."""

    @property
    def full(self) -> bool:
        """Whether requests have to be answered before more should be handed on."""

    async def room(self) -> None:
        """Wait until more requests may be handed on; the end of the session ends the wait."""

    def receive(self, data: bytes, message: Message | None = None) -> None:
        """Take one message of the client; never raises.

        Args:
            data: the message as it came.
            message: what it parsed to, when the transport had to look already.
        """

    def exchange(self, data: bytes, request: Request, outlet: Outlet) -> Ongoing:
        """Take one stateless request whose client is reached by an outlet of its own; never raises.

        Its id may be in use already, since clients without a session do not know of each other.

        Args:
            data: the message as it came.
            request: what it parsed to.
            outlet: where everything goes that belongs to it.
        """

    def receive_oversized(self, line: Oversized) -> None:
        """Take what is left of a message that was too long."""

    async def settle(self, grace: float) -> None:
        """Wait until what the client asked for is answered, though it will send nothing more.

        Args:
            grace: at most so many seconds.
        """

    def close(self) -> None:
        """End the session and what runs for it; safe to call twice."""

    def remember(self) -> dict[str, Any] | None:
        """Return what another process needs to go on with this session, JSON-safe; None when none can."""

    def recall(self, facts: dict[str, Any]) -> None:
        """Go on with a session that another process began.

        Args:
            facts: what :meth:`remember` returned there.
        """

    def describe(self) -> dict[str, Any]:
        """Return what people are shown of the session, JSON-safe."""


class SessionSource(Protocol):
    """Where a transport gets its sessions: a server, a relay, or the core around one."""

    tap: Tap

    def open_session(
        self, outlet: Outlet, transport: str, *, peer_name: str = "", principal: str = "", id: str = ""
    ) -> ServingSession:
        """Open a session that answers through the outlet.

        Args:
            outlet: where the session puts its messages.
            transport: the name of the transport, shown to people.
            peer_name: who is at the other end, as far as the transport can tell.
            principal: who has proved to be there, where somebody has; what a client leaves with us is bound to it.
            id: names the session and no other, where the transport names it; made up when not given.
        """


class ToolSource(SessionSource, Protocol):
    """What HTTP serves: it looks at the headers of a call before the call is served."""

    @property
    def allowed_origins(self) -> frozenset[str]:
        """The web pages from elsewhere that may send requests, in lower case."""

    @property
    def may_ask_for_tokens(self) -> bool:
        """Whether an app may say who is let in, as far as that is known before it is loaded."""

    @property
    def is_relayed(self) -> bool:
        """Whether its answers are those of another server, so that what they ask for is no matter of ours."""

    async def gate(self) -> "Gate | None":
        """Return who is let in, once that is known; None where that is not said here."""

    def header_parameters(self, tool: str) -> "HeaderParameters":
        """Return the headers that repeat arguments of a tool; empty where there are none, or no such tool."""
