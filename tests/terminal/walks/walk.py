"""A random walk through the real program, and the conditions that it checks.

The program may end only where it was asked to, with exit code 0, and then it is started again. It draws the whole
screen within a few seconds of every resize, whatever came before. Its core keeps running.
"""

import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.terminal.terminal import Terminal
from tests.terminal.walks.events import LARGEST, SMALLEST, Event, next_event
from tests.terminal.walks.modes import Mode
from workbench.cli.command_run import INTERRUPTED

RESPONSE = 5.0
"""The time limit to draw the screen again, in seconds that the program did not have to wait for a processor."""

_PATIENCE = 120.0
"""The time limit on a machine that is busy with other programs."""

_EVENTS_REPORTED = 40
"""How many of the last events a failure reports."""

_CHECK_EVERY = 25

_LAST_WORDS = 20_000
"""How many of the last characters of a program that has ended a failure reports."""

_LOST = "The core is gone"
"""The title of the dialog for a lost core, which no walk causes."""

_CONTROL = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z~]|\x1b[PX^_\]][^\x1b\x07]*(?:\x1b\\|\x07)?|\x1b.|\r")


class WalkFailed(AssertionError):
    """A walk in which a condition was violated."""


class Walk:
    """A walk of a seed.

    Args:
        seed: determines all events.
        folder: a new folder for the project and the data of the program.
        runtime: an empty folder with a short path, for its sockets.
        command: the command of the program.
    """

    def __init__(
        self, seed: int, folder: Path, runtime: Path, command: Sequence[str] = (sys.executable, "-m", "workbench")
    ) -> None:
        self.seed = seed
        self.mode = Mode.of(seed)
        self.starts = 0
        self._chance = random.Random(seed)
        self._folder = folder
        self._project = folder / "project"
        self._events: list[Event] = []
        self._variables = {
            "HOME": str(folder),
            "WORKBENCH_HOME": str(folder / "home"),
            "WORKBENCH_RUNTIME": str(runtime),
            "WORKBENCH_IDLE_SECONDS": "5",
            # The walk must not open anything outside of itself.
            "EDITOR": "true",
            "BROWSER": "true",
            "PYTHONFAULTHANDLER": "1",
        }
        self._runtime = runtime
        self._command = command

    def run(self, count: int) -> None:
        """Perform a number of events.

        Raises:
            WalkFailed: with the seed, the last events and the screen.
        """
        self.mode.prepare(self._project)
        try:
            while len(self._events) < count:
                with self._terminal() as terminal:
                    self._walk(terminal, count)
        finally:
            self._end_cores()

    @contextmanager
    def _terminal(self) -> Iterator[Terminal]:
        self.starts += 1
        columns, rows = self._size()
        command = [*self._command, *self.mode.arguments(self._project)]
        cwd, variables = str(self._folder), self._variables
        with Terminal(command, columns=columns, rows=rows, environment=variables, cwd=cwd) as terminal:
            try:
                yield terminal
            except AssertionError as error:
                raise WalkFailed(self._report(str(error), terminal)) from error

    def _walk(self, terminal: Terminal, count: int) -> None:
        """Perform events until there were enough or the program has ended."""
        while terminal.drain(0.3, 10.0) == 0 and not terminal.has_ended:
            pass  # It has no output yet.
        while len(self._events) < count and not terminal.has_ended:
            event = next_event(self._chance, terminal.size, self._project)
            self._events.append(event)
            self._happen(event, terminal)
            terminal.drain(self._chance.choice([0.0, 0.01, 0.03]), 0.25)
            if len(self._events) % _CHECK_EVERY == 0:
                self._check(terminal)
        if terminal.has_ended:
            assert _LOST not in terminal.history, "lost its core"
            code = terminal.expect_end()
            # Ctrl-C is a key as long as the program has the screen, and a signal while it shuts down.
            is_interrupted = code in (INTERRUPTED, -signal.SIGINT) and not terminal.has_screen
            assert code == 0 or is_interrupted, f"ended with exit code {code}"
            self._check_reports()
        else:
            self._check(terminal)

    def _happen(self, event: Event, terminal: Terminal) -> None:
        if event.size is not None:
            terminal.resize(*event.size)
        elif event.save is not None:
            path, source = event.save
            if source is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(source, encoding="utf-8")
        else:
            terminal.send(event.data)

    def _check(self, terminal: Terminal) -> None:
        """Check that the core is running, and that the program draws the whole screen after a resize."""
        terminal.drain(0.1, 1.0)
        assert _LOST not in terminal.history, "lost its core"
        self._check_reports()
        columns, rows = self._size()
        if (columns, rows) == terminal.size:
            columns += 1
        terminal.resize(columns, rows)
        drawn = 0
        while drawn < columns * rows // 2 and not terminal.has_ended:
            some = self._await_output(terminal)
            if not some and not terminal.has_ended:
                terminal.abort()
                raise AssertionError(f"drew nothing for {RESPONSE:.0f} s after a resize")
            drawn += some

    def _await_output(self, terminal: Terminal) -> int:
        """Return the number of bytes that the program writes next; 0 if it had the time to write some, and did not."""
        started, waited = time.monotonic(), terminal.seconds_without_processor()
        while not terminal.has_ended:
            if some := terminal.drain(min(RESPONSE, 0.5), 0.01):
                return some
            if not terminal.has_screen:
                # While it shuts down, ctrl+z is a signal that stops it.
                terminal.resume()
            passed = time.monotonic() - started
            own = passed - (terminal.seconds_without_processor() - waited)
            if own > RESPONSE or passed > _PATIENCE:
                return 0
        return 0

    def _size(self) -> tuple[int, int]:
        return (
            self._chance.randint(SMALLEST[0], LARGEST[0]),
            self._chance.randint(SMALLEST[1], LARGEST[1]),
        )

    def _check_reports(self) -> None:
        """Check that the terminal has not failed: after its first failure it is opened again, and continues."""
        assert not list(self._folder.glob("home/reports/*.txt")), "failed, and was opened again"

    def _report(self, reason: str, terminal: Terminal) -> str:
        listing = "\n".join(f"  {event.name}" for event in self._events[-_EVENTS_REPORTED:])
        where = (
            f"seed {self.seed}, {self.mode.project}, {self.mode.era}, event {len(self._events)}, start {self.starts}"
        )
        screen = _plain(terminal.history[-_LAST_WORDS:])
        reports = [path.read_text(encoding="utf-8") for path in sorted(self._folder.glob("home/reports/*.txt"))]
        return "\n".join(
            [reason, where, "The last events:", listing, f"The screen, {terminal.size}:", screen, *reports]
        )

    def _end_cores(self) -> None:
        for descriptor in self._runtime.glob("*.json"):
            with suppress(OSError, ValueError):
                os.kill(json.loads(descriptor.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)


def _plain(drawn: str) -> str:
    """The last output, without control sequences."""
    return "\n".join(line.rstrip() for line in _CONTROL.sub("", drawn).splitlines() if line.strip())
