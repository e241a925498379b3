"""One row of the traffic: a record with the facts from its message.

An entry is small, because there are a hundred thousand of them: its one-line summary is created when first shown.
"""

import json
from typing import Any

from server_core.records.tap import Direction, Kind, Record
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.short_text import shortened
from workbench.model.traffic import input_request_texts

OK = "ok"
ERROR = "error"
TOOL_ERROR = "tool error"
PENDING = "pending"
CANCELLED = "cancelled"
ASKS = "asks"
"""Answered with input requests: the client has to retry with the responses."""
TASK = "task"
"""Answered with a task, which is still running."""

HANDSHAKE = "handshake"
STATELESS = "stateless"
"""The eras: a session with `initialize`, and stateless requests."""

SUMMARY_LIMIT = 160
"""The limit of characters in a summary."""


class Entry:
    """One record and its relations to others.

    Attributes:
        seq, time, session, direction, kind, call: as in the record.
        data: the bytes of the record; None when the timeline has dropped them.
        size: the number of bytes, also after they were dropped.
        method: the method, also on the answer; the event of a lifecycle record; else empty.
        id: JSON text of the message's id, so that "1" and 1 differ; empty without one.
        name: the tool, resource or prompt; for entries that belong to a call, that of the call.
        status: "ok", "error", "tool error", "pending", "cancelled", "asks", "task", or empty. The first request of a
            call has the status of the whole call, over its rounds and its task.
        latency: seconds between request and answer, on both; None until then.
        pair: seq of the matching request or response; 0 if there is none.
        parent: seq of the client's request that it belongs to; 0 if there is none. Later rounds of a call, and requests
            about its task, belong to the first request of the call.
        era: "handshake" or "stateless"; empty if unknown.
        revision: the date of its protocol revision; empty if unknown.
        mark: a further label: "probe", "retry", or empty.
    """

    __slots__ = (
        "_summary",
        "call",
        "data",
        "direction",
        "era",
        "id",
        "kind",
        "latency",
        "mark",
        "method",
        "name",
        "pair",
        "parent",
        "revision",
        "seq",
        "session",
        "size",
        "status",
        "time",
    )

    def __init__(self, record: Record) -> None:
        self.seq = record.seq
        self.time = record.time
        self.session = record.session
        self.direction: Direction = record.direction
        self.kind: Kind = record.kind
        self.call = record.call
        self.data: bytes | None = record.data
        self.size = len(record.data)
        self.method = ""
        self.id = ""
        self.name = ""
        self.status = ""
        self.latency: float | None = None
        self.pair = 0
        self.parent = 0
        self.era = ""
        self.revision = ""
        self.mark = ""
        self._summary: str | None = None

    def __repr__(self) -> str:
        return f"<Entry {self.seq} {self.direction} {self.kind} {self.method} {self.id} {self.status}>"

    @property
    def summary(self) -> str:
        """A summary on one line; control characters and terminal escapes are escaped."""
        if self._summary is None:
            self._summary = summarise(self.kind, self.data or b"")
        return self._summary

    def release(self) -> None:
        """Drop the bytes, but keep the summary."""
        self._summary = self.summary
        self.data = None


def summarise(kind: Kind, data: bytes) -> str:
    """Return a summary of a record, on one line that is safe to show.

    Args:
        kind: the kind of the record.
        data: its bytes.
    """
    if kind in _MESSAGES:
        value = parse_object(data)
        if value is not None:
            return shortened(_message_text(kind, value), SUMMARY_LIMIT)
    elif kind is Kind.LIFECYCLE and (value := parse_object(data)) is not None:
        facts = {key: fact for key, fact in value.items() if key != "event"}
        return shortened(_facts(facts), SUMMARY_LIMIT)
    elif kind is Kind.MALFORMED and (batch := parse_batch(data)) is not None:
        return shortened(f"batch of {len(batch)}: {', '.join(map(_named, batch[:20]))}", SUMMARY_LIMIT)
    # Four bytes per character are enough to fill the line.
    return shortened(data[: SUMMARY_LIMIT * 4].decode("utf-8", "backslashreplace").rstrip(), SUMMARY_LIMIT)


def parse_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in the bytes; None if there is none."""
    value = parse_json_or_none(data)
    return value if type(value) is dict else None


def parse_batch(data: bytes) -> list[Any] | None:
    """Return the values of the JSON array in the bytes; None if there is none."""
    if data.lstrip()[:1] != b"[":
        return None
    value = parse_json_or_none(data)
    return value if type(value) is list else None


_MESSAGES = frozenset({Kind.REQUEST, Kind.NOTIFICATION, Kind.RESPONSE, Kind.ERROR})


def _message_text(kind: Kind, value: dict[str, Any]) -> str:
    if kind is Kind.ERROR:
        error = value.get("error")
        return f"{error.get('code')} {error.get('message')}" if type(error) is dict else str(error)
    if kind is Kind.RESPONSE:
        return _result_text(value.get("result"))
    params = value.get("params")
    if type(params) is not dict:
        return ""
    if "inputResponses" in params:
        return input_request_texts.joined(input_request_texts.answers(params))
    if value.get("method") == "tools/call":
        return f"{params.get('name')} {_compact(params.get('arguments', {}))}"
    if value.get("method") in _QUESTIONS:
        return input_request_texts.question(value)
    return _facts({key: value for key, value in params.items() if key != "_meta"})


def _result_text(result: Any) -> str:
    if type(result) is not dict:
        return _compact(result)
    if "inputRequests" in result:
        return input_request_texts.joined(input_request_texts.questions(result))
    content = result.get("content")
    if type(content) is list and content and type(content[0]) is dict and type(content[0].get("text")) is str:
        text: str = content[0]["text"]
        return text
    return _facts({key: value for key, value in result.items() if key != "_meta"})


_QUESTIONS = frozenset({"elicitation/create", "sampling/createMessage", "roots/list"})


def _named(message: Any) -> str:
    """Return a short description of one message of a batch."""
    if type(message) is not dict:
        return _compact(message)[:40]
    if type(method := message.get("method")) is str:
        return method[:40]
    return f"{'error' if 'error' in message else 'result'} {_compact(message.get('id'))[:40]}"


def _facts(facts: dict[str, Any]) -> str:
    """Return `key=value` for each member, with a limit: the text is shown on one line."""
    parts: list[str] = []
    length = 0
    for key, value in facts.items():
        part = f"{key}={_compact(value)}"
        parts.append(part)
        length += len(part) + 1
        if length > SUMMARY_LIMIT:
            break
    return " ".join(parts)


def _compact(value: Any) -> str:
    if type(value) is str:
        return value[:SUMMARY_LIMIT]
    if type(value) is list:
        return f"[{len(value)}]" if len(value) > 3 else json.dumps(value, ensure_ascii=False)[:SUMMARY_LIMIT]
    return json.dumps(value, ensure_ascii=False)[:SUMMARY_LIMIT]
