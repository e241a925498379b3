"""The summary of a record: what its message contains, on one line that is safe to show."""

import json
from typing import Any

from server_core.records.tap import Kind
from workbench.model.json_members import text_in
from workbench.model.short_text import shortened
from workbench.model.traffic import input_request_texts
from workbench.model.traffic.entry import parse_batch, parse_object
from workbench.model.traffic.record_texts import HTTP_EVENT, http_text, log_text, progress_text

SUMMARY_LIMIT = 160  # Characters.

_MESSAGES = frozenset({Kind.REQUEST, Kind.NOTIFICATION, Kind.RESPONSE, Kind.ERROR})


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
