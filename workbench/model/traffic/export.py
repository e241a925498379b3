"""Messages of the inspector as a file: JSONL with every record, HAR with the exchanges, Markdown and HTML to read.

A line of JSONL has the members `seq`, `time` (seconds since the epoch), `session`, `direction` ("in" is to the server),
`kind`, `call`, and `data`, or `data64` for bytes that are no UTF-8; `Record.from_wire` reads it again. `mark` and
`comment` are what a user has added.
"""

import html
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from server_core.records.tap import Kind, Record
from server_core.runtime.safe_json import parse_json_or_none
from workbench.model.short_text import escaped, escaped_lines
from workbench.model.traffic.entry import Entry

FORMATS = {"jsonl": "JSON lines", "har": "HAR", "md": "Markdown", "html": "HTML"}
"""The names of the formats, by the endings of their files."""

_MAX_SHOWN = 20_000  # Characters of a body in the formats to read.


@dataclass(frozen=True, slots=True)
class ExportedMessage:
    """An entry with its bytes."""

    entry: Entry
    data: bytes


def exported(messages: Sequence[ExportedMessage], ending: str) -> str:
    """Return messages, oldest first, in a format of :data:`FORMATS`."""
    match ending:
        case "jsonl":
            return "".join(f"{json.dumps(_line(each), ensure_ascii=False)}\n" for each in messages)
        case "har":
            return json.dumps(_har(messages), ensure_ascii=False, indent=1)
        case "md":
            return "\n".join(_markdown(messages))
        case "html":
            return "\n".join(_html(messages))
    raise ValueError(f"there is no format {ending!r}")


def _record(message: ExportedMessage) -> Record:
    entry = message.entry
    return Record(entry.seq, entry.time, entry.session, entry.direction, entry.kind, entry.call, message.data)


def _line(message: ExportedMessage) -> dict[str, Any]:
    return _record(message).to_wire() | message.entry.annotation.to_json()


def _har(messages: Sequence[ExportedMessage]) -> dict[str, Any]:
    """Return the exchanges as HTTP requests, as HAR 1.2 has no other."""
    by_seq = {each.entry.seq: each for each in messages}
    creator = {"name": "workbench", "version": "1"}
    entries = [
        _har_entry(each, by_seq.get(each.entry.pair))
        for each in messages
        if each.entry.kind in (Kind.REQUEST, Kind.NOTIFICATION)
    ]
    return {"log": {"version": "1.2", "creator": creator, "entries": entries}}


def _har_entry(request: ExportedMessage, answer: ExportedMessage | None) -> dict[str, Any]:
    entry = request.entry
    took = round(entry.latency * 1000, 3) if entry.latency is not None else 0
    content = _text(b"" if answer is None else answer.data)
    common: dict[str, Any] = {"httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1}
    json_type = {"name": "Content-Type", "value": "application/json"}
    return {
        "startedDateTime": datetime.fromtimestamp(entry.time, UTC).isoformat(timespec="milliseconds"),
        "time": took,
        "request": common
        | {
            "method": "POST",
            "url": f"http://mcp.invalid/{entry.method}",
            "headers": [json_type],
            "queryString": [],
            "postData": {"mimeType": "application/json", "text": _text(request.data)},
            "bodySize": len(request.data),
        },
        "response": common
        | {
            "status": 202 if answer is None else 200,
            "statusText": entry.status,
            "headers": [] if answer is None else [json_type],
            "content": {"size": len(content.encode()), "mimeType": "application/json", "text": content},
            "redirectURL": "",
            "bodySize": len(content.encode()),
        },
        "cache": {},
        "timings": {"send": 0, "wait": took, "receive": 0},
        "comment": " ".join(f"#{entry.seq} {entry.direction} {entry.session} {entry.annotation.text}".split()),
    }


def _markdown(messages: Sequence[ExportedMessage]) -> Iterator[str]:
    for each in messages:
        yield f"### {_title(each.entry)}\n"
        if each.entry.annotation:
            yield f"> {escaped(each.entry.annotation.text)}\n"
        body = _readable(each.data)
        # Quotation marks that the text does not contain.
        ticks = "```"
        while ticks in body:
            ticks += "`"
        yield f"{ticks}json\n{body}\n{ticks}\n"


def _html(messages: Sequence[ExportedMessage]) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Messages</title>\n<style>'
        "body{font:14px system-ui,sans-serif;margin:2em}pre{white-space:pre-wrap;background:#f4f4f4;padding:1em}"
        "summary{cursor:pointer;font-family:monospace;padding:.2em}</style>"
    )
    for each in messages:
        body, note = html.escape(_readable(each.data)), html.escape(escaped(each.entry.annotation.text))
        title = f"{html.escape(_title(each.entry))}{f' <b>{note}</b>' if note else ''}"
        yield f"<details><summary>{title}</summary><pre>{body}</pre></details>"
    yield "</html>"


def _title(entry: Entry) -> str:
    clock = time.strftime("%H:%M:%S", time.localtime(entry.time))
    took = "" if entry.latency is None else f" · {entry.latency * 1000:.1f} ms"
    status = f" · {entry.status}" if entry.status else ""
    text = " ".join(part for part in (entry.method, entry.name) if part)
    return escaped(f"#{entry.seq} {clock} {entry.direction} {entry.kind} {text}{status}{took}")


def _readable(data: bytes) -> str:
    value = parse_json_or_none(data)
    text = _text(data) if value is None else json.dumps(value, ensure_ascii=False, indent=2)
    cut = f"{text[:_MAX_SHOWN]}\n… {len(text) - _MAX_SHOWN:,} more characters" if len(text) > _MAX_SHOWN else text
    return escaped_lines(cut)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
