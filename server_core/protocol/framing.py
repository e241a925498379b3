"""Newline-delimited framing: the bytes of a stream -> complete messages.

Specification: basic/transports, stdio: "Messages are delimited by newlines, and MUST NOT contain embedded newlines."
"""

DEFAULT_LIMIT = 16 * 1024 * 1024
# JSON whitespace (RFC 8259 section 2): a line that consists of it is not a message.
_BLANK = b" \t\r"


class OversizedLine:
    """A line that was longer than the limit, in bytes; only its start is available, enough to recognise it."""

    __slots__ = ("limit", "start")

    def __init__(self, start: bytes, limit: int) -> None:
        self.start = start
        self.limit = limit


class TruncatedMessage(bytes):
    """The start of a message that was too long, where messages are bytes."""


class LineFramer:
    """Split a stream of bytes into lines of at most `limit` bytes, without the newline; longer lines are discarded."""

    _START_LENGTH = 4096

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    def receive_data(self, data: bytes) -> list[bytes | OversizedLine]:
        """Process bytes read from the stream, and return the lines that are complete now, without CR and LF.

        Blank lines are left out, and a line over the limit is returned as :class:`OversizedLine`.
        """
        lines: list[bytes | OversizedLine] = []
        if not self._pieces and len(data) <= self._limit:
            # None of these lines can be too long.
            *whole, rest = data.split(b"\n")
            if rest:
                self._add(rest)
            return [line.removesuffix(b"\r") for line in whole if line.strip(_BLANK)]
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add(data[start:end])
            self._end_line(lines)
            start = end + 1
        if start < len(data):
            self._add(data[start:])
        return lines

    def receive_eof(self) -> list[bytes | OversizedLine]:
        """Return the last line, if the stream ended without a newline after it."""
        lines: list[bytes | OversizedLine] = []
        self._end_line(lines)
        return lines

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._pieces.append(piece)
        elif self._pieces:
            # Over the limit: keep the start, which identifies the message, and discard the rest.
            self._pieces = [b"".join(self._pieces)[: self._START_LENGTH]]
        else:
            self._pieces = [piece[: self._START_LENGTH]]

    def _end_line(self, lines: list[bytes | OversizedLine]) -> None:
        line = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        oversized = self._size > self._limit
        self._pieces, self._size = [], 0
        if oversized:
            lines.append(OversizedLine(line[: self._START_LENGTH], self._limit))
        elif line.strip(_BLANK):
            lines.append(line.removesuffix(b"\r"))
