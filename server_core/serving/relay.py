"""The relay: any other MCP server, behind our tap; each session of a client has its own connection to it."""

from collections.abc import Mapping

from server_core.protocol.headers import HeaderParameters
from server_core.records.tap import Tap
from server_core.serving.relay_connection import Dial
from server_core.serving.relay_session import RelaySession
from server_core.serving.session_info import SessionInfo, SessionRegistry
from server_core.transports.channel import Outlet


class Relay:
    """Another server, as a :class:`ToolSource`; `dial` connects to it."""

    def __init__(self, tap: Tap, dial: Dial) -> None:
        self.tap = tap
        self._dial = dial
        self._sessions: SessionRegistry[RelaySession] = SessionRegistry()

    @property
    def sessions(self) -> Mapping[str, RelaySession]:
        """The sessions by key: all that are open, and the last that were closed."""
        return self._sessions.sessions

    def open_session(
        self, outlet: Outlet, transport: str, *, peer_name: str = "", principal: str = "", id: str = ""
    ) -> RelaySession:
        info = SessionInfo(self.tap, self._sessions.next_key(), transport, peer_name, id, principal=principal)
        session = RelaySession(self._dial, info, outlet, self._sessions.closed)
        self._sessions.add(session)
        return session

    @property
    def may_ask_for_tokens(self) -> bool:
        """No: there is no app."""
        return False

    @property
    def is_relayed(self) -> bool:
        """Yes: the other server may require scopes that our authorization servers do not know."""
        return True

    async def gate(self) -> None:
        """Return None: access is configured by the settings alone."""

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Empty: the other server cannot allow origins."""
        return frozenset()

    def header_parameters(self, tool: str) -> HeaderParameters:
        """Return none: the other server checks the headers of calls."""
        return {}

    async def wait_closed(self) -> None:
        """Wait until the connections of all closed sessions are closed, and their child processes have ended."""
        for session in list(self.sessions.values()):
            if session.closed:
                await session.wait_closed()
