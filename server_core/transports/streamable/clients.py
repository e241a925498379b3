"""The clients that send stateless requests: each has one session in which people find what it sent.

The session serves for the eye alone: what a request may do is said in the request, and what a client calls itself
decides nothing.
"""

import asyncio
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from server_core.protocol.envelope import CLIENT_INFO
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.transports.source import ServingSession, SessionSource
from server_core.transports.streamable.expiring_map import ExpiringMap

if TYPE_CHECKING:
    from server_core.settings import Settings

MOST_CLIENTS = 256
# Names are for people; of a longer one so much is enough to tell clients apart.
MOST_NAME = 200


class ClientIdentity(NamedTuple):
    """What tells one client from another.

    Attributes:
        host: where it is.
        principal: who it has proved to be.
        name: what it calls itself.
        version: its version, as it says.
    """

    host: str
    principal: str
    name: str
    version: str


class StatelessClients:
    """The sessions of clients without one, by what tells the clients apart.

    Args:
        source: who serves.
        settings: how long one may be idle.
    """

    def __init__(self, source: SessionSource, settings: "Settings") -> None:
        self._source = source
        self._sessions: ExpiringMap[ClientIdentity, ServingSession] = ExpiringMap(
            settings.session_idle_timeout,
            attrgetter("busy"),
            lambda session: session.close(),
            every=settings.cleanup_interval,
        )

    def find(self, host: str, principal: str, params: Params) -> ServingSession:
        """Return the session of whoever sends a request.

        Args:
            host: where it comes from.
            principal: who has proved to send it.
            params: those of the request.
        """
        identity = ClientIdentity(host, principal, *_named(params))
        session = self._sessions.peek(identity)
        if session is None:
            self._sessions.make_room(MOST_CLIENTS)
            outlet = _Nowhere(lambda: self._end(identity))
            session = self._source.open_session(outlet, "http", peer_name=host, principal=principal)
            self._sessions.add(identity, session)
        else:
            self._sessions.use(identity)
        return session

    async def settle(self, grace: float) -> None:
        """Wait until the calls that run are answered, at most so many seconds."""
        await asyncio.gather(*(session.settle(grace) for session in self._sessions if session.busy))

    def close_all(self) -> None:
        """End every session."""
        for session in self._sessions.clear():
            session.close()

    def _end(self, identity: ClientIdentity) -> None:
        if (session := self._sessions.pop(identity)) is not None:
            # What serves the session asks for this in the middle of its own work.
            asyncio.get_running_loop().call_soon(session.close)


class _Nowhere:
    """The outlet of what belongs to no request: without a session nothing does.

    Args:
        on_end: called when what serves the client ends; its next request is served anew.
    """

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Drop the message."""

    @property
    def full(self) -> bool:
        """Never."""
        return False

    async def drain(self) -> None:
        """Return at once."""

    def end(self) -> None:
        """Serve the next request of the client anew."""
        self._on_end()


def _named(params: Params) -> tuple[str, str]:
    meta = params.get("_meta")
    info: Any = meta.get(CLIENT_INFO) if isinstance(meta, dict) else None
    if not isinstance(info, dict):
        return "", ""
    return str(info.get("name", ""))[:MOST_NAME], str(info.get("version", ""))[:MOST_NAME]
