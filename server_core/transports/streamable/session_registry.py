"""All MCP sessions of one endpoint: opening, finding, restoring after a restart, and closing."""

import asyncio
import secrets
from operator import attrgetter
from typing import TYPE_CHECKING

from server_core.transports.source import SessionSource
from server_core.transports.streamable.event_store import GET_STREAM, EventStore
from server_core.transports.streamable.expiring_map import ExpiringMap
from server_core.transports.streamable.http_session import HttpSession

if TYPE_CHECKING:
    from server_core.settings import Settings


class HttpSessions:
    """The sessions of one endpoint."""

    def __init__(self, source: SessionSource, settings: "Settings", store: EventStore) -> None:
        self._source = source
        self._settings = settings
        self._store = store
        self._sessions: ExpiringMap[str, HttpSession] = ExpiringMap(
            settings.session_idle_timeout,
            attrgetter("in_use"),
            self._end,
            HttpSession.save_state,
            settings.cleanup_interval,
        )

    def open(self, peer_name: str, principal: str = "") -> HttpSession | None:
        """Open a session; None when the maximum number is reached, and all are in use."""
        return self._add(secrets.token_urlsafe(24), peer_name, principal)

    def find(self, session_id: str, principal: str = "") -> HttpSession | None:
        """Return the session with this id, if it exists and belongs to this user, and mark it as used."""
        session = self._sessions.peek(session_id)
        if session is None or session.principal != principal:
            return None
        self._sessions.use(session_id)
        return session

    async def restore(self, session_id: str, principal: str, peer_name: str) -> HttpSession | None:
        """Restore a session of a previous server, if the store has its state and it belongs to this user."""
        state = await self._store.load_session(session_id)
        if (known := self._sessions.peek(session_id)) is not None:  # Another request of the client was faster.
            return known if known.principal == principal else None
        if state is None or state["principal"] != principal:
            return None
        session = self._add(session_id, peer_name, principal)
        if session is not None:
            session.serving.restore_state(state["session"])
            replay = await self._store.after(session_id, GET_STREAM, 0)
            session.get_stream.delivered = replay.events[-1][0] if replay is not None and replay.events else 0
        return session

    def close(self, session: HttpSession) -> None:
        """Close a session; its id is invalid from now on."""
        self._sessions.pop(session.id)
        self._end(session)

    async def settle(self, grace: float) -> None:
        await asyncio.gather(*(session.serving.settle(grace) for session in self._sessions if session.serving.busy))

    def close_all(self) -> None:
        """Close every session, because the server ends; a persistent store keeps their state."""
        for session in self._sessions.clear():
            session.close()

    def _add(self, session_id: str, peer_name: str, principal: str) -> HttpSession | None:
        if not self._sessions.make_room(self._settings.max_sessions):
            return None
        most = self._settings.max_queued_messages
        # The session needs an outlet, and the outlet its session, so `serving` is set afterwards.
        session = HttpSession(session_id, principal, most, self._store, self._end_soon)
        session.serving = self._source.open_session(
            session, "http", peer_name=peer_name, principal=principal, id=session_id
        )
        self._sessions.add(session_id, session)
        return session

    def _end_soon(self, session: HttpSession) -> None:
        self._sessions.pop(session.id)
        # Not at once, because the session itself calls this while it processes a message.
        asyncio.get_running_loop().call_soon(self._end, session)

    def _end(self, session: HttpSession) -> None:
        session.close()
        self._store.delete_session(session.id)
