"""The log of a run: what happened during the call, line by line, in the order of the records.

Rules:

1. A line has the time since the request, its source, and a text that is safe to show.
2. Lines are made once, when their record arrives; the oldest are dropped beyond a limit, and counted.
3. The request itself and its result are no lines: other views show them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from server_core.protocol.methods import LOG_LEVELS
from server_core.records.tap import Direction, Kind
from workbench.model.json_members import text_in
from workbench.model.short_text import escaped, shortened
from workbench.model.traffic.entry import ASKS, Entry, parse_object
from workbench.model.traffic.failure_details import FAILURE_EVENT, read_failure_details
from workbench.model.traffic.input_request_texts import request_text, request_texts, response_text, response_texts
from workbench.model.traffic.record_texts import HTTP_EVENT, http_text, log_text, progress_text
from workbench.model.traffic.run_records import RunRecords
from workbench.model.traffic.vocabulary import TASK_STATUSES

MAX_LINES = 5000
MAX_LINES_OF_A_RECORD = 200
MAX_CHARACTERS = 2000
"""In one line."""


class Tone(StrEnum):
    """How a line is coloured."""

    PLAIN = "plain"
    MUTED = "muted"
    WARNING = "warning"
    ERROR = "error"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a log."""

    seq: int  # of the record
    time: float  # in seconds, since the request
    source: str  # what wrote it: "print", "stderr", the level of a log message, "progress"
    text: str
    tone: Tone = Tone.PLAIN
    continues: bool = False  # whether the line above is of the same record


# The source, the text and the tone of a line; a text of several lines is split later.
_Part = tuple[str, str, Tone]


class RunLog:
    """The lines of one run, oldest first; :meth:`refresh` adds those of new records."""

    def __init__(self, records: RunRecords) -> None:
        self.records = records
        self.lines: list[LogLine] = []
        self.dropped = 0  # how many of the oldest lines, or records, are left out
        self._read = 0  # how many of the records have been read

    @property
    def count(self) -> int:
        """The number of all lines, also of those that were dropped."""
        return self.dropped + len(self.lines)

    def refresh(self) -> bool:
        """Read the records that have arrived, and return whether the lines have changed."""
        before = self.count
        self.records.refresh()
        entries = self.records.entries
        if self._read > len(entries):
            # The timeline was cleared.
            self.lines, self.dropped, self._read = [], 0, 0
        if (skipped := len(entries) - self._read - MAX_LINES) > 0:
            self.dropped += skipped + len(self.lines)
            self.lines, self._read = [], self._read + skipped
        for entry in entries[self._read :]:
            self.lines.extend(_lines(entry, entry.time - entries[0].time))
        self._read = len(entries)
        if (excess := len(self.lines) - MAX_LINES) > 0:
            self.dropped += excess
            del self.lines[:excess]
        return self.count != before


def _lines(entry: Entry, time: float) -> Iterator[LogLine]:
    """Yield the lines of a record."""
    reader = _READERS.get(entry.kind)
    if reader is None:
        return
    count = 0
    for source, text, tone in reader(entry):
        for line in text.rstrip("\r\n").splitlines() or [""]:
            yield LogLine(entry.seq, max(time, 0.0), source, shortened(line, MAX_CHARACTERS), tone, count > 0)
            count += 1
            if count == MAX_LINES_OF_A_RECORD:
                yield LogLine(entry.seq, time, source, "… the rest is in the Inspector", Tone.MUTED, continues=True)
                return


def _output(source: str, tone: Tone) -> Callable[[Entry], Iterator[_Part]]:
    def read(entry: Entry) -> Iterator[_Part]:
        text = entry.summary if entry.data is None else entry.data.decode("utf-8", "backslashreplace")
        yield source, text, tone

    return read


def _request(entry: Entry) -> Iterator[_Part]:
    """Yield a question of the server, or the answers that a further round of the call contains."""
    value = parse_object(entry.data or b"") or {}
    if entry.direction is Direction.OUT:
        yield "asks", request_text(value), Tone.QUESTION
    elif entry.mark == "retry":
        for _, text in response_texts(_object(value.get("params"))):
            yield "answer", text, Tone.QUESTION


def _response(entry: Entry) -> Iterator[_Part]:
    """Yield the answer to a question, or the questions that a round of the call has as its result."""
    value = parse_object(entry.data or b"") or {}
    if entry.direction is Direction.IN:
        yield "answer", response_text(value.get("result")), Tone.QUESTION
    elif entry.status is ASKS:
        for _, text in request_texts(_object(value.get("result"))):
            yield "asks", text, Tone.QUESTION


def _error(entry: Entry) -> Iterator[_Part]:
    if entry.direction is Direction.IN:
        yield "answer", f"refused: {entry.summary}", Tone.QUESTION


def _notification(entry: Entry) -> Iterator[_Part]:
    params = _object((parse_object(entry.data or b"") or {}).get("params"))
    match entry.method:
        case "notifications/message":
            yield _log_message(params)
        case "notifications/progress":
            yield "progress", progress_text(params), Tone.MUTED
        case "notifications/cancelled":
            yield "cancel", text_in(params, "reason") or "The call is cancelled.", Tone.WARNING
        case "notifications/tasks" | "notifications/tasks/status":
            status = text_in(params, "status")
            text = f"The task {TASK_STATUSES.get(status, escaped(status))}. {text_in(params, 'statusMessage')}"
            yield "task", text.rstrip(), Tone.MUTED
        case method:
            yield "notify", f"{method.removeprefix('notifications/')} {entry.summary}".rstrip(), Tone.MUTED


def _log_message(params: dict[str, Any]) -> _Part:
    level = text_in(params, "level")
    return level if level in LOG_LEVELS else "log", log_text(params), _TONES.get(level, Tone.PLAIN)


def _event(entry: Entry) -> Iterator[_Part]:
    value = parse_object(entry.data or b"") or {}
    failure = read_failure_details(value) if entry.method == FAILURE_EVENT else None
    if failure is not None:
        place = f" ({failure.place})" if failure.place else ""
        yield "failed", f"{failure.developer_message or failure.message}{place}", Tone.ERROR
    elif entry.method == HTTP_EVENT:
        yield "http", http_text(value), Tone.PLAIN if value.get("ok") is True else Tone.WARNING
    elif "rule" in value and "outcome" in value:
        tone = Tone.WARNING if entry.method == "rule_failed" else Tone.QUESTION
        yield "rule", f"{text_in(value, 'outcome')} by rule `{text_in(value, 'rule')}`", tone
    else:
        yield "core", f"{entry.method.replace('_', ' ')} {entry.summary}".rstrip(), Tone.MUTED


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_TONES = dict.fromkeys(("error", "critical", "alert", "emergency"), Tone.ERROR) | {
    "warning": Tone.WARNING,
    "debug": Tone.MUTED,
}
_READERS: dict[Kind, Callable[[Entry], Iterator[_Part]]] = {
    Kind.STDOUT: _output("print", Tone.PLAIN),
    Kind.STDERR: _output("stderr", Tone.WARNING),
    Kind.REQUEST: _request,
    Kind.RESPONSE: _response,
    Kind.ERROR: _error,
    Kind.NOTIFICATION: _notification,
    Kind.LIFECYCLE: _event,
}
