"""Explain a message and its relations to others, in a few lines for users.

Only the message under the cursor is explained, so this may parse its body and the requests of its call; it never
iterates over all records. Every line is safe to show.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from server_core.records.tap import Kind
from workbench.model import describe
from workbench.model.error_texts import error_hint
from workbench.model.short_text import escaped, shortened
from workbench.model.traffic import vocabulary
from workbench.model.traffic.entry import ASKS, HANDSHAKE, STATELESS, TASK, Entry, parse_batch, parse_object
from workbench.model.traffic.timeline import Timeline

MAX_ROUNDS = 12  # Of one call.

_CLIENT_LENGTH = 40  # Characters of a client's name.

_ERAS = {HANDSHAKE: "in a session", STATELESS: "stateless"}

_UNKNOWN = {
    Kind.REQUEST: "A request that is in no revision of the protocol",
    Kind.NOTIFICATION: "A notification that is in no revision of the protocol",
    Kind.RESPONSE: "A response to an unknown request",
    Kind.ERROR: "An error response to an unknown request",
    Kind.MALFORMED: "Not a message of the protocol",
    Kind.STDERR: "Output of a program to standard error",
    Kind.STDOUT: "Output of a tool to standard output, kept off the wire",
    Kind.HTTP: "An HTTP request without a message",
    Kind.LIFECYCLE: "An event of the core",
}


def explain(timeline: Timeline, entry: Entry) -> list[str]:
    """Return an explanation of a message, one line per fact; the first line describes the message itself."""
    lines = [_headline(entry)]
    if entry.mark == "probe":
        lines.append("A probe for the revisions that the server supports.")
    lines += _held(timeline, entry)
    value = parse_object(entry.data or b"")
    if entry.kind is Kind.ERROR:
        lines += _error(value, is_http=entry.era == STATELESS and timeline.transport_of(entry) == "http")
    elif value is not None and entry.kind is Kind.HTTP:
        lines += _http(value)
    elif value is not None and entry.method == "records_dropped":
        lines.append(explain_dropped(value))
    elif entry.kind is Kind.MALFORMED:
        lines += _malformed(entry)
    first = timeline.by_seq(entry.parent) if entry.parent else entry
    if first is not None:
        lines += _belonging(entry, first)
        lines += _rounds(timeline, first)
        lines += _task(timeline, first, entry)
    return lines


def _headline(entry: Entry) -> str:
    tables = {Kind.NOTIFICATION: vocabulary.NOTIFICATIONS, Kind.LIFECYCLE: vocabulary.EVENTS}
    meaning = tables.get(entry.kind, vocabulary.REQUESTS).get(entry.method, "")
    if entry.kind in (Kind.RESPONSE, Kind.ERROR) and entry.pair:
        meaning = f"Answers: {meaning[0].lower()}{meaning[1:]}" if meaning else "Answers a request"
    revision = " ".join(part for part in (escaped(entry.revision), _ERAS.get(entry.era, "")) if part)
    client = f"client {shortened(entry.client, _CLIENT_LENGTH)}" if entry.client else ""
    return " · ".join(part for part in (meaning or _UNKNOWN.get(entry.kind, ""), revision, client) if part)


def _held(timeline: Timeline, entry: Entry) -> Iterator[str]:
    """Describe how the message was held, and what was delivered instead."""
    holding = timeline.holding_of(entry)
    if holding is None:
        return
    original = timeline.original_of_passed(entry)
    if original is not None:
        how = "instead of" if original.hold == "edited" else "as a copy of"
        yield f"Delivered by an operator {how} #{original.seq}."
    elif holding.until is None:
        yield "Waits for an operator."
    else:
        passed = ", ".join(f"#{seq}" for seq in holding.passed)
        what = f"; {'instead of it' if entry.hold == 'edited' else 'also'} {passed} was delivered" if passed else ""
        reason = f" ({escaped(holding.reason)})" if holding.reason else ""
        yield f"Held for {describe.duration(holding.until - holding.since)}, then {entry.hold}{reason}{what}."


def _error(value: dict[str, Any] | None, *, is_http: bool) -> Iterator[str]:
    error = value.get("error") if value is not None else None
    if not isinstance(error, dict):
        return
    if hint := error_hint(error.get("code"), error.get("data")):
        yield hint
    if is_http and (status := vocabulary.http_of_error(error.get("code"))):
        yield f"Sent with {status}, unless the response had already started."


def _http(value: dict[str, Any]) -> Iterator[str]:
    status = value.get("status")
    if isinstance(status, int):
        yield f"HTTP {status}: {vocabulary.STATUSES.get(status, 'see the HTTP specification')}."
    if isinstance(reason := value.get("reason"), str):
        yield shortened(reason, 300)
    if type(length := value.get("bytes")) is int:
        yield f"The body had {describe.size(length)}; the record contains its start."


def explain_dropped(event: dict[str, Any]) -> str:
    """Return an explanation of a record that replaces dropped records in a capture."""
    count, length = event.get("count"), event.get("bytes")
    if type(count) is not int or type(length) is not int:
        return "Records were dropped."
    return f"{describe.plural(count, 'record')}, {describe.size(length)}, were dropped: the disk was too slow."


def _malformed(entry: Entry) -> Iterator[str]:
    if parse_batch(entry.data or b"") is not None:
        yield f"An array of messages: {entry.summary}. Only revision 2025-03-26 has batches."


def _belonging(entry: Entry, first: Entry) -> Iterator[str]:
    if entry != first and entry.pair != first.seq:
        yield f"Belongs to #{first.seq} {escaped(' '.join((first.method, first.name)).rstrip())}."


def _rounds(timeline: Timeline, first: Entry) -> Iterator[str]:
    """Describe the input requests of a call and their responses, round by round."""
    rounds = [first, *(request for request in timeline.followers_of(first) if request.mark == "retry")]
    if first.status is not ASKS and len(rounds) == 1:
        return
    yield f"The call takes {describe.plural(len(rounds), 'round')}:"
    for request in rounds[:MAX_ROUNDS]:
        if request != first:
            yield f"  #{request.seq} answers  {request.summary or 'with the state only'}"
        if (response := timeline.pair_of(request)) is not None:
            yield f"  #{response.seq} {'asks' if response.status is ASKS else response.status:<7}  {response.summary}"
    if len(rounds) > MAX_ROUNDS:
        yield f"  and {describe.plural(len(rounds) - MAX_ROUNDS, 'more round')}"
    if rounds[-1].status is ASKS:
        yield "  the client has not sent its answers"


def _task(timeline: Timeline, first: Entry, entry: Entry) -> Iterator[str]:
    methods = Counter(request.method for request in timeline.followers_of(first) if request.mark != "retry")
    if methods:
        counts = ", ".join(f"{count} × {escaped(method)}" for method, count in methods.items())
        state = "is running" if first.status is TASK else f"ended: {first.status}"
        yield f"The call became a task, which {state}; {counts}."
    elif first.status is TASK:
        yield "The call became a task, which is running; the client has not asked for it yet."
    state = _task_state(entry)
    if state:
        yield f"The task {state}."


def _task_state(entry: Entry) -> str:
    value = parse_object(entry.data or b"") or {}
    state = value.get("result") if entry.kind is Kind.RESPONSE else value.get("params")
    state = value if entry.kind is Kind.LIFECYCLE else state
    if not isinstance(state, dict):
        return ""
    state = state["task"] if isinstance(state.get("task"), dict) else state
    if "taskId" not in state and "task" not in state:
        return ""
    return vocabulary.TASK_STATUSES.get(str(state.get("status")), "")
