"""Protect the standard streams from everything but the transport.

A tool may print, call C code that prints, or start programs that inherit its descriptors. So the wire is moved to
other descriptors, and the standard ones become harmless: descriptor 0 is at end of file, and output to descriptor 1
becomes a record, attributed to the call that wrote it, and is forwarded to standard error.

Output of Python code is attributed to the call of the current task or thread; output through the descriptor, to the
only call in flight. With several calls in flight the source is unknown, so it is attributed to none.

Output to descriptor 2 is handled in the same way, since it may contain secrets: it is masked before it is forwarded to
the real standard error. Only this process reads it, so programs started by tools survive when the reader of the real
standard error disappears. Output in the last instant before the process is killed is lost.
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
from server_core.execution.running_calls import NO_CALL, InFlight
from server_core.process.standard_error import StandardError
from server_core.process.stray_lines import DESCRIPTOR, UNFINISHED_SECONDS, StrayLines
from server_core.records.tap import Kind, Tap
from server_core.runtime import console
from server_core.runtime.process_exit import on_fork

if TYPE_CHECKING:
    from typing_extensions import Buffer

PIPE_READS = 16
PATIENCE = 0.2
"""Seconds to wait for another thread that is reading a pipe."""


class StdioGuard:
    """Redirect the standard streams of this process, until :meth:`close`.

    Args:
        tap: records stray output.

    Attributes:
        wire_in: the original standard input; the transport reads it.
        wire_out: the original standard output; the transport writes it.
        stderr: the original standard error.
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
        self._forget_forks = on_fork(self._leave_to_the_parent)

    def _leave_to_the_parent(self) -> None:
        """Detach a forked process: its output to the wire is discarded, and it receives nothing.

        It does not keep the pipes open either, because it does not read them.
        """
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (self.wire_in, self.wire_out, self.stderr.fd, *(stream.pipe for stream in self._streams)):
            os.dup2(nothing, fd)
        os.close(nothing)

    def drain(self) -> None:
        """Record and forward all output so far."""
        for stream in self._streams:
            stream.read()
            stream.lines.end_all()

    def close(self) -> None:
        """Restore the standard streams; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self._forget_forks()
        self._stop_watching_calls()
        console.write_with(None)
        sys.stdout, sys.stderr = self._stdout, self._stderr
        os.dup2(self.wire_in, 0)
        os.dup2(self.wire_out, 1)
        self.stderr.restore()
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
        # On a separate thread: a tool that fills a pipe on the loop's thread would otherwise wait for itself forever.
        watch = select.poll()
        streams = {stream.pipe: stream for stream in self._streams}
        for fd in (*streams, self._woken):
            watch.register(fd, select.POLLIN)
        while not self._closed:
            # In this order: a line that begins after the check sees the flag unset, and wakes this thread.
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

    def _call_ends(self, call: InFlight) -> None:
        # The output of the call must be recorded as its own, and before its response.
        for stream in self._streams:
            stream.read()
            stream.lines.end(call)


class _Stream:
    """A pipe that replaces standard output or standard error.

    Args:
        place: the descriptor that it replaces.
        lines: receives the output.
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

    def write(self, data: bytes, call: InFlight) -> None:
        """Process output of Python code, after any earlier output through the descriptor."""
        self.read()
        self.lines.write(data, call)

    def read(self) -> bool:
        """Read the contents of the pipe; return whether more can follow."""
        # A thread that has read holds this lock until it has recorded the data; it may wait for a lock of this thread.
        if not self._reading.acquire(timeout=PATIENCE):
            return True
        try:
            if not self._has_something.poll(0):
                return True
            with contextlib.suppress(BlockingIOError):
                # No more than the capacity of a pipe: a program may be writing without end.
                for _ in range(PIPE_READS):
                    if not (data := os.read(self.pipe, 64 * 1024)):
                        return False
                    self.lines.write(data, DESCRIPTOR)
            return True
        finally:
            self._reading.release()

    def close(self) -> None:
        """Close the pipe; programs that still write to it get another reader, or SIGPIPE would kill them."""
        if not any(events & select.POLLHUP for _, events in self._has_something.poll(0)):
            _start_drain(self.pipe)
        os.close(self.pipe)


def _start_drain(pipe: int) -> None:
    """Start a program that reads and discards the contents of a pipe until all writers have closed it."""
    nowhere = [(os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_WRONLY, 0) for place in (1, 2)]
    os.set_blocking(pipe, True)
    with contextlib.suppress(OSError, NotImplementedError):
        os.posix_spawnp(
            "cat", ["cat"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, pipe, 0), *nowhere], setsid=True
        )


class _StrayBytes(io.BufferedIOBase):
    """The replacement of `sys.stdout.buffer`.

    Args:
        write: called with the data and the call that wrote it.
        fd: the descriptor for child processes that are given this stream.
    """

    def __init__(self, write: Callable[[bytes, InFlight], None], fd: int) -> None:
        self._write = write
        self._fd = fd
        self._process = os.getpid()

    def write(self, data: "Buffer", /) -> int:
        written = bytes(data)
        if os.getpid() != self._process:
            # A forked child has a copy of this object but not its threads; the descriptor leads to the parent.
            return os.write(self._fd, written)
        call = running_calls.current.get()
        self._write(written, running_calls.sole_call() if call is NO_CALL else call)
        return len(written)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd


def _stray(write: Callable[[bytes, InFlight], None], fd: int) -> TextIO:
    stand_in = cast(BinaryIO, _StrayBytes(write, fd))
    return io.TextIOWrapper(stand_in, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)


def _move(fd: int, place: int) -> None:
    os.dup2(fd, place)
    os.close(fd)
