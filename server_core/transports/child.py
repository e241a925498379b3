"""The client's end of a server that runs as a child process: messages over its standard input and output.

Specification: basic/transports, stdio; basic/lifecycle, shutdown.
"""

import asyncio
import contextlib
import shlex
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from server_core.errors import ConnectionFailed
from server_core.protocol.framing import DEFAULT_LIMIT, LineFramer, OversizedLine, TruncatedMessage
from server_core.records.masking import Masker
from server_core.runtime import processes
from server_core.transports.message_queue import MessageQueue

HIGH_WATER = 4 * 1024 * 1024
STDERR_LINE_LIMIT = 16 * 1024
STDERR_TAIL_LINES = 100
# Seconds that a child gets for each step of :meth:`ChildChannel.close`.
STEP_TIMEOUT = 2.0
# Seconds between two checks of whether the processes that a child has left behind have ended.
CHECK_INTERVAL = 0.02
# Seconds that a child which has closed its output gets to end, before its end is described.
EXIT_DELAY = 0.5

OnStderr = Callable[[bytes], None]


class ChildChannel:
    """A connection to a server in a child process; created by :meth:`spawn`."""

    def __init__(self, command: Sequence[str], limit: int, step_timeout: float, masker: Masker | None = None) -> None:
        self.command = shlex.join(command)
        # The last lines that the child wrote to its standard error.
        self.stderr_tail: deque[bytes] = deque(maxlen=STDERR_TAIL_LINES)
        self._step_timeout = step_timeout
        self._masker = masker or Masker()
        self._process = _ChildProtocol(limit, self._receive_stderr)
        self._on_stderr: OnStderr | None = None

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | str | None = None,
        on_stderr: OnStderr | None = None,
        limit: int = DEFAULT_LIMIT,
        step_timeout: float = STEP_TIMEOUT,
        masker: Masker | None = None,
    ) -> "ChildChannel":
        """Start a program, without a shell, and return a channel to it.

        `on_stderr` gets each line without its newline, never cut within a secret of the masker; `step_timeout` is for
        each step of :meth:`close`.
        """
        channel = cls(command, limit, step_timeout, masker)
        channel.set_stderr_listener(on_stderr)
        try:
            # In a new session, all descendants of the child can be signalled, and Ctrl+C here does not reach them.
            await asyncio.get_running_loop().subprocess_exec(
                lambda: channel._process, *command, env=env, cwd=cwd, start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise ConnectionFailed(_cannot_start(command, cwd, error)) from error
        return channel

    @property
    def exit_code(self) -> int | None:
        """The child's exit code, minus the number of the signal that killed it; None while it runs."""
        return self._process.exit_code

    def set_stderr_listener(self, on_stderr: OnStderr | None) -> None:
        """Pass each line of standard error to a function, beginning with earlier lines that had no listener."""
        # Lines may arrive before the caller of `spawn` has the channel, on which it sets the listener.
        earlier = [] if self._on_stderr else list(self.stderr_tail)
        self._on_stderr = on_stderr
        if on_stderr is not None:
            for line in earlier:
                on_stderr(line)

    async def send(self, message: bytes) -> None:
        if not self._process.write(_single_line(message)):
            raise ConnectionFailed(self._end_reason())
        await self._process.drain()

    async def receive(self) -> bytes | None:
        return await self._process.next_line()

    async def post_mortem(self) -> str:
        """Return how the child ended; one that has closed its output is given some time to end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(EXIT_DELAY):
                await self._process.output_read.wait()
        lines = [line.decode(errors="replace") for line in self.stderr_tail]
        how = [f"The server {self._describe_end()}.", f"$ {self.command}"]
        return "\n".join([*how, *processes.describe_stderr(lines)])

    async def close(self) -> None:
        """End the child and its descendants: close its input, wait, SIGTERM, wait, SIGKILL."""
        process = self._process
        process.close_input()
        for step in (None, signal.SIGTERM, signal.SIGKILL):
            if step is not None:
                process.signal(step)
            if await self._ends_in_time(process.exited.wait()):
                break
        if step is not signal.SIGKILL:
            # Processes that a server leaves behind do not notice that the input was closed.
            process.signal(signal.SIGTERM)
            if not await self._ends_in_time(process.wait_for_group()):
                process.signal(signal.SIGKILL)
        process.close()

    async def _ends_in_time(self, end: Awaitable[object]) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._step_timeout):
                await end
                return True
        return False

    def _receive_stderr(self, line: bytes) -> None:
        if isinstance(line, TruncatedMessage):
            # Without the rest of the line, masking would not recognise a value that is cut off.
            line = TruncatedMessage(line[: self._masker.settled_length(line, is_cut_off=True)])
        self.stderr_tail.append(line)
        if self._on_stderr is not None:
            self._on_stderr(line)

    def _end_reason(self) -> str:
        last_line = f" Its last output: {self.stderr_tail[-1].decode(errors='replace')}" if self.stderr_tail else ""
        return f"The server {self.command!r} {self._describe_end()}.{last_line}"

    def _describe_end(self) -> str:
        code = self.exit_code
        return "has closed the connection" if code is None else processes.describe_exit(code)


class _ChildProtocol(asyncio.SubprocessProtocol):
    """The child's protocol on the event loop: its output becomes lines in a bounded queue."""

    def __init__(self, limit: int, on_stderr: OnStderr) -> None:
        # Set when the process has ended.
        self.exited = asyncio.Event()
        # Set when the process has ended and all of its output has been read.
        self.output_read = asyncio.Event()
        self.exit_code: int | None = None
        self._group: int | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._on_stderr = on_stderr
        self._framers = {1: LineFramer(limit), 2: LineFramer(STDERR_LINE_LIMIT)}
        self._lines = MessageQueue(HIGH_WATER)
        self._is_reading_paused = False
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._input_broken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self._group = transport.get_pid()
        processes.register_group(self._group)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._receive_lines(fd, self._framers[fd].receive_data(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 0:
            self._input_broken = True
            self._may_write.set()
            return
        self._receive_lines(fd, self._framers[fd].receive_eof())
        if fd == 1:
            self._lines.end()

    def process_exited(self) -> None:
        assert self._transport is not None
        self.exit_code = self._transport.get_returncode()
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.output_read.set()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def write(self, data: bytes) -> bool:
        """Write to the child's input; False when it is closed."""
        pipe = self._pipe(0)
        if self._input_broken or not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            return False
        pipe.write(data)
        return True

    async def drain(self) -> None:
        await self._may_write.wait()

    async def next_line(self) -> bytes | None:
        line = await self._lines.next()
        if self._is_reading_paused and not self._lines.full:
            self._is_reading_paused = False
            self._output_pipe().resume_reading()
        return line

    def close_input(self) -> None:
        pipe = self._pipe(0)
        if pipe is not None:
            pipe.close()

    def signal(self, number: signal.Signals) -> None:
        if self._group is not None:
            processes.signal_group(self._group, number)

    async def wait_for_group(self) -> None:
        """Wait until the child and all of its descendants have ended."""
        # The descendants are not our children, so we are not notified when they end.
        while self._group is not None and processes.signal_group(self._group, 0):
            await asyncio.sleep(CHECK_INTERVAL)
        self._forget_group()

    def close(self) -> None:
        self._forget_group()
        if self._transport is not None:
            self._transport.close()
        self._lines.end()
        self._may_write.set()

    def _forget_group(self) -> None:
        # Once the group is empty, its number may be reused.
        if self._group is not None:
            processes.unregister_group(self._group)
            self._group = None

    def _receive_lines(self, fd: int, lines: list[bytes | OversizedLine]) -> None:
        for line in lines:
            # A line over the limit is not a message; its start shows what it was, and which request it answered.
            data = TruncatedMessage(line.start) if isinstance(line, OversizedLine) else line
            if fd == 2:
                self._on_stderr(data)
            else:
                self._lines.add(data)
        if fd == 1 and self._lines.full and not self._is_reading_paused:
            self._is_reading_paused = True
            self._output_pipe().pause_reading()

    def _output_pipe(self) -> asyncio.ReadTransport:
        pipe = self._pipe(1)
        assert isinstance(pipe, asyncio.ReadTransport)
        return pipe

    def _pipe(self, fd: int) -> asyncio.BaseTransport | None:
        return None if self._transport is None else self._transport.get_pipe_transport(fd)


def _single_line(message: bytes) -> bytes:
    # Newlines in JSON are whitespace between tokens; in strings they are escaped.
    return message.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def _cannot_start(command: Sequence[str], cwd: Path | str | None, error: Exception) -> str:
    program = command[0] if command else ""
    if cwd is not None and not Path(cwd).is_dir():
        return f"Cannot start {program!r}: there is no folder {str(cwd)!r}."
    if isinstance(error, FileNotFoundError):
        return f"Cannot start {program!r}: there is no such command; check the spelling and the PATH."
    if isinstance(error, PermissionError):
        return f"Cannot start {program!r}: it is not executable."
    return f"Cannot start {program!r}: {error}."
