"""A check of all messages on a connection, in both directions, against the schema of its revision.

Rule 1: a field that the schema does not name belongs to another revision, and is an error, except in objects that
authors and clients define: `_meta`, the schemas of tools, and objects that the schema leaves open.
Rule 2: a request may be anything, since tests send invalid messages on purpose; those of our own client are checked.
"""

import json
from functools import cache
from typing import Any

from server_core.protocol.envelope import PROTOCOL_VERSION
from server_core.protocol.revisions import REVISIONS
from server_core.transports.channel import Channel
from workbench.model.messages.protocol_schema import MessageViolation, ProtocolSchema
from workbench.workspace.protocol_schemas import read_schema

OPEN = frozenset({"_meta", "inputSchema", "outputSchema"})
"""The members with fields of their own."""


class Witness:
    """Records all messages on the connections of a test."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        """The problems, described in words."""
        self.sent: list[dict[str, Any]] = []
        """The messages of clients, in order."""
        self.received: list[dict[str, Any]] = []
        """The messages of servers, in order."""

    def attach(self, channel: Channel, *, ours: bool = True) -> Channel:
        """Listen to a connection, and return it.

        Args:
            channel: the client's end of it.
            ours: whether the client is our own, so that its messages have to be valid as well.
        """
        connection = _Connection(self, ours)
        send, receive = channel.send, channel.receive

        async def sending(message: bytes) -> None:
            for item in _messages(message):
                self.sent.append(item)
                connection.client_sent(item)
            await send(message)

        async def receiving() -> bytes | None:
            message = await receive()
            for item in _messages(message or b"[]"):
                self.received.append(item)
                connection.server_sent(item)
            return message

        vars(channel).update(send=sending, receive=receiving)
        return channel

    def requests(self, method: str) -> list[dict[str, Any]]:
        """Return the requests with this method that clients have sent."""
        return [item for item in self.sent if item.get("method") == method]

    def params_of(self, method: str) -> list[dict[str, Any]]:
        """Return the params of the messages with this method that servers have sent."""
        return [item.get("params", {}) for item in self.received if item.get("method") == method]


class _Connection:
    """The state of a connection that is needed to check its next message."""

    def __init__(self, witness: Witness, ours: bool) -> None:
        self._witness = witness
        self._ours = ours
        self._asked: dict[str, tuple[dict[str, Any], str]] = {}
        self._asked_by_server: dict[str, dict[str, Any]] = {}
        self._agreed = ""
        self._used: set[str] = set()

    def client_sent(self, message: dict[str, Any]) -> None:
        """Check a message of the client."""
        if "method" not in message:
            question = self._asked_by_server.pop(json.dumps(message["id"]), None)
            if "result" in message and question is not None:
                issues = schema_of(self._agreed).of_result(question["method"], question["params"], message["result"])
                self._note(issues, message)
            return
        meta = message.get("params", {}).get("_meta") or {}
        date = meta.get(PROTOCOL_VERSION) or self._agreed or message.get("params", {}).get("protocolVersion", "")
        if "id" in message:
            self._asked[json.dumps(message["id"])] = message, date
        self._used.add(date)
        if self._ours and date in REVISIONS:
            self._note(schema_of(date).of_call(message), message)

    def server_sent(self, message: dict[str, Any]) -> None:
        """Check a message of the server."""
        if message.get("jsonrpc") != "2.0" or message.get("id", "") is None:
            self._note([MessageViolation((), "it is no message", "")], message)
        elif "method" in message:
            if "id" in message:
                self._asked_by_server[json.dumps(message["id"])] = message
            schemas = [schema_of(date) for date in ([self._agreed] if "id" in message else self._used) if date]
            issues = [schema.of_call(message) for schema in schemas]
            self._note(min(issues, key=len) if issues else [], message)
        else:
            self._answered(message)

    def _answered(self, message: dict[str, Any]) -> None:
        request, date = self._asked.pop(json.dumps(message.get("id")), ({"method": ""}, self._agreed))
        if request["method"] == "initialize" and "result" in message:
            date = self._agreed = message["result"]["protocolVersion"]
            self._used.add(date)
        if date in REVISIONS:
            schema = schema_of(date)
            if "error" in message:
                self._note(schema.of_error(message) if "id" in message else [], message)
            else:
                issues = schema.of_result(request["method"], request.get("params", {}), message["result"])
                self._note([*issues, *_extra(message, "jsonrpc", "id", "result")], message)

    def _note(self, issues: list[MessageViolation], message: dict[str, Any]) -> None:
        text = json.dumps(message)[:500]
        self._witness.problems += [f"{each.rule} at {list(each.path)}: {each.text}, in {text}" for each in issues]


@cache
def schema_of(date: str) -> ProtocolSchema:
    """Return the schema of a revision, with objects that have no other fields than those that it names."""
    document = read_schema(date)
    # Everything derives from it, and in a revision with empty results it is such a result.
    document["$defs" if "$defs" in document else "definitions"]["Result"].pop("additionalProperties")
    return ProtocolSchema(document, _closed)


def _closed(schema: Any) -> Any:
    """Return a schema in which objects have the fields that are named, and no others."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: value if key == "allOf" else _closed(value) for key, value in schema.items()}
    properties = schema.get("properties")
    if isinstance(properties, dict) and schema.get("type") == "object":
        declared = {key: {} if key in OPEN else closed["properties"][key] for key in properties}
        # The older schemas name `_meta` only in what every message is derived from.
        return {"additionalProperties": False, **closed, "properties": {"_meta": {}, **declared}}
    return closed


def _extra(message: dict[str, Any], *known: str) -> list[MessageViolation]:
    return [MessageViolation((key,), "it is no member of a message", "") for key in message if key not in known]


def _messages(data: bytes) -> list[dict[str, Any]]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, dict) and isinstance(value.get("params", {}), dict)]
