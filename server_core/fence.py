"""Keep everybody but the transport off standard input and output.

A tool may print, call C code that does, or start programs that inherit its descriptors. So the wire moves to
descriptors of its own, and what is left in the old places is harmless: descriptor 0 is at its end, and what is
written to descriptor 1 becomes a record, with the call that wrote it, and goes on to standard error.

Whose output it is: what Python code prints, of the call that this task or thread works on; what comes through
the descriptor, of the only call in flight. With several in flight nobody can tell, so nobody is named.

Descriptor 2 stays what it is as long as somebody reads it, so that the last words of a crash get out; what Python code
writes there is recorded on its way, line by line, since half a line may end with half a secret.
"""

import contextlib
import io
import os
import select
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

from server_core import narration
from server_core.execution import running_calls
from server_core.execution.running_calls import NO_CALL, RunningCall
from server_core.forking import in_forked
from server_core.standard_error import StandardError
from server_core.tap import Kind, Record, Tap

if TYPE_CHECKING:
    from typing_extensions import Buffer

LINE_LIMIT = 16 * 1024
"""A longer line becomes several records of so many bytes."""
PIPE_READS = 16


class Fence:
    """Take standard input and output away from everything in this process, until :meth:`close`.

    Args:
        tap: where stray output is recorded.

    Attributes:
        wire_in: what standard input was; the transport reads it.
        wire_out: what standard output was; the transport writes it.
    """

    def __init__(self, tap: Tap) -> None:
        self._stdout, self._stderr = sys.stdout, sys.stderr
        if self._stdout is not None:
            self._stdout.flush()
        self.wire_in, self.wire_out = os.dup(0), os.dup(1)
        self._pipe, write_end = os.pipe()
        os.set_blocking(self._pipe, False)
        self._pipe_has_something = select.poll()
        self._pipe_has_something.register(self._pipe, select.POLLIN)
        _move(write_end, 1)
        _move(os.open(os.devnull, os.O_RDONLY), 0)
        self._watch = select.poll()
        self._stderr_fd = StandardError(self._watch)
        self._printed = _StrayLines(tap, Kind.STDOUT, self._pass_on)
        self._complained = _StrayLines(tap, Kind.STDERR, self._pass_on)
        sys.stdout, sys.stderr = _stray(self._printed.write, 1), _stray(self._complained.write, 2)
        narration.write_with(_StrayBytes(self._complained.write, 2).write)
        self._stop_watching_calls = running_calls.watch_ends(self._call_ends)
        self._end, self._wake = os.pipe()
        self._reading = threading.Lock()
        self._thread = threading.Thread(target=self._watch_descriptors, name="fence", daemon=True)
        self._thread.start()
        self._closed = False
        self._forget_forks = in_forked(self._leave_to_the_parent)

    def _leave_to_the_parent(self) -> None:
        """In a forked process: what it still writes to the wire is lost, and nothing comes."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (self.wire_in, self.wire_out):
            os.dup2(nothing, fd)
        os.close(nothing)

    def close(self) -> None:
        """Put everything back where it was; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._forget_forks()
        self._stop_watching_calls()
        narration.write_with(None)
        sys.stdout, sys.stderr = self._stdout, self._stderr
        os.dup2(self.wire_in, 0)
        os.dup2(self.wire_out, 1)
        os.write(self._wake, b".")
        self._thread.join()
        self._read_pipe()
        self._printed.end_all()
        self._complained.end_all()
        self._stderr_fd.close()
        for fd in (self.wire_in, self.wire_out, self._pipe, self._end, self._wake):
            os.close(fd)

    def _watch_descriptors(self) -> None:
        # On a thread: a tool that fills the pipe on the loop's own thread would wait for itself for ever.
        for fd in (self._pipe, self._end):
            self._watch.register(fd, select.POLLIN)
        while self._end not in (reported := dict(self._watch.poll())):
            if self._pipe in reported and not self._read_pipe():
                self._watch.unregister(self._pipe)
            self._stderr_fd.look(reported)

    def _read_pipe(self) -> bool:
        """Take what is in the pipe now; return whether more can come."""
        # Whoever has read is still recording as long as it holds this.
        with self._reading:
            if not self._pipe_has_something.poll(0):
                return True
            with contextlib.suppress(BlockingIOError):
                # No more than a pipe holds: somebody may be writing without end.
                for _ in range(PIPE_READS):
                    if not (data := os.read(self._pipe, 64 * 1024)):
                        return False
                    self._printed.write(data, running_calls.only_one())
            return True

    def _pass_on(self, record: Record) -> None:
        self._stderr_fd.write(record.data + b"\n")

    def _call_ends(self, call: RunningCall) -> None:
        # What the call has written shall be recorded as its own, and before its answer.
        self._read_pipe()
        self._printed.end(call)
        self._complained.end(call)


class _StrayLines:
    """Put what calls write together to lines, and record each of them.

    Args:
        tap: where the lines are recorded.
        kind: STDOUT or STDERR.
        on_record: called with each record.
    """

    def __init__(self, tap: Tap, kind: Kind, on_record: Callable[[Record], None] | None = None) -> None:
        self._tap = tap
        self._kind = kind
        self._on_record = on_record
        self._begun: dict[RunningCall, bytes] = {}
        self._lock = threading.Lock()

    def write(self, data: bytes, call: RunningCall) -> None:
        """Take some bytes that a call wrote."""
        with self._lock:
            *lines, rest = (self._begun.pop(call, b"") + data).split(b"\n")
            pieces = [piece for line in lines for piece in self._cut(line)]
            *whole, rest = self._cut(rest, self._tap.masker.reach)
            if rest:
                self._begun[call] = rest
        self._record(pieces + whole, call)

    def end(self, call: RunningCall) -> None:
        """Record what a call began and did not end with a newline."""
        if not self._begun:
            return
        with self._lock:
            rest = self._begun.pop(call, b"")
        if rest:
            self._record(self._cut(rest), call)

    def end_all(self) -> None:
        """Record what any call began and did not end."""
        for call in list(self._begun):
            self.end(call)

    def _cut(self, line: bytes, reach: int = 0) -> list[bytes]:
        """Return the pieces that a long line is recorded in, none of which ends within a secret.

        Args:
            line: its bytes.
            reach: how many bytes are wanted behind a cut, of a line that has not ended.
        """
        pieces = []
        while len(line) > LINE_LIMIT + reach:
            at = self._tap.masker.cut(line, LINE_LIMIT)
            pieces.append(line[:at])
            line = line[at:]
        return [*pieces, line]

    def _record(self, lines: list[bytes], call: RunningCall) -> None:
        for line in lines:
            record = self._tap.emit(self._kind, line, session=call.session, call=call.name)
            if self._on_record is not None:
                self._on_record(record)


class _StrayBytes(io.BufferedIOBase):
    """What stands in the place of `sys.stdout.buffer`.

    Args:
        write: takes what was written, and the call that wrote it.
        fd: the descriptor that a child process gets when it is given this stream.
    """

    def __init__(self, write: Callable[[bytes, RunningCall], None], fd: int) -> None:
        self._write = write
        self._fd = fd
        self._process = os.getpid()

    def write(self, data: "Buffer", /) -> int:
        taken = bytes(data)
        if os.getpid() != self._process:
            # A forked child has a copy of this object and none of its threads; the descriptor leads to the parent.
            return os.write(self._fd, taken)
        call = running_calls.current.get()
        self._write(taken, running_calls.only_one() if call is NO_CALL else call)
        return len(taken)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd


def _stray(write: Callable[[bytes, RunningCall], None], fd: int) -> TextIO:
    stand_in = cast(BinaryIO, _StrayBytes(write, fd))
    return io.TextIOWrapper(stand_in, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)


def _move(fd: int, place: int) -> None:
    os.dup2(fd, place)
    os.close(fd)
