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
LONGEST_TURN = 0.002
"""Seconds that messages sent in one iteration of the event loop may wait for its end."""


async def serve_stdio(
    source: SessionSource,
    *,
    stdin_fd: int = 0,
    stdout_fd: int = 1,
    settings: "Settings",
    read: bytes = b"",
    answered: bytes = b"",
) -> ServingSession:
    """Serve one client over two file descriptors until it closes its end, the session ends, or this is cancelled.

    Running calls then get a grace period; a second cancellation ends them at once.

    Args:
        source: serves the session: a server, a relay, or the core around one of them.
        stdin_fd: the descriptor to read the client's messages from.
        stdout_fd: the descriptor to write messages for the client to.
        settings: the maximum length of a message, and the grace period of calls.
        read: bytes of the client that have been read already.
        answered: the message that has been sent in response to them.

    Returns:
        The closed session.
    """
    outlet = FdOutlet(stdout_fd, already_sent=answered)
    session = source.open_session(outlet, "stdio")
    framer = LineFramer(settings.max_message_bytes)
    try:
        try:
            if read:
                _take(framer.receive_data(read), session, outlet)
                await session.room()
            if _can_be_watched(stdin_fd):
                await _WatchedInput(stdin_fd, framer, session, outlet).ended()
            else:
                await _read_on_threads(stdin_fd, framer, session, outlet)
        except asyncio.CancelledError:
            await _settle(session, outlet, settings.shutdown_grace)
            raise
        _take(framer.receive_eof(), session, outlet)
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
            await outlet.flushed()


class FdOutlet:
    """Write messages to a file descriptor, one per line.

    The first message in an iteration of the event loop is written at once, the others with a single write at its end.

    Args:
        fd: a pipe, a socket, a terminal or a file.
        already_sent: a message that has been written before; when it is sent, it is not written again.
    """

    def __init__(self, fd: int, *, already_sent: bytes = b"") -> None:
        self.broken = False
        """Whether the client has closed its end, so nothing can be written any more."""
        self.on_broken: Callable[[], None] = lambda: None
        self.ended = False
        """Whether the session has ended, so nothing more need be read."""
        self.on_ended: Callable[[], None] = lambda: None
        self._fd = fd
        self._already_sent = already_sent
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes | memoryview] = []
        self._size = 0
        self._corked = False
        self._turn_scheduled = False
        self._turn_began = 0.0
        self._watching = False
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._empty = asyncio.Event()
        self._empty.set()
        # Only pipes and sockets can stay full. A terminal's mode is shared with the shell, so it is not changed.
        self._was_blocking = os.get_blocking(fd)
        self._may_fill = _is_pipe_or_socket(fd)
        if self._may_fill:
            os.set_blocking(fd, False)

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Send a message to the client; never blocks."""
        if message == self._already_sent:
            self._already_sent = b""
            return
        if self._size > MAX_UNREAD:
            self._give_up()
        if self.broken:
            return
        if not self._size:
            self._empty.clear()
        self._waiting += (message, b"\n")
        self._size += len(message) + 1
        if self._corked or self._watching or self._turn_scheduled:
            if self._size > HIGH_WATER:
                self._has_room.clear()
            return
        self._turn_scheduled = True
        self._turn_began = self._loop.time()
        self._loop.call_soon(self._turn_ended)
        self._write()

    @property
    def full(self) -> bool:
        """Whether the client has to read before more should be sent."""
        return not self._has_room.is_set()

    async def drain(self) -> None:
        """Wait until the client has read enough that more may be sent."""
        if (self._turn_scheduled or self._corked) and self._loop.time() - self._turn_began > LONGEST_TURN:
            # Let the collected messages be written: a sender that never waits would otherwise collect without end.
            await asyncio.sleep(0)
        await self._has_room.wait()

    async def flushed(self) -> None:
        """Wait until all messages are written."""
        self._write()
        await self._empty.wait()

    def cork(self) -> None:
        """Collect messages from now on instead of writing them."""
        self._corked = True
        self._turn_began = self._loop.time()

    def uncork(self) -> None:
        """Write the collected messages, in one write."""
        self._corked = False
        self._write()

    def end(self) -> None:
        """End reading; buffered messages are still written."""
        self.ended = True
        self.on_ended()

    def close(self) -> None:
        """Write what can be written without blocking, and restore the mode of the descriptor."""
        self._corked = False
        self._write()
        self._stop_watching()
        self._lose()
        with contextlib.suppress(OSError):
            os.set_blocking(self._fd, self._was_blocking)

    def _turn_ended(self) -> None:
        self._turn_scheduled = False
        if not self._corked:
            self._write()

    def _write(self) -> None:
        while self._waiting and not self._watching:
            data = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
            try:
                written = os.write(self._fd, data)
            except BlockingIOError:
                written = 0
            except OSError:
                # Broken pipe: the client has disconnected, and its input will end as well.
                self._give_up()
                return
            self._size -= written
            self._waiting = [memoryview(data)[written:]] if written < len(data) else []
            if self._waiting and self._may_fill:
                self._watching = True
                self._loop.add_writer(self._fd, self._writable)
        self._wake()

    def _writable(self) -> None:
        self._stop_watching()
        self._write()

    def _wake(self) -> None:
        if not self._waiting:
            self._empty.set()
        if self._size <= HIGH_WATER // 2:
            self._has_room.set()
        elif self._size > HIGH_WATER:
            self._has_room.clear()

    def _stop_watching(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_writer(self._fd)

    def _give_up(self) -> None:
        self._lose()
        self.on_broken()

    def _lose(self) -> None:
        self.broken = True
        self._waiting, self._size = [], 0
        self._empty.set()
        self._has_room.set()


class _WatchedInput:
    """Read a descriptor whenever the event loop reports that it is readable."""

    def __init__(self, fd: int, framer: LineFramer, session: ServingSession, outlet: FdOutlet) -> None:
        self._fd = fd
        self._framer = framer
        self._session = session
        self._outlet = outlet
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._at_end = False
        outlet.on_broken = self._client_left
        outlet.on_ended = self._wake.set

    async def ended(self) -> None:
        """Return when the client has closed its end, or the session has ended."""
        while not self._at_end and not self._outlet.broken and not self._outlet.ended:
            self._wake.clear()
            self._loop.add_reader(self._fd, self._read)
            try:
                await self._wake.wait()
            finally:
                self._loop.remove_reader(self._fd)
            await self._outlet.drain()
            await self._session.room()

    def _client_left(self) -> None:
        self._wake.set()
        # Not at once, since the session may be sending; closing it also ends a wait for room.
        self._loop.call_soon(self._session.close)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            # A terminal hangup or a connection reset is treated like the end of input.
            data = b""
        if data:
            _take(self._framer.receive_data(data), self._session, self._outlet)
        self._at_end = not data
        if not data or self._outlet.full or self._session.full:
            self._wake.set()


async def _read_on_threads(fd: int, framer: LineFramer, session: ServingSession, outlet: FdOutlet) -> None:
    """Read a descriptor that the event loop cannot poll, such as a file."""
    while not outlet.broken and not outlet.ended:
        data = await asyncio.to_thread(os.read, fd, READ_SIZE)
        if not data:
            return
        _take(framer.receive_data(data), session, outlet)
        await outlet.drain()
        await session.room()


def _take(lines: list[bytes | OversizedLine], session: ServingSession, outlet: FdOutlet) -> None:
    outlet.cork()
    for line in lines:
        if isinstance(line, OversizedLine):
            session.receive_oversized(line)
        else:
            session.receive(line)
    outlet.uncork()


def _can_be_watched(fd: int) -> bool:
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
