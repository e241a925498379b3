"""All MCP sessions of one endpoint: opened, found, recalled after a restart, and ended."""

import asyncio
import secrets
from operator import attrgetter
from typing import TYPE_CHECKING

from server_core.transports.source import SessionSource
from server_core.transports.streamable.event_store import STANDING, EventStore
from server_core.transports.streamable.expiring_map import ExpiringMap
from server_core.transports.streamable.sessions import HttpSession

if TYPE_CHECKING:
    from server_core.settings import Settings


class HttpSessions:
    """The sessions of one endpoint.

    Args:
        source: who serves.
        settings: how many there may be, and how long one may be idle.
        store: keeps their events.
    """

    def __init__(self, source: SessionSource, settings: "Settings", store: EventStore) -> None:
        self._source = source
        self._settings = settings
        self._store = store
        self._sessions: ExpiringMap[str, HttpSession] = ExpiringMap(
            settings.session_idle_timeout,
            attrgetter("in_use"),
            self._end,
            HttpSession.keep,
            settings.cleanup_interval,
        )

    def open(self, peer_name: str, principal: str = "") -> HttpSession | None:
        """Open a session; None when there are as many as there may be, and all are in use."""
        return self._add(secrets.token_urlsafe(24), peer_name, principal)

    def find(self, id: str, principal: str = "") -> HttpSession | None:
        """Return the session with this id, if there is one and it is this principal's, and count it as used."""
        session = self._sessions.peek(id)
        if session is None or session.principal != principal:
            return None
        self._sessions.use(id)
        return session

    async def recall(self, id: str, principal: str, peer_name: str) -> HttpSession | None:
        """Return a session that a server before this one has begun, if what is known of it outlived that server.

        Args:
            id: the session's.
            principal: whose it has to be.
            peer_name: who asks for it.
        """
        facts = await self._store.find(id)
        if (known := self._sessions.peek(id)) is not None:  # Another request of the client was faster.
            return known if known.principal == principal else None
        if facts is None or facts["principal"] != principal:
            return None
        session = self._add(id, peer_name, principal)
        if session is not None:
            session.serving.recall(facts["session"])
            kept = await self._store.after(id, STANDING, 0)
            session.get_stream.delivered = kept.events[-1][0] if kept is not None and kept.events else 0
        return session

    def close(self, session: HttpSession) -> None:
        """End a session; its id is unknown from here on."""
        self._sessions.pop(session.id)
        self._end(session)

    async def settle(self, grace: float) -> None:
        """Wait until the calls that run are answered, at most so many seconds."""
        await asyncio.gather(*(one.serving.settle(grace) for one in self._sessions if one.serving.busy))

    def close_all(self) -> None:
        """End every session, because the server ends; a store that outlives it keeps what it knows of them."""
        for session in self._sessions.clear():
            session.close()

    def _add(self, id: str, peer_name: str, principal: str) -> HttpSession | None:
        if not self._sessions.make_room(self._settings.max_sessions):
            return None
        most = self._settings.max_queued_messages
        session = HttpSession(id, principal, most, self._store, self._end_soon)
        session.serving = self._source.open_session(session, "http", peer_name=peer_name, principal=principal, id=id)
        self._sessions.add(id, session)
        return session

    def _end_soon(self, session: HttpSession) -> None:
        self._sessions.pop(session.id)
        # What serves the session asks for this in the middle of its own work.
        asyncio.get_running_loop().call_soon(self._end, session)

    def _end(self, session: HttpSession) -> None:
        session.close()
        self._store.forget(session.id)
