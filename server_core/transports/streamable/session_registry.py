"""All MCP sessions of one endpoint: opening, finding, restoring after a restart, and deleting.

A session that is closed can be restored by the next process; a session that is deleted cannot.
"""

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
    """The sessions of one endpoint, by id; the principal of a request is empty without authentication."""

    def __init__(self, source: SessionSource, settings: "Settings", store: EventStore) -> None:
        self._source = source
        self._settings = settings
        self._store = store
        self._sessions: ExpiringMap[str, HttpSession] = ExpiringMap(
            settings.session_idle_timeout,
            attrgetter("in_use"),
            on_expired=self._close_and_delete,
            on_used=HttpSession.save_state,
            every=settings.cleanup_interval,
        )

    def open(self, peer_name: str, principal: str = "") -> HttpSession | None:
        """Open a session, if necessary in place of an idle session; None when the maximum number are in use."""
        return self._add(secrets.token_urlsafe(24), peer_name, principal)

    def find(self, session_id: str, principal: str = "") -> HttpSession | None:
        """Return the session with this id, if it exists and belongs to the principal, and mark it as used."""
        session = self._sessions.peek(session_id)
        if session is None or session.principal != principal:
            return None
        self._sessions.use(session_id)
        return session

    async def restore(self, session_id: str, principal: str, peer_name: str) -> HttpSession | None:
        """Restore a session of a previous process, if the store has its state and it belongs to the principal."""
        state = await self._store.load_session(session_id)
        # It belongs to another principal, or another request of the client has restored it in the meantime.
        if (existing := self._sessions.peek(session_id)) is not None:
            return existing if existing.principal == principal else None
        if state is None or state["principal"] != principal:
            return None
        session = self._add(session_id, peer_name, principal)
        if session is not None:
            session.serving.restore_state(state["session"])
            # The stored messages of the GET stream count as delivered; a client that missed some asks for them.
            replay = await self._store.after(session_id, GET_STREAM, 0)
            session.get_stream.delivered = replay.events[-1][0] if replay is not None and replay.events else 0
        return session

    def delete(self, session: HttpSession) -> None:
        """Close a session and delete its stored state; its id is invalid from now on."""
        self._sessions.pop(session.id)
        self._close_and_delete(session)

    async def settle(self, grace: float) -> None:
        """Wait for the running calls of all sessions to end, for at most `grace` seconds."""
        await asyncio.gather(*(session.serving.settle(grace) for session in self._sessions if session.serving.busy))

    def close_all(self) -> None:
        """Close every session when the server ends, but leave their state in the store for the next process."""
        for session in self._sessions.clear():
            session.close()

    def _add(self, session_id: str, peer_name: str, principal: str) -> HttpSession | None:
        if not self._sessions.make_room(self._settings.max_sessions):
            return None
        queue_limit = self._settings.max_queued_messages
        # The serving session needs its outlet, which is the HTTP session, so `serving` is set afterwards.
        session = HttpSession(session_id, principal, queue_limit, self._store, self._delete_soon)
        session.serving = self._source.open_session(
            session, "http", peer_name=peer_name, principal=principal, id=session_id
        )
        self._sessions.add(session_id, session)
        return session

    def _delete_soon(self, session: HttpSession) -> None:
        self._sessions.pop(session.id)
        # Not now, because the session itself calls this, and it may be processing a message.
        asyncio.get_running_loop().call_soon(self._close_and_delete, session)

    def _close_and_delete(self, session: HttpSession) -> None:
        # It is no longer in the map.
        session.close()
        self._store.delete_session(session.id)
