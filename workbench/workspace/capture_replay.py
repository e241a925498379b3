"""A replay of a capture with the server of a workspace, in sessions of its own: in one go, or step by step.

It continues while its screen is closed, until it has ended or is closed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed, WorkbenchError
from server_core.runtime.background import spawn
from workbench.model.describe import json_line
from workbench.model.json_members import object_in
from workbench.replay.player import Player
from workbench.replay.recording import RecordedExchange, Sent
from workbench.replay.recording_reader import read_recording
from workbench.replay.report import ReplayOutcome

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace


_WIDTH = 200  # Characters of arguments.


class ReplayPhase(StrEnum):
    """The values are shown on the screen."""

    READING = "reading the capture"
    RUNNING = "running"
    PAUSED = "paused"
    ENDED = "ended"
    FORKED = "continued by hand"


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """A request of the recording, or one that only the server of today has sent."""

    seq: int  # 0 for one that is not in the capture
    title: str
    outcome: ReplayOutcome | None = None  # None until it is known
    exchange: RecordedExchange | None = None  # of a request of a client that has no outcome yet
    is_next: bool = False
    is_waiting: bool = False  # until the user or the replay sends it
    is_sent: bool = False


class CaptureReplay:
    """Sends the requests of a capture again, and collects the outcomes as they become known.

    Args:
        is_stepped: whether it waits for the user before its first request.
    """

    def __init__(self, workspace: "Workspace", path: str, *, is_stepped: bool = False) -> None:
        self.name = Path(path).name
        self.phase = ReplayPhase.READING
        self.error = ""
        self.notes: list[str] = []
        self.on_change: Callable[[], None] = lambda: None
        self.exchanges: Sequence[RecordedExchange] = ()  # the requests of clients, in their order
        self.outcomes: list[ReplayOutcome] = []
        self._workspace = workspace
        self._path = path
        self._is_stepped = is_stepped
        self._player: Player | None = None
        self._is_pausing = False
        self._opened = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether requests are left that the user can still send."""
        return self.phase in (ReplayPhase.RUNNING, ReplayPhase.PAUSED)

    @property
    def next(self) -> RecordedExchange | None:
        """The request that is sent next; None if there is none."""
        return self._player.next if self._player is not None and self.is_open else None

    @property
    def rows(self) -> list[ReplayRow]:
        """All requests of clients, and those of the server so far, in the order of the capture."""
        known = {outcome.seq for outcome in self.outcomes if outcome.seq}
        upcoming = None if self._player is None else self._player.next
        titles = {exchange.seq: _title(exchange) for exchange in self.exchanges}
        rows = [ReplayRow(outcome.seq, titles.get(outcome.seq) or outcome.title, outcome) for outcome in self.outcomes]
        rows += [
            ReplayRow(
                exchange.seq,
                titles[exchange.seq],
                exchange=exchange,
                is_next=exchange is upcoming and self.is_open,
                is_waiting=self.is_open,
                is_sent=upcoming is None or exchange.seq < upcoming.seq,
            )
            for exchange in self.exchanges
            if exchange.seq not in known
        ]
        # Those that are not in the capture come last, in the order in which they arrived.
        return sorted(rows, key=lambda row: (not row.seq, row.seq))

    def start(self) -> None:
        """Read the capture, and run the replay unless it is stepped."""
        self._act(self._run_all)

    def step(self) -> None:
        """Send the next request."""
        if self._player is not None:
            self._act(self._player.advance)

    def run_to(self, seq: int) -> None:
        """Send the requests before one."""
        self._act(lambda: self._advance(seq))

    def run_rest(self) -> None:
        self._act(lambda: self._advance(None))

    def pause(self) -> None:
        """Wait for the user before the next request."""
        self._is_pausing = self.phase is ReplayPhase.RUNNING

    def toggle_skip(self, exchange: RecordedExchange) -> None:
        """Leave a request out that has not been sent, or send it after all."""
        if exchange.skipped:
            exchange.skipped = ""
        else:
            exchange.skip()
        self.on_change()

    async def fork(self, seq: int) -> str:
        """Send the requests before one, and have the terminal continue in the session; return what happened.

        Raises:
            WorkbenchError: when there is no session that is still open.
        """
        if self._player is None or self._task is None:
            return ""
        self.run_to(seq)
        await self._task
        if self.error:
            raise ConnectionFailed(self.error)
        session = await self._player.fork()
        self.phase = ReplayPhase.FORKED
        self.on_change()
        if session is None:
            raise ConnectionFailed("The replay has no open session to continue in: none was opened, or it has ended.")
        await self._workspace.adopt_session(session, self._opened)
        return f"You continue before #{seq}: this terminal sends in the session of the replay now."

    async def close(self) -> None:
        """End the replay, if it has not ended."""
        if self._task is not None:
            self._task.cancel()
        if self._player is not None:
            await self._player.close()
        if self.phase is not ReplayPhase.FORKED:
            self.phase = ReplayPhase.ENDED

    def _act(self, operation: Callable[[], Awaitable[None]]) -> None:
        if self._task is None or (self._task.done() and self.phase is ReplayPhase.PAUSED):
            self._task = spawn(self._perform(operation), f"replay {self.name}")

    async def _perform(self, operation: Callable[[], Awaitable[None]]) -> None:
        try:
            player = self._player = self._player or await self._opened_player()
            self.phase = ReplayPhase.RUNNING
            self.on_change()
            await operation()
            if player.next is None:
                await player.finish()
            self.phase = ReplayPhase.PAUSED if player.next is not None else ReplayPhase.ENDED
            self.outcomes = player.report.outcomes
        except WorkbenchError as error:
            self.error, self.phase = str(error), ReplayPhase.ENDED
            if self._player is not None:
                await self._player.close()
        finally:
            self._is_pausing = False
            self.on_change()

    async def _opened_player(self) -> Player:
        workspace = self._workspace
        if not workspace.connected:
            raise ConnectionFailed(f"Not connected to the core. {workspace.restart_hint}")
        self._opened = workspace.clock()
        recording = await asyncio.to_thread(read_recording, Path(self._path))
        self.exchanges = [step.exchange for step in recording.steps if isinstance(step, Sent)]
        self.notes = recording.notes
        server = str(workspace.identity.get("name") or "the server")
        player = Player(
            recording, workspace.link.open_session, server, on_outcome=self._add, rules=workspace.rules.for_questions
        )
        self.outcomes = player.report.outcomes
        return player

    def _add(self, outcome: ReplayOutcome) -> None:
        self.on_change()

    async def _run_all(self) -> None:
        if not self._is_stepped:
            await self._advance(None)

    async def _advance(self, seq: int | None) -> None:
        """Send requests up to one, which is not sent; all without one."""
        player = self._player
        while player is not None and player.next is not None and player.next.seq != seq and not self._is_pausing:
            await player.advance()
            self.on_change()


def _title(exchange: RecordedExchange) -> str:
    """Return what a request is, with the arguments in which several of the same tool differ."""
    arguments = object_in(exchange.params, "arguments")
    return f"{exchange.title} {json_line(arguments, _WIDTH)}" if arguments else exchange.title
