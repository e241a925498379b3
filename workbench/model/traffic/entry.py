"""One row of the traffic: a record with the facts from its message.

An entry is small, because there are a hundred thousand of them: its one-line summary is created when first shown.
"""

import json
from typing import Any

from server_core.records.tap import Direction, Kind, Record
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.json_members import text_in
from workbench.model.short_text import shortened
from workbench.model.traffic import input_request_texts
from workbench.model.traffic.record_texts import HTTP_EVENT, http_text, log_text, progress_text

OK = "ok"
ERROR = "error"
TOOL_ERROR = "tool error"
PENDING = "pending"
CANCELLED = "cancelled"
ASKS = "asks"  # The result is input requests: the client has to retry with the responses.
TASK = "task"  # The result is a task, which is still running.

HANDSHAKE = "handshake"
STATELESS = "stateless"

SUMMARY_LIMIT = 160  # Characters.

_MESSAGES = frozenset({Kind.REQUEST, Kind.NOTIFICATION, Kind.RESPONSE, Kind.ERROR})


class Entry:
    """One record and its relations to others.

    The first request of a call has the status of the whole call, over its rounds and its task. Later rounds of a call,
    and requests about its task, belong to the first request of the call.
    """

    __slots__ = (
        "_summary",
        "call",
        "client",
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
        self.data: bytes | None = record.data  # None when the timeline has dropped it
        self.size = len(record.data)  # in bytes, also after they were dropped
        self.method = ""  # also on the response; the event of a lifecycle record
        self.id = ""  # JSON text, so that "1" and 1 differ
        self.name = ""  # the tool, resource or prompt; for entries that belong to a call, that of the call
        self.status = ""  # one of the constants above, or empty
        self.latency: float | None = None  # seconds between request and response, on both
        self.pair = 0  # seq of the matching request or response; 0 if there is none
        self.parent = 0  # seq of the client's request that it belongs to; 0 if there is none
        self.era = ""  # HANDSHAKE or STATELESS; empty if unknown
        self.revision = ""  # the date
        self.client = ""  # what the client calls itself; empty if unknown
        self.mark = ""  # "probe", "retry", or empty
        self._summary: str | None = None

    def __repr__(self) -> str:
        return f"<Entry {self.seq} {self.direction} {self.kind} {self.method} {self.id} {self.status}>"

    @property
    def summary(self) -> str:
        """A summary on one line that is safe to show."""
        if self._summary is None:
            self._summary = summarise(self.kind, self.data or b"")
        return self._summary

    @property
    def is_to_server(self) -> bool:
        return self.direction is Direction.IN

    @property
    def call_seq(self) -> int:
        """The number of the request that began the call; 0 for a message of no call."""
        return self.parent or (self.seq if self.kind is Kind.REQUEST else 0)

    def release(self) -> None:
        """Drop the bytes, but keep the summary."""
        self._summary = self.summary
        self.data = None


def summarise(kind: Kind, data: bytes) -> str:
    """Return a summary of a record, on one line that is safe to show."""
    if kind in _MESSAGES:
        value = parse_object(data)
        if value is not None:
            return shortened(_message_text(kind, value), SUMMARY_LIMIT)
    elif kind is Kind.LIFECYCLE and (value := parse_object(data)) is not None:
        if value.get("event") == HTTP_EVENT:
            return shortened(http_text(value), SUMMARY_LIMIT)
        facts = {key: fact for key, fact in value.items() if key != "event"}
        return shortened(_facts(facts), SUMMARY_LIMIT)
    elif kind is Kind.MALFORMED and (batch := parse_batch(data)) is not None:
        return shortened(f"batch of {len(batch)}: {', '.join(map(_describe_item, batch[:20]))}", SUMMARY_LIMIT)
    # Four bytes per character are enough to fill the line.
    return shortened(data[: SUMMARY_LIMIT * 4].decode("utf-8", "backslashreplace").rstrip(), SUMMARY_LIMIT)


def parse_object(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object in the bytes; None if there is none."""
    # Parsed JSON has exact types, for which `type` is faster than `isinstance`; the same holds in all of this folder.
    value = parse_json_or_none(data)
    return value if type(value) is dict else None


def parse_batch(data: bytes) -> list[Any] | None:
    """Return the values of the JSON array in the bytes; None if there is none."""
    if data.lstrip()[:1] != b"[":
        return None
    value = parse_json_or_none(data)
    return value if type(value) is list else None


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
        return input_request_texts.join_texts(input_request_texts.response_texts(params))
    match value.get("method"):
        case "tools/call":
            return f"{params.get('name')} {_compact(params.get('arguments', {}))}"
        case "notifications/progress":
            return progress_text(params)
        case "notifications/message":
            return f"{text_in(params, 'level')} {log_text(params)}"
        case "elicitation/create" | "sampling/createMessage" | "roots/list":
            return input_request_texts.request_text(value)
    return _facts({key: value for key, value in params.items() if key != "_meta"})


def _result_text(result: Any) -> str:
    if type(result) is not dict:
        return _compact(result)
    if "inputRequests" in result:
        return input_request_texts.join_texts(input_request_texts.request_texts(result))
    if type(result.get("action")) is str:
        return input_request_texts.response_text(result)
    content = result.get("content")
    if type(content) is list and content and type(content[0]) is dict and type(content[0].get("text")) is str:
        text: str = content[0]["text"]
        return text
    # What is in nearly every result is no news.
    usual = ("_meta", "resultType") if result.get("resultType") == "complete" else ("_meta",)
    return _facts({key: value for key, value in result.items() if key not in usual})


def _describe_item(message: Any) -> str:
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
