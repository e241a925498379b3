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
from server_core.runtime.processes import on_fork

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Of 64 KiB each: together 1 MiB, the most that a pipe of an unprivileged process holds on Linux (64 KiB by default).
PIPE_READS = 16
# Seconds to wait for another thread that is reading the same pipe.
READ_LOCK_TIMEOUT = 0.2


class StdioGuard:
    """Redirect the standard streams of this process, until :meth:`close`; stray output is recorded by the tap."""

    def __init__(self, tap: Tap) -> None:
        self._stdout, self._stderr = sys.stdout, sys.stderr
        for stream in (self._stdout, self._stderr):
            if stream is not None:
                stream.flush()
        # The original standard input and output, for the transport.
        self.wire_in, self.wire_out = os.dup(0), os.dup(1)
        self.stderr = StandardError()
        stdout_lines = StrayLines(tap, Kind.STDOUT, self.stderr.write, self._flush_unfinished)
        stderr_lines = StrayLines(tap, Kind.STDERR, self.stderr.write, self._flush_unfinished)
        self._streams = (_Stream(1, stdout_lines), _Stream(2, stderr_lines))
        _replace_descriptor(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout, sys.stderr = (_text_stream(stream.write, stream.fd) for stream in self._streams)
        # A tool may replace or close `sys.stderr`; messages of the core must still be written.
        console.write_with(_StrayBytes(self._streams[1].write, 2).write)
        self._stop_watching_calls = running_calls.watch_call_ends(self._on_call_end)
        self._wake_read_end, self._wake_write_end = os.pipe()
        for fd in (self._wake_read_end, self._wake_write_end):
            os.set_blocking(fd, False)
        self._flush_pending = False
        self._closed = False
        self._thread = threading.Thread(target=self._watch_descriptors, name="stdio-guard", daemon=True)
        self._thread.start()
        self._forget_forks = on_fork(self._detach_fork)

    def _detach_fork(self) -> None:
        """Detach a forked process from the wire, and from the pipes, which only the parent reads.

        A fork that kept the wire could interleave its output with messages; a fork that kept a read end of a pipe would
        delay SIGPIPE for its writers.
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
        for fd in (self.wire_in, self.wire_out, self._wake_read_end, self._wake_write_end):
            os.close(fd)

    def _flush_unfinished(self) -> None:
        if not self._flush_pending or self._closed:
            with contextlib.suppress(BlockingIOError):
                os.write(self._wake_write_end, b".")

    def _watch_descriptors(self) -> None:
        # On a separate thread: a tool that fills a pipe on the loop's thread would otherwise wait for itself forever.
        watch = select.poll()
        streams = {stream.pipe: stream for stream in self._streams}
        for fd in (*streams, self._wake_read_end):
            watch.register(fd, select.POLLIN)
        while not self._closed:
            # In this order: a line that begins after the check sees the flag unset, and wakes this thread.
            self._flush_pending = False
            self._flush_pending = any(stream.lines.has_unfinished for stream in self._streams)
            events = dict(watch.poll(UNFINISHED_SECONDS * 1000 if self._flush_pending else None))
            if self._wake_read_end in events:
                os.read(self._wake_read_end, 1024)
            for fd in events.keys() & streams.keys():
                if not streams[fd].read():
                    watch.unregister(fd)
            for stream in self._streams:
                stream.lines.forward_unfinished()

    def _on_call_end(self, call: InFlight) -> None:
        # The output of the call must be recorded as its own, and before its response.
        for stream in self._streams:
            stream.read()
            stream.lines.end(call)


class _Stream:
    """A pipe that replaces standard output or standard error, and the lines that its output becomes."""

    def __init__(self, fd: int, lines: StrayLines) -> None:
        self.fd = fd
        self.lines = lines
        self.pipe, write_end = os.pipe()
        os.set_blocking(self.pipe, False)
        self._poll = select.poll()
        self._poll.register(self.pipe, select.POLLIN)
        # Reentrant: recording a line may log an error, such as that of a failing subscriber of the tap.
        self._reading = threading.RLock()
        _replace_descriptor(write_end, fd)

    def write(self, data: bytes, call: InFlight) -> None:
        """Process output of Python code, after any earlier output through the descriptor."""
        self.read()
        self.lines.write(data, call)

    def read(self) -> bool:
        """Read the contents of the pipe; return whether more can follow."""
        # With a timeout: a thread that has read holds this lock until it has recorded the data, and may meanwhile wait
        # for a lock that the current thread holds.
        if not self._reading.acquire(timeout=READ_LOCK_TIMEOUT):
            return True
        try:
            if not self._poll.poll(0):
                return True
            with contextlib.suppress(BlockingIOError):
                # No more than a pipe can hold: a program may be writing without end.
                for _ in range(PIPE_READS):
                    if not (data := os.read(self.pipe, 64 * 1024)):
                        return False
                    self.lines.write(data, DESCRIPTOR)
            return True
        finally:
            self._reading.release()

    def close(self) -> None:
        """Close the pipe; programs that still write to it get another reader, or SIGPIPE would kill them."""
        if not any(events & select.POLLHUP for _, events in self._poll.poll(0)):
            _start_drain(self.pipe)
        os.close(self.pipe)


def _start_drain(pipe: int) -> None:
    """Start a program that reads and discards the contents of a pipe until all writers have closed it."""
    # `cat` outlives this process, so it gets a new session, and none of the standard streams.
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    os.set_blocking(pipe, True)
    with contextlib.suppress(OSError, NotImplementedError):
        os.posix_spawnp(
            "cat", ["cat"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, pipe, 0), *nowhere], setsid=True
        )


class _StrayBytes(io.BufferedIOBase):
    """The replacement of `sys.stdout.buffer`; `fileno` is for child processes that are given this stream."""

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


def _text_stream(write: Callable[[bytes, InFlight], None], fd: int) -> TextIO:
    buffer = cast(BinaryIO, _StrayBytes(write, fd))
    return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)


def _replace_descriptor(new: int, fd: int) -> None:
    os.dup2(new, fd)
    os.close(new)
