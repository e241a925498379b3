"""A user at a terminal: the real command in a pseudo-terminal, its screen as text, keys to press.

Every wait is for a text on the screen, with a timeout.
"""

import os
import re
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pyte
from ptyprocess import PtyProcess

LIMIT = 20.0
"""The timeout of a wait, in seconds; a start on a busy machine takes a few."""

QUIET = 0.12
PATIENCE = 2.0
"""Before each key, the screen has to be unchanged for QUIET seconds; the wait ends after PATIENCE seconds."""

RESPONSE = 1.0
"""The time in which a key has its effect on the screen, if it has any, in seconds."""

AFTER_ESCAPE = 0.35

_AT_ONCE = 512
"""Bytes that a pseudo-terminal buffers without a reader."""

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "pagedown": "\x1b[6~",
    "space": " ",
    "delete": "\x1b[3~",
    "alt+a": "\x1ba",
    "alt+i": "\x1bi",
}

# Modes of newer terminals (kitty keys, synchronised output, ...) that pyte would show as text.
_UNKNOWN = re.compile(rb"\x1b\[[<>=?][0-9;]*(?:u|\$p)|\x1b\[>[0-9;]*[a-zA-Z]|\x1bP[^\x1b]*\x1b\\")


class Terminal:
    """A program in a pseudo-terminal.

    Args:
        command: the command of the program.
        columns: the width of the screen.
        rows: its height.
        environment: more variables.
        cwd: where to start it.
    """

    def __init__(
        self,
        command: list[str],
        *,
        columns: int = 120,
        rows: int = 40,
        environment: dict[str, str] | None = None,
        cwd: str | None = None,
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._ended = False
        self._history: list[bytes] = []
        self._undrawn: list[bytes] = []
        """Output that is not yet rendered for `text`: most waits do not need the intermediate screens."""
        plain = {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
        variables = {**os.environ, **plain, **(environment or {})}
        self._process = PtyProcess.spawn(command, cwd=cwd, env=variables, dimensions=(rows, columns))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.isalive():
            self._process.kill(signal.SIGKILL)
        self._process.close(force=True)

    @property
    def history(self) -> str:
        """All output so far, with its control sequences."""
        return b"".join(self._history).decode(errors="replace")

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows of the screen."""
        return self._screen.columns, self._screen.lines

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended."""
        return self._ended

    @property
    def has_screen(self) -> bool:
        """Whether the program uses the alternate screen."""
        return self.history.rfind("\x1b[?1049h") > self.history.rfind("\x1b[?1049l")

    @property
    def text(self) -> str:
        """The text of the screen, line by line."""
        self._stream.feed(_UNKNOWN.sub(b"", b"".join(self._undrawn)))
        self._undrawn.clear()
        return "\n".join(line.rstrip() for line in self._screen.display)

    def expect(self, *texts: str) -> str:
        """Wait until the screen shows all texts, and return it."""
        self._wait(lambda: all(text in self.text for text in texts), f"show {texts}")
        return self.text

    def expect_absent(self, text: str) -> None:
        """Wait until the screen no longer shows a text."""
        self._wait(lambda: text not in self.text, f"remove {text!r}")

    def close_window(self) -> None:
        """Close the pseudo-terminal, and wait until the program has ended."""
        self._process.fileobj.close()
        self._process.wait()
        self._ended = True

    def press(self, *keys: str) -> None:
        """Press keys by name, in turn, at the pace of a user who reads the screen: `enter`, `ctrl+p`, `q`."""
        for key in keys:
            self._strike(_bytes_of(key))
            if key == "escape":
                # Only a pause distinguishes Esc from the first byte of a longer key.
                self._settle(AFTER_ESCAPE)

    def type(self, text: str) -> None:
        """Type a text at once."""
        self._strike(text.encode())

    def _strike(self, data: bytes) -> None:
        """Wait until the screen no longer changes, send keys, and wait for the first change."""
        self._settle()
        self._process.write(data)
        self._read(RESPONSE)

    def send(self, data: bytes) -> None:
        """Send bytes at once, and read the output meanwhile, so that neither side waits for the other."""
        deadline = time.monotonic() + LIMIT
        while data and not self._ended:
            assert time.monotonic() < deadline, f"did not read its input within {LIMIT:.0f} s; the screen:\n{self.text}"
            if select.select([], [self._process.fd], [], 0)[1]:
                data = data[os.write(self._process.fd, data[:_AT_ONCE]) :]
            self._read(0.0 if data else 0.01)

    def resize(self, columns: int, rows: int) -> None:
        """Resize the screen; the program then draws it again."""
        self._undrawn.clear()
        self._screen.resize(rows, columns)
        self._screen.reset()
        self._process.setwinsize(rows, columns)

    def drain(self, quiet: float, patience: float) -> int:
        """Read output until there is none for a while, and return the number of bytes.

        Args:
            quiet: the seconds without output.
            patience: the time limit in seconds.
        """
        before, deadline = len(self._history), time.monotonic() + patience
        while time.monotonic() < deadline and self._read(quiet):
            continue
        return sum(map(len, self._history[before:]))

    def seconds_without_processor(self) -> float:
        """Return how long the program's main thread has waited for a processor; 0 where the system does not know."""
        try:
            return int(Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, LookupError, ValueError):
            return 0.0

    def resume(self) -> None:
        """Continue a program that a signal has stopped."""
        self._process.kill(signal.SIGCONT)

    def abort(self) -> None:
        """Abort a program that does not respond; with PYTHONFAULTHANDLER it prints the stacks of its threads."""
        self._process.kill(signal.SIGABRT)
        self.drain(1.0, LIMIT)

    def expect_end(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        deadline = time.monotonic() + LIMIT
        while not self._ended:
            assert time.monotonic() < deadline, f"did not end within {LIMIT:.0f} s; the screen:\n{self.text}"
            self._read(deadline - time.monotonic())
        self._process.wait()
        return int(self._process.exitstatus if self._process.exitstatus is not None else -self._process.signalstatus)

    def _settle(self, quiet: float = QUIET) -> None:
        self.drain(quiet, PATIENCE)

    def _wait(self, holds: Callable[[], bool], awaited: str) -> None:
        deadline = time.monotonic() + LIMIT
        while not holds():
            assert not self._ended, f"ended and did not {awaited}; the screen:\n{self.text}"
            assert time.monotonic() < deadline, f"did not {awaited} within {LIMIT:.0f} s; the screen:\n{self.text}"
            self._read(deadline - time.monotonic())

    def _read(self, limit: float) -> bool:
        """Read the output within a time; return False if there was none."""
        if self._ended or not select.select([self._process.fd], [], [], max(0.0, limit))[0]:
            return False
        try:
            data = os.read(self._process.fd, 65536)
        except OSError:  # Linux raises EIO once the program has ended
            data = b""
        self._ended = not data
        self._history.append(data)
        self._undrawn.append(data)
        return bool(data)


def _bytes_of(key: str) -> bytes:
    if key in KEYS:
        return KEYS[key].encode()
    if key.startswith("ctrl+"):
        return bytes([ord(key[-1]) & 0x1F])
    return key.encode()
