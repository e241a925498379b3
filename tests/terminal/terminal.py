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
    """

    def __init__(
        self, command: list[str], *, columns: int = 120, rows: int = 40, environment: dict[str, str] | None = None
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._ended = False
        self.history = ""
        """Everything that was drawn so far, with the control sequences between the texts."""
        plain = {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
        variables = {**os.environ, **plain, **(environment or {})}
        self._process = PtyProcess.spawn(command, env=variables, dimensions=(rows, columns))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.isalive():
            self._process.kill(signal.SIGKILL)
        self._process.close(force=True)

    @property
    def text(self) -> str:
        """What the screen shows, line by line."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def expect(self, *texts: str) -> str:
        """Wait until the screen shows all of these, and return it."""
        self._wait(lambda: all(text in self.text for text in texts), f"show {texts}")
        return self.text

    def expect_gone(self, text: str) -> None:
        """Wait until the screen no longer shows a text."""
        self._wait(lambda: text not in self.text, f"take away {text!r}")

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

    def expect_end(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        deadline = time.monotonic() + LIMIT
        while not self._ended:
            assert time.monotonic() < deadline, f"did not end within {LIMIT:.0f} s; the screen:\n{self.text}"
            self._read(deadline - time.monotonic())
        self._process.wait()
        return int(self._process.exitstatus if self._process.exitstatus is not None else -self._process.signalstatus)

    def _settle(self, quiet: float = QUIET) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self._read(quiet):
            continue

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
        self.history += data.decode(errors="replace")
        self._stream.feed(_UNKNOWN.sub(b"", data))
        return bool(data)


def _bytes_of(key: str) -> bytes:
    if key in KEYS:
        return KEYS[key].encode()
    if key.startswith("ctrl+"):
        return bytes([ord(key[-1]) & 0x1F])
    return key.encode()
