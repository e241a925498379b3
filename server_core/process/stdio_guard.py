"""Keep everybody but the transport off the standard streams.

A tool may print, call C code that does, or start programs that inherit its descriptors. So the wire moves to
descriptors of its own, and what is left in the old places is harmless: descriptor 0 is at its end, and what is
written to descriptor 1 becomes a record, with the call that wrote it, and goes on to standard error.

Whose output it is: what Python code prints, of the call that this task or thread works on; what comes through
the descriptor, of the only call in flight. With several in flight nobody can tell, so nobody is named.

What is written to descriptor 2 goes the same way, since it may hold secrets: it is masked before it goes on to the real
standard error. Only this process reads it, so programs of tools live on when the reader of the real one has gone. What
comes in the very instant before the process is killed is lost.
"""

import contextlib
import io
import os
import select
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

from server_core.execution import running_calls
from server_core.execution.running_calls import NO_CALL, RunningCall
from server_core.process.standard_error import StandardError
from server_core.process.stray_lines import DESCRIPTOR, UNFINISHED_SECONDS, StrayLines
from server_core.records.tap import Kind, Tap
from server_core.runtime import console
from server_core.runtime.forks import in_forked

if TYPE_CHECKING:
    from typing_extensions import Buffer

PIPE_READS = 16
PATIENCE = 0.2
"""Seconds to wait for another thread that reads a pipe."""


class StdioGuard:
    """Take the standard streams away from everything in this process, until :meth:`close`.

    Args:
        tap: where stray output is recorded.

    Attributes:
        wire_in: what standard input was; the transport reads it.
        wire_out: what standard output was; the transport writes it.
        stderr: what standard error was.
    """

    def __init__(self, tap: Tap) -> None:
        self._stdout, self._stderr = sys.stdout, sys.stderr
        for stream in (self._stdout, self._stderr):
            if stream is not None:
                stream.flush()
        self.wire_in, self.wire_out = os.dup(0), os.dup(1)
        self.stderr = StandardError()
        printed = StrayLines(tap, Kind.STDOUT, self.stderr.write, self._flush_unfinished)
        complained = StrayLines(tap, Kind.STDERR, self.stderr.write, self._flush_unfinished)
        self._streams = (_Stream(1, printed), _Stream(2, complained))
        _move(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout, sys.stderr = (_stray(stream.write, stream.place) for stream in self._streams)
        console.write_with(_StrayBytes(self._streams[1].write, 2).write)
        self._stop_watching_calls = running_calls.watch_call_ends(self._call_ends)
        self._woken, self._wake = os.pipe()
        for fd in (self._woken, self._wake):
            os.set_blocking(fd, False)
        self._flush_pending = False
        self._closed = False
        self._thread = threading.Thread(target=self._watch_descriptors, name="stdio-guard", daemon=True)
        self._thread.start()
        self._forget_forks = in_forked(self._leave_to_the_parent)

    def _leave_to_the_parent(self) -> None:
        """In a forked process: what it still writes to the wire is lost, and nothing comes.

        Nor does it keep the pipes open, which it does not read.
        """
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (self.wire_in, self.wire_out, self.stderr.fd, *(stream.pipe for stream in self._streams)):
            os.dup2(nothing, fd)
        os.close(nothing)

    def drain(self) -> None:
        """Record and pass on all that has been written so far."""
        for stream in self._streams:
            stream.read()
            stream.lines.end_all()

    def close(self) -> None:
        """Put everything back where it was; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._forget_forks()
        self._stop_watching_calls()
        console.write_with(None)
        sys.stdout, sys.stderr = self._stdout, self._stderr
        os.dup2(self.wire_in, 0)
        os.dup2(self.wire_out, 1)
        self.stderr.put_back()
        self._flush_unfinished()
        self._thread.join()
        self.drain()
        for stream in self._streams:
            stream.close()
        self.stderr.close()
        for fd in (self.wire_in, self.wire_out, self._woken, self._wake):
            os.close(fd)

    def _flush_unfinished(self) -> None:
        if not self._flush_pending or self._closed:
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake, b".")

    def _watch_descriptors(self) -> None:
        # On a thread: a tool that fills a pipe on the loop's own thread would wait for itself for ever.
        watch = select.poll()
        streams = {stream.pipe: stream for stream in self._streams}
        for fd in (*streams, self._woken):
            watch.register(fd, select.POLLIN)
        while not self._closed:
            # In this order: who begins a line behind the question finds the answer to be no, and wakes this thread.
            self._flush_pending = False
            self._flush_pending = any(stream.lines.has_unfinished for stream in self._streams)
            reported = dict(watch.poll(UNFINISHED_SECONDS * 1000 if self._flush_pending else None))
            if self._woken in reported:
                os.read(self._woken, 1024)
            for fd in reported.keys() & streams.keys():
                if not streams[fd].read():
                    watch.unregister(fd)
            for stream in self._streams:
                stream.lines.pass_unfinished()

    def _call_ends(self, call: RunningCall) -> None:
        # What the call has written shall be recorded as its own, and before its answer.
        for stream in self._streams:
            stream.read()
            stream.lines.end(call)


class _Stream:
    """A pipe in the place of standard output or error.

    Args:
        place: the descriptor whose place it takes.
        lines: takes what comes out of it.
    """

    def __init__(self, place: int, lines: StrayLines) -> None:
        self.place = place
        self.lines = lines
        self.pipe, write_end = os.pipe()
        os.set_blocking(self.pipe, False)
        self._has_something = select.poll()
        self._has_something.register(self.pipe, select.POLLIN)
        self._reading = threading.RLock()
        _move(write_end, place)

    def write(self, data: bytes, call: RunningCall) -> None:
        """Take what Python code writes, behind what came through the descriptor before."""
        self.read()
        self.lines.write(data, call)

    def read(self) -> bool:
        """Take what is in the pipe now; return whether more can come."""
        # Whoever has read is still recording as long as it holds this; it may be held up by what this thread holds.
        if not self._reading.acquire(timeout=PATIENCE):
            return True
        try:
            if not self._has_something.poll(0):
                return True
            with contextlib.suppress(BlockingIOError):
                # No more than a pipe holds: somebody may be writing without end.
                for _ in range(PIPE_READS):
                    if not (data := os.read(self.pipe, 64 * 1024)):
                        return False
                    self.lines.write(data, DESCRIPTOR)
            return True
        finally:
            self._reading.release()

    def close(self) -> None:
        """Close the pipe; programs that still write to it get another reader, or they would be killed for it."""
        if not any(events & select.POLLHUP for _, events in self._has_something.poll(0)):
            _read_for_nobody(self.pipe)
        os.close(self.pipe)


def _read_for_nobody(pipe: int) -> None:
    """Start a program that reads a pipe until nobody writes to it any more."""
    nowhere = [(os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_WRONLY, 0) for place in (1, 2)]
    os.set_blocking(pipe, True)
    with contextlib.suppress(OSError, NotImplementedError):
        os.posix_spawnp(
            "cat", ["cat"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, pipe, 0), *nowhere], setsid=True
        )


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
        self._write(taken, running_calls.sole_call() if call is NO_CALL else call)
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
