"""Hold the conversation of a capture with a server, and compare the answers.

Everything is sent in the recorded order, and nothing before the answers are there that were there when it was sent:
requests overlap where they overlapped, and one that waited for an answer waits for it again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
from typing import Any

from server_core.background import spawn
from server_core.errors import ConnectionFailed, RemoteError
from server_core.protocol.revisions import HANDSHAKE, LATEST
from server_core.transports.channel import Channel
from workbench.client.questions import Questions
from workbench.client.session import CLIENT_INFO, ClientSession
from workbench.client.target import OnStderr, Target, route_to
from workbench.replay.differences import differences
from workbench.replay.recording import Answered, Exchange, Left, Recording, Sent, Step, read_recording
from workbench.replay.report import Outcome, Report, Status
from workbench.replay.script import Script

Connect = Callable[[], Awaitable[Channel]]

PATIENCE = 60.0
"""Seconds that an answer may take before the replay goes on without it."""

# Of an answer that has nothing in common with the recorded one, a few places are enough.
MOST_DIFFERENCES = 100


async def replay(
    capture: Path, target: Target | None = None, *, patience: float = PATIENCE, on_stderr: OnStderr | None = None
) -> Report:
    """Send the client's messages of a capture again and report which answers differ.

    Args:
        capture: the file.
        target: the server; by default the project that the capture is of, if it is still there, else the one here.
        patience: seconds that an answer may take.
        on_stderr: called with each line that a command writes to its stderr.

    Raises:
        ConfigurationError: when the capture, or the project, cannot be read.
        ConnectionFailed: when the server cannot be reached.
    """
    recording = read_recording(capture)
    if target is None:
        target = Target(project=recording.project or Path.cwd())
        if recording.project is None and recording.served:
            # What a file names is never started: whoever wants that writes it behind `--`.
            recording.notes.append(f"the capture is of {recording.served}, which is no project here; name its server")
    route = await route_to(target, on_stderr)
    try:
        return await play(recording, route.connect, target.title, patience)
    finally:
        await route.close()


async def play(recording: Recording, connect: Connect, title: str, patience: float = PATIENCE) -> Report:
    """Hold a recorded conversation.

    Args:
        recording: the conversation.
        connect: opens a connection to the server; called once for each session.
        title: what people call the server.
        patience: seconds that an answer may take.
    """
    player = _Player(recording, connect, Report(str(recording.path), title, notes=list(recording.notes)), patience)
    try:
        for step in recording.steps:
            await player.take(step)
    finally:
        await player.leave()
    player.report.outcomes.sort(key=lambda outcome: outcome.seq)
    return player.report


class _Player:
    """Takes one step after the other."""

    def __init__(self, recording: Recording, connect: Connect, report: Report, patience: float) -> None:
        self.report = report
        self._recording = recording
        self._connect = connect
        self._patience = patience
        self._sessions: dict[str, ClientSession] = {}
        self._scripts: dict[str, Script] = {}
        self._asked: dict[Exchange, asyncio.Task[dict[str, Any]]] = {}

    async def take(self, step: Step) -> None:
        """Do what was done."""
        if isinstance(step, Sent):
            await self._send(step.exchange)
        elif isinstance(step, Answered):
            await self._compare(step.exchange)
        elif isinstance(step, Left):
            await self._close(step.session)
        elif (session := self._sessions.get(step.session)) is not None and not session.closed.is_set():
            await session.notify(step.method, step.params)

    async def leave(self) -> None:
        """End what is still open."""
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)
        for key in list(self._sessions):
            await self._close(key)

    async def _send(self, exchange: Exchange) -> None:
        if exchange.method == "initialize":
            await self._open(exchange.session, exchange)
        elif reason := exchange.obstacle:
            self._tell(exchange, Status.SKIPPED, reason)
        else:
            session = self._sessions.get(exchange.session) or await self._open(exchange.session)
            self._asked[exchange] = spawn(_ask(session, exchange), f"replay: {exchange.method}")
            # The request goes out on the task's first turn, and so before whatever is sent next.
            await asyncio.sleep(0)

    async def _open(self, key: str, handshake: Exchange | None = None) -> ClientSession:
        params = handshake.params if handshake is not None else {}
        script = Script(key, self._recording.questions.get(key, []), self.report.outcomes.append)
        session = await ClientSession.open(
            await self._connect(),
            questions=Questions([script], ask_roots=True),
            client_info=params.get("clientInfo") or CLIENT_INFO,
            capabilities=params.get("capabilities"),
            revision=HANDSHAKE.get(str(params.get("protocolVersion")), LATEST),
            timeout=self._patience,
        )
        self._sessions[key], self._scripts[key] = session, script
        if handshake is not None:
            self._judge(handshake, {"result": session.handshake})
        return session

    async def _compare(self, exchange: Exchange) -> None:
        task = self._asked.pop(exchange, None)
        if task is None:
            return
        try:
            async with asyncio.timeout(self._patience):
                self._judge(exchange, await task)
        except TimeoutError:
            self._tell(exchange, Status.DIFFERS, f"no answer within {self._patience:g} seconds")
        except ConnectionFailed as error:
            self._tell(exchange, Status.DIFFERS, f"no answer: {error}")

    def _judge(self, exchange: Exchange, body: dict[str, Any]) -> None:
        if exchange.answer is None:
            self._tell(exchange, Status.SKIPPED, exchange.obstacle)
            return
        found = tuple(islice(differences(exchange.body, body), MOST_DIFFERENCES))
        status = Status.DIFFERS if found else Status.SAME
        outcome = Outcome(exchange.seq, exchange.session, exchange.method, exchange.name, status, differences=found)
        self.report.outcomes.append(outcome)

    async def _close(self, key: str) -> None:
        session = self._sessions.pop(key, None)
        if session is not None:
            await session.close()
            self.report.outcomes.extend(self._scripts.pop(key).unasked())

    def _tell(self, exchange: Exchange, status: Status, reason: str) -> None:
        outcome = Outcome(exchange.seq, exchange.session, exchange.method, exchange.name, status, reason)
        self.report.outcomes.append(outcome)


async def _ask(session: ClientSession, exchange: Exchange) -> dict[str, Any]:
    try:
        return {"result": await session.request(exchange.method, exchange.params)}
    except RemoteError as error:
        body = {"code": error.code, "message": error.message}
        return {"error": body if error.data is None else body | {"data": error.data}}
