"""The clients that send stateless requests: the requests of each are shown as a session.

These sessions are only for display: each request states its own capabilities, and the client's name decides nothing.
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

MAX_CLIENTS = 256
# Names are for display; longer names are cut, which is enough to distinguish clients.
MAX_NAME = 200


class ClientIdentity(NamedTuple):
    host: str
    principal: str
    name: str
    version: str


class StatelessClients:
    """The sessions for stateless requests, by client identity."""

    def __init__(self, source: SessionSource, settings: "Settings") -> None:
        self._source = source
        self._sessions: ExpiringMap[ClientIdentity, ServingSession] = ExpiringMap(
            settings.session_idle_timeout,
            attrgetter("busy"),
            lambda session: session.close(),
            every=settings.cleanup_interval,
        )

    def session_for(self, host: str, principal: str, params: Params) -> ServingSession:
        """Return the session of the client that sent a request with these params, and open it if necessary."""
        identity = ClientIdentity(host, principal, *_client_info(params))
        session = self._sessions.peek(identity)
        if session is None:
            # Even if all are in use: these sessions are only for display, so a request is never refused for one.
            self._sessions.make_room(MAX_CLIENTS)
            outlet = _NullOutlet(lambda: self._end(identity))
            session = self._source.open_session(outlet, "http", peer_name=host, principal=principal)
            self._sessions.add(identity, session)
        else:
            self._sessions.use(identity)
        return session

    async def settle(self, grace: float) -> None:
        await asyncio.gather(*(session.settle(grace) for session in self._sessions if session.busy))

    def close_all(self) -> None:
        for session in self._sessions.clear():
            session.close()

    def _end(self, identity: ClientIdentity) -> None:
        if (session := self._sessions.pop(identity)) is not None:
            # Not at once, because the session itself calls this while it processes a message.
            asyncio.get_running_loop().call_soon(session.close)


class _NullOutlet:
    """Drops messages that belong to no request; after `on_end`, the client's next request opens another session."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        """Drop the message."""

    @property
    def full(self) -> bool:
        return False

    async def drain(self) -> None:
        """Return at once."""

    def end(self) -> None:
        self._on_end()


def _client_info(params: Params) -> tuple[str, str]:
    meta = params.get("_meta")
    info: Any = meta.get(CLIENT_INFO) if isinstance(meta, dict) else None
    if not isinstance(info, dict):
        return "", ""
    return str(info.get("name", ""))[:MAX_NAME], str(info.get("version", ""))[:MAX_NAME]
