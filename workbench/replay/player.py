"""Replay the conversation of a capture with a server, and compare the answers.

Everything is sent in the recorded order, and only after the answers that preceded it in the capture: requests that
overlapped overlap again, and a request that was sent after an answer is sent after that answer again.

Each request is sent in the era in which it was recorded, unless the other era is chosen; then only requests that exist
in both eras are sent.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
from typing import Any

from server_core.errors import RemoteError, WorkbenchError
from server_core.protocol import envelope
from server_core.protocol.jsonrpc import Params
from server_core.protocol.methods import Side, served_methods
from server_core.protocol.revisions import HANDSHAKE_REVISIONS, LATEST, LATEST_STATELESS, Revision
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel
from workbench.client.questions import PendingQuestions, Question, Rule
from workbench.client.session import CLIENT_INFO, ClientSession
from workbench.client.target import Era, OnStderr, Target, route_to
from workbench.client.tasks import poll_seconds
from workbench.replay.differences import differences
from workbench.replay.recording import Answered, LeftOut, RecordedExchange, Recording, Sent, SessionEnded, Step
from workbench.replay.recording_reader import read_recording
from workbench.replay.report import ReplayOutcome, ReplayReport, Status
from workbench.replay.run_values import Handles, is_ahead, is_behind, poll_interval, without_handles, without_hints
from workbench.replay.script import Script

Connect = Callable[[], Awaitable[Channel]]
MakeRules = Callable[[PendingQuestions], Rule]  # Returns the responder of the questions of a session.
OnOutcome = Callable[[ReplayOutcome], None]
Prepare = Callable[[Recording], None]
"""Changes a recording before it is replayed: leaves requests out, for example."""
Steer = Callable[["Player"], Awaitable[bool]]
"""Is called before each request, which it may change or leave out; returns False to end the replay."""

RESPONSE_TIMEOUT = 60.0  # Seconds that an answer may take before the replay continues without it.

UNCAUSED_S = 2.0
"""Seconds that the end of a session waits for recorded requests of the server that no request of the client caused."""

# Where an answer has nothing in common with the recorded answer, a few differences are enough.
MAX_DIFFERENCES = 100


async def replay(
    capture: Path,
    target: Target | None = None,
    era: Era = Era.AUTO,
    *,
    timeout: float = RESPONSE_TIMEOUT,
    on_stderr: OnStderr | None = None,
    prepare: Prepare = lambda recording: None,
    steer: Steer | None = None,
    on_outcome: OnOutcome | None = None,
    rules_of: Callable[[Target], MakeRules] | None = None,
) -> ReplayReport:
    """Replay a capture with a server, by default the captured project if it still exists, else that in this folder."""
    recording = read_recording(capture)
    prepare(recording)
    if target is None:
        target = Target(project=recording.project or Path.cwd())
        if recording.project is None and recording.served:
            # A command that a file names is never started: the user has to write it after `--`.
            recording.notes.append(
                f"the capture is of {recording.served}, which is not a project on this machine; name a server"
            )
    rules = None if rules_of is None else rules_of(target)
    route = await route_to(target, on_stderr)
    try:
        return await play(recording, route.connect, target.title, timeout, era, on_outcome, steer, rules)
    finally:
        await route.close()


async def play(
    recording: Recording,
    connect: Connect,
    title: str,
    timeout: float = RESPONSE_TIMEOUT,
    era: Era = Era.AUTO,
    on_outcome: OnOutcome | None = None,
    steer: Steer | None = None,
    rules: MakeRules | None = None,
) -> ReplayReport:
    """Replay a recorded conversation.

    Args:
        connect: called once for each session.
        title: the name of the server, for the report.
        timeout: seconds that an answer may take.
        on_outcome: called with each outcome, as soon as it is known.
        rules: returns what answers questions that the recording has no answer to; without it they are declined.
        steer: decides about each request before it is sent; the others are skipped once it has returned False.
    """
    player, goes_on = Player(recording, connect, title, timeout, era, on_outcome, rules), True
    try:
        while (exchange := player.next) is not None:
            if steer is not None and not exchange.skipped:
                goes_on = goes_on and await steer(player)
                exchange.skipped = exchange.skipped or ("" if goes_on else LeftOut.ENDED)
            await player.advance()
        await player.finish()
    finally:
        await player.close()
    return player.report


class Player:
    """Performs the steps of a recording, one after the other; the arguments are those of :func:`play`.

    Close it, also after an error.
    """

    def __init__(
        self,
        recording: Recording,
        connect: Connect,
        title: str,
        timeout: float = RESPONSE_TIMEOUT,
        era: Era = Era.AUTO,
        on_outcome: OnOutcome | None = None,
        rules: MakeRules | None = None,
    ) -> None:
        self._rules = rules
        self.report = ReplayReport(str(recording.path), title, notes=list(recording.notes))
        self._on_outcome = on_outcome
        self._recording = recording
        self._connect = connect
        self._timeout = timeout
        self._era = era
        self._handles = Handles()
        self._clients: dict[str, Params] = {}
        self._sessions: dict[tuple[str, bool], ClientSession] = {}
        self._scripts: dict[str, Script] = {}
        self._requests: dict[RecordedExchange, asyncio.Task[dict[str, Any]]] = {}
        self._left = deque(recording.steps)
        self._newest: ClientSession | None = None  # the session that was used last

    @property
    def next(self) -> RecordedExchange | None:
        """The next request; None if all are sent."""
        return next((step.exchange for step in self._left if isinstance(step, Sent)), None)

    async def advance(self) -> None:
        """Send the next request, and do everything that precedes the request after it."""
        has_sent = False
        while self._left and not (has_sent and isinstance(self._left[0], Sent)):
            step = self._left.popleft()
            has_sent = has_sent or isinstance(step, Sent)
            await self._perform(step)

    async def finish(self) -> None:
        """Do what is left after the last request, and close all sessions."""
        await self._await_uncaused()
        await self._close_sessions()
        self.report.outcomes.sort(key=lambda outcome: outcome.seq)

    async def fork(self) -> ClientSession | None:
        """End the replay, and return the open session that was used last, which the caller owns; None without one."""
        session = self._newest
        self._sessions = {place: each for place, each in self._sessions.items() if each is not session}
        await self.close()
        return None if session is None or session.closed.is_set() else session

    async def _perform(self, step: Step) -> None:
        if isinstance(step, Sent):
            await self._send(step.exchange)
        elif isinstance(step, Answered):
            await self._compare(step.exchange)
        elif isinstance(step, SessionEnded):
            await self._await_uncaused(step.session)
            await self._close_session(step.session)
        elif (session := self._sessions.get((step.session, False))) is not None and not session.closed.is_set():
            await session.notify(step.method, step.params)

    async def _await_uncaused(self, session: str | None = None) -> None:
        """Wait a moment for the requests that a server sends at a time of its own, of one session or of all."""
        for key, _ in list(self._sessions):
            if session in (None, key):
                await self._scripts[key].await_uncaused(min(self._timeout, UNCAUSED_S))

    async def close(self) -> None:
        """Close all sessions; what the server has not asked is not in the report, since the replay has not ended."""
        self._scripts.clear()
        await self._close_sessions()

    async def _close_sessions(self) -> None:
        for task in self._requests.values():
            task.cancel()
        # The sessions are closed only when no request uses them any more.
        await asyncio.gather(*self._requests.values(), return_exceptions=True)
        for key, _ in list(self._sessions):
            await self._close_session(key)

    async def _send(self, exchange: RecordedExchange) -> None:
        if exchange.method == "initialize":
            self._clients[exchange.session] = exchange.params
        revision = self._revision_of(exchange)
        if reason := _why_missing(revision, exchange) or exchange.obstacle:
            self._report(exchange, Status.SKIPPED, reason)
        elif self._handles.lacks_state(exchange.params):
            # A state belongs to one server, may be valid only once, and is never sent to another server.
            self._report(exchange, Status.SKIPPED, "the previous round returned no state this time")
        elif exchange.method == "initialize":
            self._report_comparison(exchange, {"result": (await self._open(exchange, revision)).handshake})
        else:
            place = exchange.session, revision.stateless
            session = self._newest = self._sessions.get(place) or await self._open(exchange, revision)
            self._requests[exchange] = spawn(self._ask(session, exchange), f"replay: {exchange.method}")
            # The request is sent on the task's first turn, and so before the next step.
            await asyncio.sleep(0)

    def _revision_of(self, exchange: RecordedExchange) -> Revision:
        if self._era is Era.MODERN or (self._era is Era.AUTO and exchange.stateless):
            return LATEST_STATELESS
        return HANDSHAKE_REVISIONS.get(str(self._clients.get(exchange.session, {}).get("protocolVersion")), LATEST)

    def _questions(self, script: Script) -> PendingQuestions:
        questions = PendingQuestions([script], ask_roots=True, otherwise=[Question.decline])
        questions.responder = None if self._rules is None else self._rules(questions)
        return questions

    async def _open(self, exchange: RecordedExchange, revision: Revision) -> ClientSession:
        key = exchange.session
        if key not in self._scripts:
            self._scripts[key] = Script(key, self._recording.questions.get(key, []), self._add)
        client_info, capabilities = self._client_of(exchange)
        session = self._newest = self._sessions[key, revision.stateless] = await ClientSession.open(
            await self._connect(),
            questions=self._questions(self._scripts[key]),
            client_info=client_info or CLIENT_INFO,
            capabilities=capabilities,
            revision=revision,
            timeout=self._timeout,
            discover=False,
        )
        return session

    def _client_of(self, exchange: RecordedExchange) -> tuple[Any, Any]:
        """Return the client info and the capabilities in a recorded request."""
        params, meta = self._clients.get(exchange.session, {}), exchange.params.get("_meta")
        if exchange.stateless and isinstance(meta, dict):
            return meta.get(envelope.CLIENT_INFO), meta.get(envelope.CLIENT_CAPABILITIES)
        return params.get("clientInfo"), params.get("capabilities")

    async def _ask(self, session: ClientSession, exchange: RecordedExchange) -> dict[str, Any]:
        params = self._handles.with_new_handles(exchange.params)
        try:
            if exchange.stateless is session.revision.stateless:
                return await _ask_in_time(session, exchange, params)
            # A server request in one era corresponds to a part of a result in the other.
            return {"result": await session.request(exchange.method, _without_envelope(params))}
        except RemoteError as error:
            body = {"code": error.code, "message": error.message}
            return {"error": body if error.data is None else body | {"data": error.data}}

    async def _compare(self, exchange: RecordedExchange) -> None:
        task = self._requests.pop(exchange, None)
        if task is None:
            return
        try:
            async with asyncio.timeout(self._timeout):
                body = await task
        except TimeoutError:
            self._report(exchange, Status.DIFFERS, f"no response within {self._timeout:g} seconds")
        except WorkbenchError as error:
            self._report(exchange, Status.DIFFERS, f"no response: {error}")
        else:
            self._handles.add(exchange.body, body)
            self._report_comparison(exchange, body)

    def _report_comparison(self, exchange: RecordedExchange, body: dict[str, Any]) -> None:
        if exchange.method == "tasks/get" and is_ahead(exchange.body, body):
            body = exchange.body
        recorded, replayed = without_handles(exchange.body), without_handles(body)
        if exchange.stateless is not self._revision_of(exchange).stateless:
            recorded, replayed = without_hints(recorded), without_hints(replayed)
        differing = differences(recorded, replayed)
        places = tuple(islice(differing, MAX_DIFFERENCES))
        status = Status.DIFFERS if places else Status.SAME
        reason = "its params were changed for this replay" if exchange.is_changed else ""
        self._add(ReplayOutcome(exchange.seq, exchange.session, exchange.method, exchange.name, status, reason, places))

    async def _close_session(self, key: str) -> None:
        for place in [(key, False), (key, True)]:
            if (session := self._sessions.pop(place, None)) is not None:
                await session.close()
        if (script := self._scripts.pop(key, None)) is not None:
            for outcome in script.missing_requests():
                self._add(outcome)

    def _add(self, outcome: ReplayOutcome) -> None:
        self.report.outcomes.append(outcome)
        if self._on_outcome is not None:
            self._on_outcome(outcome)

    def _report(self, exchange: RecordedExchange, status: Status, reason: str) -> None:
        outcome = ReplayOutcome(exchange.seq, exchange.session, exchange.method, exchange.name, status, reason)
        self._add(outcome)


async def _ask_in_time(session: ClientSession, exchange: RecordedExchange, params: Params) -> dict[str, Any]:
    """Send the request once; poll a task as often as it takes to reach the recorded status."""
    while True:
        body = {"result": await session.request_once(exchange.method, params)}
        if exchange.method != "tasks/get" or not is_behind(exchange.body, body):
            return body
        await asyncio.sleep(poll_seconds(poll_interval(body)))


def _why_missing(revision: Revision, exchange: RecordedExchange) -> str:
    """Return why a request does not exist in a revision other than the recorded one; empty when it does."""
    if exchange.stateless is revision.stateless:
        return ""
    if exchange.method not in served_methods(Side.SERVER, revision):
        return f"revision {revision.date} has no {exchange.method}"
    return (
        f"it is a round of a multi-round request, which revision {revision.date} does not have"
        if exchange.is_round
        else ""
    )


def _without_envelope(params: Params) -> Params:
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return params
    return params | {"_meta": {key: value for key, value in meta.items() if not key.startswith(envelope.PREFIX)}}
