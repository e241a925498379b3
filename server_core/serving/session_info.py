"""What is known of sessions, whoever serves them: each by itself, and all that are open."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from server_core.execution.running_calls import RunningCall
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INVALID_REQUEST
from server_core.protocol.envelope import is_storable
from server_core.protocol.jsonrpc import Request, RequestId, id_text
from server_core.records.tap import Direction, Kind, Record, Tap
from server_core.transports.source import ServingSession


@dataclass(slots=True, eq=False)
class InFlight:
    """A request of the client that is being worked on; each is itself alone, whatever its id.

    Attributes:
        id: as the client chose it.
        method: its method.
        name: of the tool, prompt or resource that it is about.
        started: when, in seconds since the epoch.
        running: the same for whoever finds what it printed.
        wanted: somebody still waits for its answer.
        stopped: it is not to be worked on any more.
    """

    id: RequestId
    method: str
    name: str
    started: float
    running: RunningCall
    wanted: bool = True
    stopped: bool = False


class SessionInfo:
    """What is known of one session, whoever serves it; it also makes the session's records.

    Args:
        tap: where its records go.
        key: its name, shown to people.
        transport: the name of its transport.
        peer_name: who is at the other end, as far as the transport can tell.
        id: names the session and no other; made up when not given.
        principal: who the client has proved to be; empty for nobody.
    """

    def __init__(
        self, tap: Tap, key: str, transport: str, peer_name: str, id: str = "", *, principal: str = ""
    ) -> None:
        self.key = key
        self.id = id or os.urandom(16).hex()
        self.transport = transport
        self.peer_name = peer_name
        self.principal = principal
        self.opened = time.time()
        self.closed: float | None = None
        self.client: dict[str, Any] = {}
        self.capabilities: dict[str, Any] = {}
        self.negotiated = ""
        self.calls = 0
        self.in_flight: dict[InFlight, None] = {}
        self._tap = tap
        proved = {"user": principal} if principal else {}
        tap.lifecycle("session_opened", key, transport=transport, peer=peer_name, **proved)

    @property
    def is_local(self) -> bool:
        """Whether whoever started the server has started the client as well, on the same machine."""
        return self.transport != "http"

    def met(self, client: dict[str, Any], capabilities: dict[str, Any], revision: str) -> None:
        """Note who a client without a handshake is; what it says first stands for all that it says."""
        if self.client or (self.negotiated and not client):
            return
        self.client = client if is_storable(client) else {}
        self.capabilities = capabilities if is_storable(capabilities) else {}
        self.negotiated = revision

    def record(self, kind: Kind, direction: Direction, data: bytes, call: str = "") -> Record:
        """Record one message of this session."""
        return self._tap.emit(kind, data, session=self.key, direction=direction, call=call)

    def emit(self, event: str, *, call: str = "", **facts: Any) -> None:
        """Record one event of this session."""
        self._tap.lifecycle(event, self.key, call=call, **facts)

    def masked(self, text: str) -> str:
        """Return a text with every secret's value masked."""
        return self._tap.masker.mask_text(text)

    def started(self, request: Request, call: str = "") -> InFlight:
        """Note that a request is being worked on.

        Args:
            request: the request.
            call: names it in records, where its id alone does not.
        """
        name = request.params.get("name") or request.params.get("uri")
        running = RunningCall(self.key, call or id_text(request.id))
        one = InFlight(request.id, request.method, name if isinstance(name, str) else "", time.time(), running)
        self.in_flight[one] = None
        if request.method == "tools/call":
            self.calls += 1
        return one

    def ended(self, one: InFlight) -> None:
        """Note that a request is no longer being worked on."""
        self.in_flight.pop(one, None)

    def close(self) -> None:
        """Note that the session has ended."""
        self.closed = time.time()
        self.in_flight.clear()
        self.emit("session_closed", calls=self.calls)

    def describe(self) -> dict[str, Any]:
        """Return what people are shown of the session, JSON-safe."""
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
                {"id": one.id, "method": one.method, "name": one.name, "started": one.started} for one in self.in_flight
            ],
        }


S = TypeVar("S", bound=ServingSession)


class SessionRegistry(Generic[S]):
    """The sessions of one source by their keys: all that are open, and the last that were closed."""

    KEPT_CLOSED = 50

    def __init__(self) -> None:
        self._sessions: dict[str, S] = {}
        self._closed: list[str] = []
        self._count = 0

    @property
    def sessions(self) -> Mapping[str, S]:
        """All that are kept, oldest first."""
        return self._sessions

    def next_key(self) -> str:
        """Return a key that no session had before."""
        self._count += 1
        return f"s{self._count}"

    def add(self, session: S) -> None:
        """Keep a session that was opened."""
        self._sessions[session.key] = session

    def closed(self, key: str) -> None:
        """Keep a closed session for a while, and let the one go that was closed longest ago."""
        self._closed.append(key)
        if len(self._closed) > self.KEPT_CLOSED:
            self._sessions.pop(self._closed.pop(0), None)


def refuse_oversized(limit: int) -> bytes:
    """Return the answer to a message that was too long."""
    return jsonrpc.error(None, INVALID_REQUEST, f"Invalid request: the message is longer than {limit:,} bytes")
