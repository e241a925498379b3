"""Records of a capture, written as the conversation that they hold."""

import json
from pathlib import Path
from typing import Any

from server_core.records.tap import Direction, Kind, Record
from tests.workbench.client.scripted import INITIALIZED
from workbench.replay.recording import Recording
from workbench.replay.recording_reader import recording_of

STATELESS_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "someone", "version": "9"},
}


class Conversation:
    """Builds records; every method adds one.

    Args:
        session: the key of its session.
    """

    def __init__(self, session: str = "s1") -> None:
        self.records: list[Record] = []
        self.session = session

    def add(self, kind: Kind, direction: Direction, value: Any, call: str = "") -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        seq = len(self.records) + 1
        self.records.append(Record(seq, float(seq), self.session, direction, kind, call, data))

    def client_asks(self, id: int | str, method: str, **params: Any) -> None:
        self.add(Kind.REQUEST, Direction.IN, {"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def stateless(self, id: int | str, method: str, **params: Any) -> None:
        self.client_asks(id, method, **params, _meta=STATELESS_META)

    def server_answers(self, id: int | str, **result: Any) -> None:
        self.add(Kind.RESPONSE, Direction.OUT, {"jsonrpc": "2.0", "id": id, "result": result})

    def server_fails(self, id: int | str, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self.add(Kind.ERROR, Direction.OUT, {"jsonrpc": "2.0", "id": id, "error": error})

    def server_asks(self, id: int | str, method: str, cause: int | str | None = None, **params: Any) -> None:
        call = "" if cause is None else json.dumps(cause)
        self.add(Kind.REQUEST, Direction.OUT, {"jsonrpc": "2.0", "id": id, "method": method, "params": params}, call)

    def client_answers(self, id: int | str, **result: Any) -> None:
        self.add(Kind.RESPONSE, Direction.IN, {"jsonrpc": "2.0", "id": id, "result": result})

    def client_notifies(self, method: str, **params: Any) -> None:
        self.add(Kind.NOTIFICATION, Direction.IN, {"jsonrpc": "2.0", "method": method, "params": params})

    def happens(self, event: str, **facts: Any) -> None:
        self.add(Kind.LIFECYCLE, Direction.NONE, {"event": event, **facts})

    def handshake(self, **client: Any) -> None:
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "someone", "version": "9"},
        }
        self.client_asks(0, "initialize", **(params | client))
        self.server_answers(0, **INITIALIZED)
        self.client_notifies("notifications/initialized")

    def recording(self) -> Recording:
        return recording_of(Path("conversation.capture"), self.records)
