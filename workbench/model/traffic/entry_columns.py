"""The facts of all entries of a timeline, a column for each: about 50 bytes for an entry."""

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import compress
from sys import intern
from typing import Any, BinaryIO

from server_core.records.tap import Direction, Kind, Record
from workbench.model.traffic.annotations import Annotation
from workbench.model.traffic.bodies import Bodies
from workbench.model.traffic.entry import ERROR, HOLDS, PASSED, STATUSES, TOOL_ERROR

_KINDS = {kind: code for code, kind in enumerate(Kind)}
ANSWERS = frozenset({_KINDS[Kind.RESPONSE], _KINDS[Kind.ERROR]})
"""The codes of the kinds of responses."""
EFFECTS = frozenset({_KINDS[kind] for kind in (Kind.STDOUT, Kind.STDERR, Kind.LIFECYCLE, Kind.NOTIFICATION)})
"""The codes of the kinds that are in the row of a call if they belong to it."""

_DIRECTIONS = {direction: code for code, direction in enumerate(Direction)}

# What is no message, and perhaps the error that answers it, which has no request.
_LONE_ERRORS = frozenset({_KINDS[Kind.MALFORMED], _KINDS[Kind.ERROR]})
_REQUEST = _KINDS[Kind.REQUEST]
_TO_SERVER = _DIRECTIONS[Direction.IN]
_FAILED = frozenset({STATUSES.index(ERROR), STATUSES.index(TOOL_ERROR)})
_PASSED = HOLDS.index(PASSED)

_TICKS_PER_SECOND = 100_000
# A longer time, of more than 11 hours, is shown as this.
_MOST_TICKS = 2**32 - 1
# So many digits fit into a column.
_MOST_DIGITS = 18
# The columns of texts, whose numbers have two bytes as long as there are few texts.
_TEXTS = ("session", "method", "name", "client", "revision")
_MOST_SHORT = 2**16
_MOST_LONG = 2**32
_MOST_SIGNED = 2**31


class EntryColumns:
    """A column is named as the fact of the entries. Texts are codes of `texts`, and entries are places, from 1."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.texts = [""]
        self._codes = {"": 0}
        self.annotations: dict[int, Annotation] = {}  # By the number of the entry; few have any.
        # For how long requests were held before they were delivered, by index; few were.
        self.held_seconds: dict[int, float] = {}
        self.seq = array("I")
        self.time = array("d")
        self.size = array("I")
        self.kind = array("B")
        self.direction = array("B")
        self.status = array("B")
        self.era = array("B")
        self.mark = array("B")
        self.hold = array("B")
        self.session = array("H")
        self.method = array("H")
        self.name = array("H")
        self.client = array("H")
        self.revision = array("H")
        self.pair = array("I")
        self.parent = array("I")
        # How long the tool of a call ran, in ticks, and 1; 0 if that is unknown.
        self._ran = array("I")
        # The number of an id, or -1 - the code of its text.
        self._id = array("i")
        # The place of the request that is referred to, or the negative code of a text.
        self._call = array("i")

        self._group_columns()

    def _group_columns(self) -> None:
        # What a response has in common with its request.
        self.shared = (self._id, self.method, self.name, self.client, self.mark)
        # What is not known of a record before it is read.
        blank = (self.status, self.era, self.mark, self.hold, self.method, self.name, self.client, self.revision)
        self._add_blank = [column.append for column in (*blank, self.pair, self.parent, self._ran)]

    def __len__(self) -> int:
        return len(self.seq)

    def arrays(self) -> Iterator[tuple[str, "array[Any]"]]:
        """Yield each column with its name, in the same order each time."""
        return ((name, column) for name, column in vars(self).items() if isinstance(column, array))

    def continued(self) -> list[int]:
        """Return the indexes of the requests that belong to the call of another."""
        requests = compress(enumerate(self.parent), mask_of(self.kind, {_KINDS[Kind.REQUEST]}))
        return [index for index, parent in requests if parent]

    def read(self, name: str, typecode: str, file: BinaryIO, count: int) -> None:
        """Read a column from a file that :meth:`tofile` has written."""
        self._widen((name,), typecode)
        getattr(self, name).fromfile(file, count)

    def set_texts(self, texts: list[str]) -> None:
        """Replace the texts, of which the first is empty."""
        self.texts = texts
        self._codes = {text: code for code, text in enumerate(texts)}

    def parts_of(self, request: int, start: int) -> list[int]:
        """Return the indexes, from one on, of the entries that belong to the call of a request."""
        parents, parts = self.parent, []
        with suppress(ValueError):
            while True:
                start = parents.index(request + 1, start)
                parts.append(start)
                start += 1
        return parts

    def place_of(self, seq: int) -> int:
        """Return the index of the entry with a number, or of the next entry if there is none."""
        seqs = self.seq
        if not seqs:
            return 0
        # Without gaps, which is the usual case, the index follows from the number.
        guess = seq - seqs[0]
        if 0 <= guess < len(seqs) and seqs[guess] == seq:
            return guess
        return bisect_left(seqs, seq)

    def index_of(self, seq: int) -> int:
        """Return the index of the entry with a number; -1 if there is none."""
        index = self.place_of(seq)
        return index if index < len(self.seq) and self.seq[index] == seq else -1

    def append(self, record: Record, seq: int, named: int) -> int:
        """Add a record with the facts that it has itself, and return its index.

        Args:
            seq: the number of the entry.
            named: the number of the entry that the record refers to; 0 for none.
        """
        if seq >= _MOST_LONG and self.seq.typecode == "I":
            self._widen(("seq",), "q")
        index = len(self.seq)
        self.seq.append(seq)
        self.time.append(record.time)
        self.size.append(len(record.data))
        self.kind.append(_KINDS[record.kind])
        self.direction.append(_DIRECTIONS[record.direction])
        self.session.append(self.code_of(record.session))
        for append in self._add_blank:
            append(0)
        self._id.append(-1)
        self._call.append(self._call_code(record.call, named))
        self.bodies.add(index, record.data)
        return index

    def code_of(self, text: str) -> int:
        """Return the code of a text, which is stored once."""
        code = self._codes.get(text)
        if code is None:
            code = self._codes[intern(text)] = len(self.texts)
            self.texts.append(text)
            if code == _MOST_SHORT:
                self._widen(_TEXTS, "I")
        return code

    def _widen(self, names: Iterable[str], typecode: str) -> None:
        """Let the numbers of columns have more bytes."""
        for name in names:
            setattr(self, name, array(typecode, getattr(self, name)))
        self._group_columns()

    def id_at(self, index: int) -> str:
        number = self._id[index]
        return str(number) if number >= 0 else self.texts[-1 - number]

    def set_id(self, index: int, text: str) -> None:
        """Store an id; the digits of a number need no text of their own."""
        number = int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else -1
        code = number if number >= 0 and str(number) == text else -1 - self.code_of(text)
        if code >= _MOST_SIGNED and self._id.typecode == "i":
            self._widen(("_id",), "q")
        self._id[index] = code

    def _call_code(self, call: str, named: int) -> int:
        place = self.index_of(named) + 1 if named else 0
        # A text of its own for each call would take more memory than all other facts.
        return place if place and call.rpartition("@")[0] == self.id_at(place - 1) else -self.code_of(call)

    def call_at(self, index: int) -> str:
        """Return the name of the request that a record refers to; see `call_name` of the tap."""
        place = self._call[index]
        return f"{self.id_at(place - 1)}@{self.seq[place - 1]}" if place > 0 else self.texts[-place]

    def named_at(self, index: int) -> int:
        """Return the number of the entry of the request that a record refers to; 0 if it is not here."""
        place = self._call[index]
        return self.seq[place - 1] if place > 0 else 0

    def call_results(self, indexes: Iterable[int]) -> Iterator[tuple[int, bool, bool, float | None]]:
        """Yield the client's requests among entries, and errors that answer no request.

        Each is its index, whether it is a request, whether it failed, and seconds until its response.
        """
        kinds, directions, holds = self.kind, self.direction, self.hold
        for index in indexes:
            # What was delivered instead of a message that was held is no call of its own.
            if holds[index] == _PASSED:
                continue
            if kinds[index] in _LONE_ERRORS:
                if not self.pair[index] and self.status[index] in _FAILED:
                    yield index, False, True, None
            elif kinds[index] == _REQUEST and directions[index] == _TO_SERVER:
                yield index, True, self.status[index] in _FAILED, self.latency_at(index)

    def latency_at(self, index: int) -> float | None:
        """Return the seconds between a request or response and its counterpart; None without one.

        The time for which the request was held is left out: it is no time of the server.
        """
        place = self.pair[index]
        if not place:
            return None
        request, response = (index, place - 1) if place > index else (place - 1, index)
        seconds = self.time[response] - self.time[request]
        if self.held_seconds:
            seconds -= self.held_seconds.get(request, 0.0)
        return seconds if seconds > 0.0 else 0.0

    def tool_time_at(self, index: int) -> float | None:
        """Return how long the tool of a call ran, in seconds; None if that is unknown."""
        ticks = self._ran[index]
        return (ticks - 1) / _TICKS_PER_SECOND if ticks else None

    def set_tool_time(self, index: int, seconds: float) -> None:
        self._ran[index] = max(1, min(round(seconds * _TICKS_PER_SECOND) + 1, _MOST_TICKS))


def mask_of(column: "array[int]", codes: Collection[int]) -> bytes:
    """Return a byte for each value of a column of bytes: 1 if it is one of the codes, which is fast for a million."""
    return column.tobytes().translate(bytes(code in codes for code in range(256)))
