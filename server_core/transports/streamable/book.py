"""All MCP sessions of one endpoint: opened, found, and ended when nobody has used them for long.

Rule 1: sessions are in the order of their last use, so that looking for idle ones costs what there are of them.
Rule 2: a task looks for idle ones as long as there are sessions; none waits for a next request.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from server_core.background import spawn
from server_core.serving import SessionSource
from server_core.transports.streamable.event_store import STANDING, EventStore
from server_core.transports.streamable.sessions import HttpSession

if TYPE_CHECKING:
    from server_core.settings import Settings

# How often idle sessions are looked for, in parts of the time after which they are let go.
SWEEPS = 10


class HttpSessions:
    """The sessions of one endpoint.

    Args:
        source: who serves.
        settings: how many there may be, and how long one may be idle.
        store: keeps their events.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        source: SessionSource,
        settings: "Settings",
        store: EventStore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._settings = settings
        self._store = store
        self._clock = clock
        # Those that were used longest ago come first.
        self._sessions: dict[str, HttpSession] = {}
        self._sweeping: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, peer_name: str, principal: str = "") -> HttpSession | None:
        """Open a session; None when there are as many as there may be, and all are in use."""
        if not self._has_room():
            return None
        return self._add(secrets.token_urlsafe(24), peer_name, principal)

    def find(self, id: str, principal: str = "") -> HttpSession | None:
        """Return the session with this id, if there is one and it is this principal's, and count it as used."""
        session = self._sessions.get(id)
        if session is None or session.principal != principal:
            return None
        now = self._clock()
        if session.last_used <= now - self._settings.session_idle_timeout and not session.in_use:
            self.close(session)
            return None
        del self._sessions[id]
        self._sessions[id] = session
        session.last_used = now
        return session

    async def recall(self, id: str, principal: str, peer_name: str) -> HttpSession | None:
        """Return a session that a server before this one has begun, if its events outlived that server.

        Args:
            id: the session's.
            principal: whose it has to be.
            peer_name: who asks for it.
        """
        facts = await self._store.find(id)
        if (known := self.find(id, principal)) is not None:  # Another request of the client was faster.
            return known
        if facts is None or facts["principal"] != principal or not self._has_room():
            return None
        session = self._add(id, peer_name, principal)
        session.serving.recall(facts["session"])
        kept = await self._store.after(id, STANDING, 0)
        if kept is not None and kept.events:
            session.standing.taken = kept.events[-1][0]
        return session

    def close(self, session: HttpSession) -> None:
        """End a session; its id is unknown from here on."""
        self._sessions.pop(session.id, None)
        session.close()
        self._store.forget(session.id)

    async def settle(self, grace: float) -> None:
        """Wait until the calls that run are answered, at most so many seconds."""
        await asyncio.gather(*(one.serving.settle(grace) for one in self._sessions.values() if one.serving.busy))

    def close_all(self) -> None:
        """End every session, because the server ends; a store that outlives it keeps what it knows of them."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        while self._sessions:
            self._sessions.popitem()[1].close()

    def _add(self, id: str, peer_name: str, principal: str) -> HttpSession:
        session = HttpSession(id, principal, self._settings.max_queued_messages, self._store)
        session.serving = self._source.open_session(session, "http", peer_name=peer_name, principal=principal)
        session.last_used = self._clock()
        self._sessions[id] = session
        if self._sweeping is None or self._sweeping.done():
            self._sweeping = spawn(self._sweep(), "look for idle sessions")
        return session

    async def _sweep(self) -> None:
        while self._sessions:
            await asyncio.sleep(self._settings.session_idle_timeout / SWEEPS)
            self.expire()

    def expire(self) -> None:
        """End the sessions that were idle for too long."""
        for session in list(self._idle_since(self._clock() - self._settings.session_idle_timeout)):
            self.close(session)

    def _idle_since(self, earliest: float) -> Iterator[HttpSession]:
        for session in self._sessions.values():
            if session.last_used > earliest:
                return
            if not session.in_use:
                yield session

    def _has_room(self) -> bool:
        """Whether there may be one more session, if need be after an idle one was closed."""
        return len(self._sessions) < self._settings.max_sessions or self._close_one()

    def _close_one(self) -> bool:
        idle = next((session for session in self._sessions.values() if not session.in_use), None)
        if idle is not None:
            self.close(idle)
        return idle is not None
