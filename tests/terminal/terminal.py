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

LIMIT = 30.0
"""Seconds after which a wait has failed; a start on a busy machine takes a few."""

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
        variables = {**os.environ, "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", **(environment or {})}
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
        """Press keys by name, one after another: `enter`, `ctrl+p`, `q`."""
        for key in keys:
            self._send(_bytes_of(key))

    def type(self, text: str) -> None:
        """Type a text."""
        self._send(text.encode())

    def expect_end(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        self._wait(lambda: False, "end", until_end=True)
        self._process.wait()
        return int(self._process.exitstatus if self._process.exitstatus is not None else -self._process.signalstatus)

    def _send(self, data: bytes) -> None:
        self._process.write(data)

    def _wait(self, holds: Callable[[], bool], what: str, *, until_end: bool = False) -> None:
        deadline = time.monotonic() + LIMIT
        while not holds():
            left = deadline - time.monotonic()
            ready = select.select([self._process.fd], [], [], left)[0] if left > 0 else []
            if not ready:
                raise AssertionError(f"did not {what} within {LIMIT:.0f} s; the screen:\n{self.text}")
            try:
                data = os.read(self._process.fd, 65536)
            except OSError:  # Linux says EIO when the program has gone
                data = b""
            if not data:
                if until_end:
                    return
                raise AssertionError(f"ended and did not {what}; the screen:\n{self.text}")
            self._stream.feed(_UNKNOWN.sub(b"", data))


def _bytes_of(key: str) -> bytes:
    if key in KEYS:
        return KEYS[key].encode()
    if key.startswith("ctrl+"):
        return bytes([ord(key[-1]) & 0x1F])
    return key.encode()
