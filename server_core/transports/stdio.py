"""One client over standard input and output: one message per line, read and written at the file descriptors.

Rule 1: there is no thread, stream or text layer between a descriptor and a session, if the descriptor can be polled.
Rule 2: responses are written at once; those to the requests of one read are written together.
Rule 3: when the client does not read, or has sent more requests than the session accepts, nothing more is read from it:
buffers stay bounded, and a client that sends ten thousand requests at once gets ten thousand responses.

Specification: basic/transports, stdio.
"""

import asyncio
import contextlib
import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING

from server_core.protocol.framing import LineFramer, OversizedLine
from server_core.protocol.jsonrpc import RequestId
from server_core.transports.channel import MAX_UNREAD
from server_core.transports.source import ServingSession, SessionSource

if TYPE_CHECKING:
    from server_core.settings import Settings

READ_SIZE = 64 * 1024
HIGH_WATER = 1024 * 1024
# Seconds that messages sent in one iteration of the event loop may wait for its end.
MAX_COLLECT_SECONDS = 0.002


async def serve_stdio(
    source: SessionSource,
    *,
    stdin_fd: int = 0,
    stdout_fd: int = 1,
    settings: "Settings",
    received: bytes = b"",
    already_sent: bytes = b"",
) -> ServingSession:
    """Serve one client until it closes its end, the session ends, or this is cancelled; return the closed session.

    Running calls then get a grace period; a second cancellation ends them at once. `received` are bytes read already,
    `already_sent` the message sent in response to them.
    """
    outlet = FdOutlet(stdout_fd, already_sent=already_sent)
    session = source.open_session(outlet, "stdio")
    framer = LineFramer(settings.max_message_bytes)
    try:
        try:
            if received:
                _pass_lines(framer.receive_data(received), session, outlet)
                await session.wait_for_room()
            if _can_be_polled(stdin_fd):
                await _PolledInput(stdin_fd, framer, session, outlet).wait_until_end()
            else:
                await _read_on_threads(stdin_fd, framer, session, outlet)
        except asyncio.CancelledError:
            # The server is shutting down: running calls may finish before the cancellation continues.
            await _settle(session, outlet, settings.shutdown_grace)
            raise
        _pass_lines(framer.receive_eof(), session, outlet)
        await _settle(session, outlet, settings.shutdown_grace)
    finally:
        session.close()
        outlet.close()
    return session


async def _settle(session: ServingSession, outlet: "FdOutlet", grace: float) -> None:
    """Wait until all requests are answered, and the client has read the responses."""
    if outlet.broken:
        return
    await session.settle(grace)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(grace):
            await outlet.wait_until_flushed()


class FdOutlet:
    """Write messages to a file descriptor, one per line, except a message `already_sent`.

    The first message in an iteration of the event loop is written at once, the others with a single write at its end.
    """

    def __init__(self, fd: int, *, already_sent: bytes = b"") -> None:
        # Whether the client has closed its end, so nothing can be written any more.
        self.broken = False
        self.on_broken: Callable[[], None] = lambda: None
        # Whether the session has ended, so nothing more need be read.
        self.ended = False
        self.on_ended: Callable[[], None] = lambda: None
        self._fd = fd
        self._already_sent = already_sent
        self._loop = asyncio.get_running_loop()
        self._buffer: list[bytes | memoryview] = []
        self._buffered_bytes = 0
        self._is_corked = False
        self._write_scheduled = False
        self._collecting_since = 0.0
        self._is_watching = False
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._empty = asyncio.Event()
        self._empty.set()
        # Only pipes and sockets can stay full. A terminal's mode is shared with the shell, so it is not changed.
        self._was_blocking = os.get_blocking(fd)
        self._may_fill = _is_pipe_or_socket(fd)
        if self._may_fill:
            os.set_blocking(fd, False)

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        if message == self._already_sent:
            self._already_sent = b""
            return
        if self._buffered_bytes > MAX_UNREAD:
            self._report_broken()
        if self.broken:
            return
        if not self._buffered_bytes:
            self._empty.clear()
        self._buffer += (message, b"\n")
        self._buffered_bytes += len(message) + 1
        if self._is_corked or self._is_watching or self._write_scheduled:
            if self._buffered_bytes > HIGH_WATER:
                self._has_room.clear()
            return
        # Usually this is the only message of the iteration, so it is written now, and more messages at the end.
        self._write_scheduled = True
        self._collecting_since = self._loop.time()
        self._loop.call_soon(self._end_iteration)
        self._write()

    @property
    def full(self) -> bool:
        return not self._has_room.is_set()

    async def drain(self) -> None:
        is_collecting = self._write_scheduled or self._is_corked
        if is_collecting and self._loop.time() - self._collecting_since > MAX_COLLECT_SECONDS:
            # Let the collected messages be written: a sender that never waits would otherwise collect without end.
            await asyncio.sleep(0)
        await self._has_room.wait()

    async def wait_until_flushed(self) -> None:
        self._write()
        await self._empty.wait()

    def cork(self) -> None:
        """Collect messages from now on instead of writing them."""
        self._is_corked = True
        self._collecting_since = self._loop.time()

    def uncork(self) -> None:
        """Write the collected messages, in one write."""
        self._is_corked = False
        self._write()

    def end(self) -> None:
        """End reading; messages in the buffer are still written."""
        self.ended = True
        self.on_ended()

    def close(self) -> None:
        """Write what can be written without blocking, and restore the mode of the descriptor."""
        self._is_corked = False
        self._write()
        self._stop_watching()
        self._discard()
        with contextlib.suppress(OSError):
            os.set_blocking(self._fd, self._was_blocking)

    def _end_iteration(self) -> None:
        self._write_scheduled = False
        if not self._is_corked:
            self._write()

    def _write(self) -> None:
        while self._buffer and not self._is_watching:
            data = self._buffer[0] if len(self._buffer) == 1 else b"".join(self._buffer)
            try:
                written = os.write(self._fd, data)
            except BlockingIOError:
                written = 0
            except OSError:
                # Broken pipe: the client has disconnected, and its input will end as well.
                self._report_broken()
                return
            self._buffered_bytes -= written
            self._buffer = [memoryview(data)[written:]] if written < len(data) else []
            if self._buffer and self._may_fill:
                self._is_watching = True
                self._loop.add_writer(self._fd, self._on_writable)
        self._wake()

    def _on_writable(self) -> None:
        self._stop_watching()
        self._write()

    def _wake(self) -> None:
        if not self._buffer:
            self._empty.set()
        if self._buffered_bytes <= HIGH_WATER // 2:
            self._has_room.set()
        elif self._buffered_bytes > HIGH_WATER:
            self._has_room.clear()

    def _stop_watching(self) -> None:
        if self._is_watching:
            self._is_watching = False
            self._loop.remove_writer(self._fd)

    def _report_broken(self) -> None:
        self._discard()
        self.on_broken()

    def _discard(self) -> None:
        self.broken = True
        self._buffer, self._buffered_bytes = [], 0
        self._empty.set()
        self._has_room.set()


class _PolledInput:
    """Read a descriptor whenever the event loop reports that it is readable."""

    def __init__(self, fd: int, framer: LineFramer, session: ServingSession, outlet: FdOutlet) -> None:
        self._fd = fd
        self._framer = framer
        self._session = session
        self._outlet = outlet
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._at_end = False
        outlet.on_broken = self._on_broken
        outlet.on_ended = self._wake.set

    async def wait_until_end(self) -> None:
        """Return when the client has closed its end, or the session has ended."""
        while not self._at_end and not self._outlet.broken and not self._outlet.ended:
            self._wake.clear()
            # Registered only while there is room: otherwise the loop would report the unread input in every iteration.
            self._loop.add_reader(self._fd, self._on_readable)
            try:
                await self._wake.wait()
            finally:
                self._loop.remove_reader(self._fd)
            await self._outlet.drain()
            await self._session.wait_for_room()

    def _on_broken(self) -> None:
        self._wake.set()
        # Not at once, since the session may be sending; closing it also ends a wait for room.
        self._loop.call_soon(self._session.close)

    def _on_readable(self) -> None:
        try:
            data = os.read(self._fd, READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            # A terminal hangup or a connection reset is treated like the end of input.
            data = b""
        if data:
            _pass_lines(self._framer.receive_data(data), self._session, self._outlet)
        self._at_end = not data
        if not data or self._outlet.full or self._session.full:
            self._wake.set()


async def _read_on_threads(fd: int, framer: LineFramer, session: ServingSession, outlet: FdOutlet) -> None:
    """Read a descriptor that the event loop cannot poll, such as a file."""
    while not outlet.broken and not outlet.ended:
        data = await asyncio.to_thread(os.read, fd, READ_SIZE)
        if not data:
            return
        _pass_lines(framer.receive_data(data), session, outlet)
        await outlet.drain()
        await session.wait_for_room()


def _pass_lines(lines: list[bytes | OversizedLine], session: ServingSession, outlet: FdOutlet) -> None:
    # Corked, so that the responses to the messages of one read leave in one write.
    outlet.cork()
    for line in lines:
        if isinstance(line, OversizedLine):
            session.receive_oversized(line)
        else:
            session.receive(line)
    outlet.uncork()


def _can_be_polled(fd: int) -> bool:
    # There is no other way to find out: epoll refuses files, and which descriptors it refuses depends on the system.
    loop = asyncio.get_running_loop()
    try:
        loop.add_reader(fd, lambda: None)
    except (OSError, NotImplementedError):
        return False
    loop.remove_reader(fd)
    return True


def _is_pipe_or_socket(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
