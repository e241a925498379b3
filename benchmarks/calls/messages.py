"""The bytes that the client of the benchmark sends: created before the clock runs.

Two eras: `2025-11-25` has a session that begins with `initialize`, in `2026-07-28` each request is self-contained.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

SESSIONS = "2025-11-25"
STATELESS = "2026-07-28"
ERAS = (SESSIONS, STATELESS)

TEXT = "Hello, how are you today?"
_CLIENT = {"name": "benchmark", "version": "1"}
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": _CLIENT,
}


def handshake() -> Json:
    """Return the request that opens a session."""
    params = {"protocolVersion": SESSIONS, "capabilities": {}, "clientInfo": _CLIENT}
    return {"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": params}


def initialized() -> Json:
    """Return the notification that ends the handshake."""
    return {"jsonrpc": "2.0", "method": "notifications/initialized"}


def calls(era: str, ids: Sequence[int]) -> list[bytes]:
    """Return a call of `echo` for each id, as JSON text."""
    params: Json = {"name": "echo", "arguments": {"text": TEXT}}
    if era == STATELESS:
        params["_meta"] = _ENVELOPE
    message = encode({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params})
    head, tail = message.split(b'"id":0', 1)
    return [b'%b"id":%d%b' % (head, call_id, tail) for call_id in ids]


def check(answer: bytes, call_id: int) -> None:
    """Check that a response is the result of `echo`.

    Args:
        answer: JSON text.
        call_id: the id of the call.

    Raises:
        RuntimeError: if it is anything else.
    """
    message = json.loads(answer)
    result = message.get("result", {})
    if (
        message.get("id") != call_id
        or result.get("isError")
        or result.get("content") != [{"type": "text", "text": TEXT}]
    ):
        raise RuntimeError(f"call {call_id} was answered by {answer[:1000]!r}")


def encode(message: Json) -> bytes:
    """Return a message as compact JSON text."""
    return json.dumps(message, separators=(",", ":")).encode()
