"""A person at a terminal: the real command in a pseudo-terminal, its screen as text, keys to press.

Whoever waits, waits for a text on the screen, within a limit.
"""

import os
import re
import select
import signal
import time
from collections.abc import Callable
from types import TracebackType

import pyte
from ptyprocess import PtyProcess

LIMIT = 20.0
"""Seconds after which a wait has failed; a start on a busy machine takes a few."""

QUIET = 0.12
PATIENCE = 2.0
"""Before each key, a person waits until the screen has been still for QUIET seconds, but no longer than PATIENCE."""

RESPONSE = 1.0
"""Seconds in which a key changes something on the screen, where it does."""

AFTER_ESCAPE = 0.35

_AT_ONCE = 512
"""Bytes that a pseudo-terminal takes without anybody reading them."""

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
}

# Modes of newer terminals (kitty keys, synchronised output, ...) that pyte would show as text.
_UNKNOWN = re.compile(rb"\x1b\[[<>=?][0-9;]*(?:u|\$p)|\x1b\[>[0-9;]*[a-zA-Z]|\x1bP[^\x1b]*\x1b\\")


class Terminal:
    """A program in a pseudo-terminal.

    Args:
        command: what to start.
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
        """What the program has drawn and `text` has not yet: most waits need no picture of what is drawn meanwhile."""
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
        """Everything that was drawn so far, with the control sequences between the texts."""
        return b"".join(self._history).decode(errors="replace")

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows of the screen."""
        return self._screen.columns, self._screen.lines

    @property
    def has_ended(self) -> bool:
        """Whether the program has gone."""
        return self._ended

    @property
    def has_screen(self) -> bool:
        """Whether the program has taken the whole screen, and has not given it back."""
        return self.history.rfind("\x1b[?1049h") > self.history.rfind("\x1b[?1049l")

    @property
    def text(self) -> str:
        """What the screen shows, line by line."""
        self._stream.feed(_UNKNOWN.sub(b"", b"".join(self._undrawn)))
        self._undrawn.clear()
        return "\n".join(line.rstrip() for line in self._screen.display)

    def expect(self, *texts: str) -> str:
        """Wait until the screen shows all of these, and return it."""
        self._wait(lambda: all(text in self.text for text in texts), f"show {texts}")
        return self.text

    def expect_gone(self, text: str) -> None:
        """Wait until the screen no longer shows a text."""
        self._wait(lambda: text not in self.text, f"take away {text!r}")

    def close_window(self) -> None:
        """Take the pseudo-terminal away, and wait until the program has ended."""
        self._process.fileobj.close()
        self._process.wait()
        self._ended = True

    def press(self, *keys: str) -> None:
        """Press keys by name, one after another, at the pace of a person who looks: `enter`, `ctrl+p`, `q`."""
        for key in keys:
            self._strike(_bytes_of(key))
            if key == "escape":
                # Only the silence after it tells Esc from the first byte of a longer key.
                self._settle(AFTER_ESCAPE)

    def type(self, text: str) -> None:
        """Type a text in one go."""
        self._strike(text.encode())

    def _strike(self, data: bytes) -> None:
        """Wait until the screen has come to rest, send keys, and wait for the first that they change."""
        self._settle()
        self._process.write(data)
        self._read(RESPONSE)

    def send(self, data: bytes) -> None:
        """Send bytes at once, and take what is drawn meanwhile, so that neither side waits for the other."""
        deadline = time.monotonic() + LIMIT
        while data and not self._ended:
            assert time.monotonic() < deadline, f"did not read its input within {LIMIT:.0f} s; the screen:\n{self.text}"
            if select.select([], [self._process.fd], [], 0)[1]:
                data = data[os.write(self._process.fd, data[:_AT_ONCE]) :]
            self._read(0.0 if data else 0.01)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the screen; the program draws all of it anew."""
        self._undrawn.clear()
        self._screen.resize(rows, columns)
        self._screen.reset()
        self._process.setwinsize(rows, columns)

    def drain(self, quiet: float, patience: float) -> int:
        """Take what is drawn until nothing was for a while, and return how many bytes that were.

        Args:
            quiet: the seconds without any.
            patience: the seconds after which it is enough.
        """
        before, deadline = len(self._history), time.monotonic() + patience
        while time.monotonic() < deadline and self._read(quiet):
            continue
        return sum(map(len, self._history[before:]))

    def abort(self) -> None:
        """End a program that does not respond; with PYTHONFAULTHANDLER it tells where each of its threads stands."""
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

    def _wait(self, holds: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + LIMIT
        while not holds():
            assert not self._ended, f"ended and did not {what}; the screen:\n{self.text}"
            assert time.monotonic() < deadline, f"did not {what} within {LIMIT:.0f} s; the screen:\n{self.text}"
            self._read(deadline - time.monotonic())

    def _read(self, limit: float) -> bool:
        """Take what the program draws within a time; False when that was nothing."""
        if self._ended or not select.select([self._process.fd], [], [], max(0.0, limit))[0]:
            return False
        try:
            data = os.read(self._process.fd, 65536)
        except OSError:  # Linux says EIO when the program has gone
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
