"""The terms of the filter language: one token -> a test for entries.

The grammar, and the meaning of each term, are documented in `workbench.model.traffic.filter`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from server_core.records.tap import Direction, Kind
from server_core.runtime.suggestions import closest_name
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
from workbench.model.traffic.filter_times import is_after
from workbench.model.traffic.message_facts import MessageFacts

Test: TypeAlias = Callable[[MessageFacts], bool]
T = TypeVar("T")


class FilterError(ValueError):
    """A text that is no valid filter: the problem with its fix, and the index of the problem in the text."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a filter."""

    kind: str  # "word", "regex", "field", "compare", or an operator itself
    text: str  # the word, pattern or value, without quotes
    position: int  # its index in the text
    name: str = ""  # of the field, in lower case
    operator: str = ""  # of a comparison
    is_quoted: bool = False


def term(token: Token) -> Test:
    match token.kind:
        case "compare":
            return _comparison(token)
        case "regex":
            return _regex(token)
        case "field":
            if not token.text and not token.is_quoted:
                raise FilterError(f"{token.name}: needs a value directly after it", token.position)
            return FIELDS[token.name](token)
        case _:
            return contains(token.text)


def contains(text: str) -> Test:
    """Return a test for entries whose method, name or body contains the text, in any case."""
    lowered = text.lower()
    first, *others = _forms_in_json(lowered)
    name_matches = _NameMatches(lowered)

    def test(entry: MessageFacts) -> bool:
        if name_matches[entry.method] or name_matches[entry.name]:
            return True
        if entry.data is None:
            return lowered in entry.summary.lower()
        # bytes.lower() changes ASCII letters only; lowering the decoded text would cost ten times as much.
        body = entry.data.lower()
        return first in body or (bool(others) and any(needle in body for needle in others))

    return test


class _NameMatches(dict[str, bool]):
    """Whether a name contains the text; each name is checked once, because a hundred thousand entries share few."""

    def __init__(self, lowered: str) -> None:
        super().__init__()
        self._lowered = lowered

    def __missing__(self, name: str) -> bool:
        self[name] = is_match = self._lowered in name.lower()
        return is_match


def _forms_in_json(text: str) -> tuple[bytes, ...]:
    """Return the notations of a text in JSON: unchanged, and with escapes."""
    plain = text.encode("utf-8", "surrogatepass")
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').encode("utf-8", "surrogatepass")
    ascii_only = "".join(char if char.isascii() else _unicode_escape(char) for char in text).encode()
    return tuple(dict.fromkeys((plain, quoted, ascii_only)))


def _unicode_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _regex(token: Token) -> Test:
    try:
        pattern = re.compile(token.text, re.IGNORECASE)
        in_body = re.compile(token.text.encode("utf-8", "surrogatepass"), re.IGNORECASE)
    except re.error as error:
        raise FilterError(f"/{token.text}/ is not a regular expression: {error}", token.position) from error

    def test(entry: MessageFacts) -> bool:
        if pattern.search(entry.method) or pattern.search(entry.name):
            return True
        if entry.data is None:
            return pattern.search(entry.summary) is not None
        return in_body.search(entry.data) is not None

    return test


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

CHOICES = {
    "dir": tuple(_DIRECTIONS),
    "kind": tuple(_KINDS),
    "status": tuple(_STATUSES),
    "era": tuple(_ERAS),
    "probe": ("yes", "no"),
    "hold": tuple(_HOLDS),
}
"""The values of the fields that have a fixed set of them."""
