"""The columns of the list of messages: what each shows of a record, or of a call, and which fit in a width."""

import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TypeAlias

from server_core.protocol.methods import LONG_LIVED
from server_core.records.tap import Direction, Kind
from workbench.model.describe import duration, short_duration, size
from workbench.model.short_text import shortened
from workbench.model.traffic.entry import ASKS, CANCELLED, ERROR, HELD, OK, PENDING, TASK, TOOL_ERROR, Entry
from workbench.model.traffic.held_records import waits
from workbench.model.traffic.record_texts import HTTP_EVENT
from workbench.tui.widgets.paint import StyledText, fit, fit_right
from workbench.tui.widgets.waterfall import WATERFALL

DIRECTIONS = {Direction.IN: "→ in", Direction.OUT: "← out", Direction.NONE: "·"}
"""The direction as the server sees it: a sign and a word, so that it does not depend on colour."""

KINDS = {
    Kind.REQUEST: "request",
    Kind.RESPONSE: "result",
    Kind.NOTIFICATION: "notify",
    Kind.ERROR: "error",
    Kind.MALFORMED: "broken",
    Kind.STDERR: "stderr",
    Kind.STDOUT: "stdout",
    Kind.HTTP: "http",
    Kind.LIFECYCLE: "core",
}
"""A short word for each kind."""

STATUSES = {
    OK: ("✓ ok", "traffic--good"),
    ERROR: ("✗ error", "traffic--bad"),
    TOOL_ERROR: ("✗ tool", "traffic--bad"),
    PENDING: ("… waits", "traffic--warn"),
    CANCELLED: ("⊘ cancel", "traffic--warn"),
    ASKS: ("? asks", "traffic--warn"),
    TASK: ("» task", "traffic--warn"),
}
"""The status of a message, with a sign and the component class of its colour."""


Messages: TypeAlias = tuple[Entry, ...]
"""The messages of a row: one, or a request and its response."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the list."""

    title: str
    width: int  # With the blank after it; 0 to fill the remaining width.
    weight: int  # In a narrow list the columns with the greatest weight are left out first; those with 0 stay.
    cell: Callable[[Entry], StyledText]
    is_right_aligned: bool = False
    # Of the row of a call, where that differs from the cell of its request.
    call_cell: Callable[[Messages], StyledText] | None = None
    meaning: str = ""
    message_width: int = 26  # The least width of the message beside it: with less, it is left out.


def _message(entry: Entry) -> StyledText:
    """Return the method and its subject; for an entry without a method, and an HTTP request of a tool, its text."""
    # Messages that belong to a call are indented under the call.
    indent = "  " if entry.parent and entry.kind is not Kind.RESPONSE and entry.kind is not Kind.ERROR else ""
    text, name = message_text(entry)
    return f"{indent}{text}", name


def message_text(entry: Entry) -> StyledText:
    """Return the text of a message, with what the user and the operator did to it."""
    if not entry.method or entry.method == HTTP_EVENT:
        return f"{_commented(entry)}{entry.summary}", "traffic--foreign"
    text = f"{_commented(entry)}{_changed(entry)}{row_text(entry)}"
    return text, "" if entry.direction is not Direction.NONE and entry.mark != "probe" else "traffic--muted"


def _commented(*messages: Entry) -> str:
    """Return the beginning of the first comment on these messages, in brackets."""
    comment = next((entry.annotation.comment for entry in messages if entry.annotation.comment), "")
    return f"[{shortened(comment, _MAX_COMMENT)}] " if comment else ""


def _changed(*messages: Entry) -> str:
    """Return what an operator did to the first of these messages that was changed while it was held."""
    return next((f"[{entry.hold}] " for entry in messages if entry.hold and entry.hold not in _UNCHANGED), "")


def row_text(entry: Entry) -> str:
    """Return a message on one line: early what differs from other messages, since the rest may be cut."""
    match entry.kind:
        case _ if entry.mark == "probe":
            return f"{entry.method} (probe)"
        case Kind.NOTIFICATION:
            return f"{entry.method.removeprefix(_NOTIFICATIONS)} {entry.summary}"
        case Kind.RESPONSE | Kind.ERROR if entry.size > _MOST_BYTES:
            return f"{entry.name or entry.method}: …"
        case Kind.RESPONSE | Kind.ERROR:
            return f"{entry.name or entry.method}: {entry.summary}"
        # The question and its answer matter in a round; the tool is named in the row above.
        case Kind.REQUEST if entry.direction is Direction.OUT or entry.mark == "retry" or entry.method == "tools/call":
            return f"{entry.method} {entry.summary}"
        case _:
            return f"{entry.method} {entry.name}"


def _call(messages: Messages) -> StyledText:
    """Return the text of a row with a request and, once there is one, its response."""
    request = messages[0]
    text, name = _message(request)
    if request.summary and (request.method == "tools/call" or request.direction is Direction.OUT):
        # A call of a tool, or a question, is recognised without its method.
        text = text.replace(f"{request.method} ", "", 1)
    if not request.hold or request.hold in _UNCHANGED:
        text = f"{_changed(*messages[1:])}{text}"
    text = f"{_commented(*messages[1:])}{text}"
    for answer in messages[1:] if request.mark != "probe" else ():
        summary = "…" if answer.size > _MOST_BYTES else answer.summary
        text = f"{text.rstrip()} → {summary}" if summary else text
    return text, name


def _took(entry: Entry) -> StyledText:
    # An answered request has the time of its response, which is in a row below.
    is_repeated = entry.kind is Kind.REQUEST and entry.pair != 0
    return "" if is_repeated else short_duration(entry.latency), "traffic--muted"


def _call_status(messages: Messages) -> StyledText:
    return next((_HELD for entry in messages if waits(entry)), _status(messages[0]))


def _status(entry: Entry) -> StyledText:
    if waits(entry):
        return _HELD
    if entry.status is PENDING and entry.method in LONG_LIVED:
        return "… open", "traffic--muted"
    return STATUSES.get(entry.status, ("", ""))


_NOTIFICATIONS = "notifications/"
_MAX_COMMENT = 30  # Characters of a comment in the row.
# A message that waits for an operator.
_HELD = "‖ held", "traffic--warn"
# What needs no mark in the row: a message that waits has its status, and one that was released is as it was.
_UNCHANGED = frozenset({HELD, "released"})
# A longer response is not parsed for its row.
_MOST_BYTES = 250_000


def _kind_class(entry: Entry) -> str:
    return "traffic--bad" if entry.kind in (Kind.ERROR, Kind.MALFORMED) else "traffic--muted"


COLUMNS = (
    Column("#", 7, 0, lambda entry: (str(entry.seq), "traffic--muted"), is_right_aligned=True),
    Column(
        "time",
        9,
        2,
        lambda entry: (time.strftime("%H:%M:%S", time.localtime(entry.time)), "traffic--muted"),
        meaning="when the record was made",
    ),
    Column("way", 6, 0, lambda entry: (DIRECTIONS[entry.direction], f"traffic--{entry.direction.value}")),
    Column(
        "kind",
        8,
        3,
        lambda entry: (KINDS[entry.kind], _kind_class(entry)),
        call_cell=lambda messages: ("call", _kind_class(messages[-1])),
        meaning="request, result, notification, print, and others",
    ),
    Column("message", 0, 0, _message, call_cell=_call),
    Column("id", 6, 4, lambda entry: (entry.id, "traffic--muted"), meaning="of the request"),
    Column("status", 9, 0, _status, call_cell=_call_status),
    Column(
        "took",
        9,
        1,
        _took,
        is_right_aligned=True,
        call_cell=lambda messages: (short_duration(messages[0].latency), "traffic--muted"),
        meaning="between request and response",
    ),
    Column(
        "size",
        9,
        5,
        lambda entry: (size(entry.size), "traffic--muted"),
        is_right_aligned=True,
        call_cell=lambda messages: (size(sum(message.size for message in messages)), "traffic--muted"),
        meaning="in bytes",
    ),
    # Painted by the list, which knows the time of the rows in view.
    Column(
        WATERFALL,
        24,
        7,
        lambda entry: ("", ""),
        meaning="when each call began and ended, among the rows in view",
        message_width=40,
    ),
    Column(
        "revision",
        12,
        6,
        lambda entry: (entry.revision, f"traffic--{entry.era or 'muted'}"),
        meaning="of the protocol",
    ),
    Column(
        "client",
        18,
        8,
        lambda entry: (f"{entry.session} {entry.client}".strip(), "traffic--muted"),
        meaning="the session and the name of its client",
        message_width=45,
    ),
)


def columns_for(width: int, hidden: Container[str] = ()) -> list[tuple[Column, int]]:
    """Return the columns that fit in a width, without the hidden ones, and their widths."""
    columns = [column for column in COLUMNS if not column.weight or column.title not in hidden]
    while (heaviest := max(columns, key=lambda column: column.weight)).weight:
        if width - sum(column.width for column in columns) >= heaviest.message_width:
            break
        columns.remove(heaviest)
    rest = width - sum(column.width for column in columns)
    return [(column, column.width or max(1, rest)) for column in columns]


def cell_of(column: Column, messages: Messages, *, is_call: bool) -> StyledText:
    if is_call and column.call_cell is not None:
        return column.call_cell(messages)
    return column.cell(messages[0])


def aligned(column: Column, text: str, name: str, width: int) -> StyledText:
    return (fit_right if column.is_right_aligned else fit)(text, width - 1) + " ", name


def heading_of(entry: Entry, *counterparts: Entry) -> str:
    """Return the heading of a message in the detail: its direction, status and duration.

    It is held as long as its response is, which its client does not have yet.
    """
    facts = [
        f"{DIRECTIONS[entry.direction]} {KINDS[entry.kind]} #{entry.seq}",
        _call_status((entry, *counterparts))[0],
        duration(entry.latency),
        f"id {entry.id}" if entry.id else "",
        size(entry.size),
        f"session {entry.session}" if entry.session else "",
    ]
    return " · ".join(fact for fact in facts if fact)
