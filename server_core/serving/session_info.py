"""The data of a session, and the registry of sessions; both are common to servers and relays."""

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from server_core.execution.running_calls import InFlight
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import is_storable
from server_core.protocol.jsonrpc import Request, id_text
from server_core.records.tap import Direction, Kind, Record, Tap
from server_core.transports.source import TERMINAL, ServingSession


class SessionInfo:
    """The data of one session, by its name for people; it also emits the session's records.

    The id is unique among the sessions of all servers; the principal is the authenticated user, if any.
    """

    def __init__(
        self, tap: Tap, key: str, transport: str, peer_name: str, id: str = "", *, principal: str = ""
    ) -> None:
        self.key = key
        self.id = id or os.urandom(16).hex()
        self.transport = transport
        self.is_local = transport != "http"
        """Whether client and server were started by the same user, on the same machine."""
        self.peer_name = peer_name
        self.is_terminal = peer_name == TERMINAL
        """Whether the client is a terminal, as its own peer on the link."""
        self.principal = principal
        self.opened = time.time()
        self.closed: float | None = None
        self.client: dict[str, Any] = {}
        self.capabilities: dict[str, Any] = {}
        self.negotiated = ""
        self.calls = 0
        self.tap = tap
        proved = {"user": principal} if principal else {}
        tap.emit_event("session_opened", key, transport=transport, peer=peer_name, **proved)

    def set_client(self, client: dict[str, Any], capabilities: dict[str, Any], revision: str) -> None:
        """Store the info of a client without a handshake, unless an earlier request had any."""
        if self.client or (self.negotiated and not client):
            return
        self.client = client if is_storable(client) else {}
        self.capabilities = capabilities if is_storable(capabilities) else {}
        self.negotiated = revision

    def record(self, kind: Kind, direction: Direction, data: bytes, call: str = "") -> Record:
        """Emit a record of one message of this session."""
        return self.tap.emit(kind, data, session=self.key, direction=direction, call=call)

    def emit(self, event: str, *, call: str = "", **fields: Any) -> None:
        """Emit a record of one event of this session."""
        self.tap.emit_event(event, self.key, call=call, **fields)

    def masked(self, text: str) -> str:
        """Return a text with the values of all secrets masked."""
        return self.tap.masker.mask_text(text)

    def begin(self, request: Request, call: str = "") -> InFlight:
        """Count a request that begins, and return its entry; `call` is its name in records, if the id is not unique."""
        name = request.params.get("name") or request.params.get("uri")
        if request.method == "tools/call":
            self.calls += 1
        name = name if isinstance(name, str) else ""
        return InFlight(self.key, call or id_text(request.id), request.id, request.method, name, time.time())

    @property
    def has_held(self) -> bool:
        """Whether messages of this session wait for an operator."""
        return self.tap.interceptor is not None and self.tap.interceptor.has_taken(self.key)

    def release_held(self) -> None:
        """Deliver the messages that wait for an operator."""
        if self.tap.interceptor is not None:
            self.tap.interceptor.release_session(self.key)

    def expire_held(self, call: str) -> None:
        """Drop the messages of a call that wait for an operator: its client has disconnected."""
        if self.tap.interceptor is not None:
            self.tap.interceptor.expire_call(self.key, call)

    def close(self) -> None:
        """Store and record that the session is closed; messages that wait for an operator expire."""
        if self.tap.interceptor is not None:
            self.tap.interceptor.expire_session(self.key)
        self.closed = time.time()
        self.emit("session_closed", calls=self.calls)

    def describe(self, in_flight: Iterable[InFlight]) -> dict[str, Any]:
        """Return a description of the session and its requests in flight for people, JSON-safe."""
        return {
            "key": self.key,
            "transport": self.transport,
            "peer": self.peer_name,
            "user": self.principal or None,
            "client": {key: self.client.get(key) for key in ("name", "version")} if self.client else None,
            "revision": self.negotiated or None,
            "capabilities": self.capabilities,
            "opened": self.opened,
            "closed": self.closed,
            "calls": self.calls,
            "in_flight": [
                {"id": request.id, "method": request.method, "name": request.name, "started": request.started}
                for request in in_flight
            ],
        }


S = TypeVar("S", bound=ServingSession)


class SessionRegistry(Generic[S]):
    """The sessions of one source by key: all open sessions, and the most recently closed ones."""

    MAX_CLOSED = 50

    def __init__(self) -> None:
        self._sessions: dict[str, S] = {}
        self._closed: list[str] = []
        self._count = 0

    @property
    def sessions(self) -> Mapping[str, S]:
        """The sessions by key, oldest first."""
        return self._sessions

    def next_key(self) -> str:
        """Return a new key."""
        self._count += 1
        return f"s{self._count}"

    def add(self, session: S) -> None:
        """Register an open session."""
        self._sessions[session.key] = session

    def closed(self, key: str) -> None:
        """Retain a session that was closed, and remove the session that was closed longest ago."""
        self._closed.append(key)
        if len(self._closed) > self.MAX_CLOSED:
            self._sessions.pop(self._closed.pop(0), None)


def refuse_oversized(limit: int) -> bytes:
    """Return the error response to a message that was too long."""
    return jsonrpc.error(None, INVALID_REQUEST, f"Invalid request: the message is longer than {limit:,} bytes")
