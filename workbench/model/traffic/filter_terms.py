"""The terms of the filter language: one token -> a test for entries.

The grammar, and the meaning of each term, are documented in `workbench.model.traffic.filter`.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from server_core.records.tap import Direction, Kind
from server_core.runtime.suggestions import closest_name
from workbench.model.traffic.annotations import MARKS
from workbench.model.traffic.entry import (
    ASKS,
    CANCELLED,
    DELAYED,
    ERROR,
    HANDSHAKE,
    HELD,
    OK,
    OUTCOMES,
    PASSED,
    PENDING,
    STATELESS,
    TASK,
    TOOL_ERROR,
)
from workbench.model.traffic.filter_texts import contains, matches_regex
from workbench.model.traffic.filter_times import is_after
from workbench.model.traffic.filter_tokens import FilterError, Test, Token
from workbench.model.traffic.message_facts import MessageFacts

T = TypeVar("T")


def term(token: Token) -> Test:
    match token.kind:
        case "compare":
            return _comparison(token)
        case "regex":
            return matches_regex(token)
        case "field":
            if not token.text and not token.is_quoted:
                raise FilterError(f"{token.name}: needs a value directly after it", token.position)
            return FIELDS[token.name](token)
        case _:
            return contains(token.text)


def _comparison(token: Token) -> Test:
    limit = _amount(token, _UNITS[token.name])
    compare = _COMPARE[token.operator]
    match token.name:
        case "size":
            return lambda entry: compare(entry.size, limit)
        case "seq":
            return lambda entry: compare(entry.seq, limit)
        case _:
            return lambda entry: entry.latency is not None and compare(entry.latency, limit)


def _amount(token: Token, units: Mapping[str, float]) -> float:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)([a-z]*)", token.text.lower())
    if match is None or match[2] not in units:
        named = [unit for unit in units if unit]
        example = f"{token.name}{token.operator}{_EXAMPLES[token.name]}"
        ending = f" with one of the units {', '.join(named)}" if named else ""
        raise FilterError(f"{token.name} is compared with a number{ending}, such as {example}", token.position)
    return float(match[1]) * units[match[2]]


_UNITS: dict[str, Mapping[str, float]] = {
    "dur": {"ms": 0.001, "s": 1.0, "min": 60.0, "": 0.001},
    "size": {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2},
    "seq": {"": 1},
}
_EXAMPLES = {"dur": "500ms", "size": "64k", "seq": "100"}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
}


def _method(token: Token) -> Test:
    needle = token.text.lower()
    return lambda entry: needle in entry.method.lower()


def _tool(token: Token) -> Test:
    needle = token.text.lower()
    return lambda entry: needle in entry.name.lower()


def _client(token: Token) -> Test:
    needle = token.text.lower()
    return lambda entry: needle in entry.client.lower()


def _session(token: Token) -> Test:
    return lambda entry: entry.session == token.text


def _after(token: Token) -> Test:
    try:
        is_in_time = is_after(token.text)
    except ValueError as error:
        example = f"{token.name}:9:30 or {token.name}:2026-01-31T09:30:15"
        raise FilterError(f"{token.name}: needs a time or a date, such as {example}", token.position) from error
    return lambda entry: is_in_time(entry.time)


def _before(token: Token) -> Test:
    is_in_time = _after(token)
    return lambda entry: not is_in_time(entry)


def _text(token: Token) -> Test:
    return contains(token.text)


def _direction(token: Token) -> Test:
    direction = _choice(token, _DIRECTIONS)
    return lambda entry: entry.direction is direction


def _kind(token: Token) -> Test:
    kind = _choice(token, _KINDS)
    return lambda entry: entry.kind is kind


def _status(token: Token) -> Test:
    statuses = _choice(token, _STATUSES)
    return lambda entry: entry.status in statuses


def _id(token: Token) -> Test:
    as_string = f'"{token.text}"'
    if token.is_quoted:
        return lambda entry: entry.id == as_string
    return lambda entry: entry.id in (token.text, as_string)


def _call(token: Token) -> Test:
    seq = int(token.text) if re.fullmatch(r"\d{1,18}", token.text) else None
    if seq is None:
        raise FilterError("call: needs the number of a record, such as call:12", token.position)
    return lambda entry: entry.seq == seq or entry.parent == seq


def _era(token: Token) -> Test:
    era = _choice(token, _ERAS)
    return lambda entry: entry.era == era


def _revision(token: Token) -> Test:
    return lambda entry: token.text in entry.revision


def _probe(token: Token) -> Test:
    is_probe = _choice(token, {"yes": True, "no": False})
    return lambda entry: (entry.mark == "probe") is is_probe


def _hold(token: Token) -> Test:
    states = _choice(token, _HOLDS)
    return lambda entry: entry.hold in states


def _mark(token: Token) -> Test:
    mark = _choice(token, _MARKS)
    return lambda entry: entry.annotation.mark == mark if mark else bool(entry.annotation.mark)


def _comment(token: Token) -> Test:
    needle = "" if token.text == _ANY else token.text.lower()
    return lambda entry: bool(entry.annotation.comment) and needle in entry.annotation.comment.lower()


def _secret(token: Token) -> Test:
    """Return the test for records in which the value of a secret was replaced by its name."""
    name = b"[^<>]*" if token.text.lower() in (_LEAK, _ANY) else re.escape(token.text.encode("utf-8", "surrogatepass"))
    masked = re.compile(rb"<secret [^<>]*" + name + rb"[^<>]*>", re.IGNORECASE)

    def test(entry: MessageFacts) -> bool:
        data = entry.data
        if data is None:
            data = entry.summary.encode("utf-8", "surrogatepass")
        return b"<secret " in data and masked.search(data) is not None

    return test


def _choice(token: Token, choices: Mapping[str, T]) -> T:
    choice = choices.get(token.text.lower())
    if choice is None:
        close = closest_name(token.text, choices)
        hint = "" if close is None else f"; did you mean {close} ?"
        raise FilterError(f"{token.name}: is one of {', '.join(choices)}{hint}", token.position)
    return choice


FIELDS: dict[str, Callable[[Token], Test]] = {
    "method": _method,
    "tool": _tool,
    "client": _client,
    "dir": _direction,
    "status": _status,
    "id": _id,
    "kind": _kind,
    "session": _session,
    "call": _call,
    "era": _era,
    "rev": _revision,
    "probe": _probe,
    "hold": _hold,
    "mark": _mark,
    "comment": _comment,
    "secret": _secret,
    "after": _after,
    "before": _before,
    "text": _text,
}
_DIRECTIONS = {"in": Direction.IN, "out": Direction.OUT, "c2s": Direction.IN, "s2c": Direction.OUT}
_KINDS = {kind.value: kind for kind in Kind} | {"notify": Kind.NOTIFICATION}
_STATUSES = {
    "ok": frozenset({OK}),
    "err": frozenset({ERROR, TOOL_ERROR}),
    "error": frozenset({ERROR}),
    "tool": frozenset({TOOL_ERROR}),
    "pending": frozenset({PENDING}),
    "cancelled": frozenset({CANCELLED}),
    "asks": frozenset({ASKS}),
    "task": frozenset({TASK}),
}
# The words of the command line's --era, and the names of the eras.
_ERAS = {"legacy": HANDSHAKE, "handshake": HANDSHAKE, "modern": STATELESS, "stateless": STATELESS}
# What waits has not come to an end; what was delivered is a message of its own.
_HOLDS = {
    "any": frozenset({HELD, DELAYED, PASSED, *OUTCOMES}),
    "waits": frozenset({HELD, DELAYED}),
    **{state: frozenset({state}) for state in (*OUTCOMES, PASSED)},
}
_ANY = "*"
_LEAK = "leak"
# An empty mark stands for each of them.
_MARKS = {**{mark: mark for mark in MARKS}, _ANY: ""}

CHOICES = {
    "dir": tuple(_DIRECTIONS),
    "kind": tuple(_KINDS),
    "status": tuple(_STATUSES),
    "era": tuple(_ERAS),
    "probe": ("yes", "no"),
    "hold": tuple(_HOLDS),
    "mark": tuple(_MARKS),
    "secret": (_LEAK,),
}
"""The values of the fields that have a fixed set of them."""
