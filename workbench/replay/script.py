"""Answers the requests of a server as they were answered in the recording."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator

from server_core.protocol.jsonrpc import ErrorResponse, Response
from workbench.client.questions import KINDS, Question
from workbench.replay.differences import ValueDifference, differences
from workbench.replay.recording import RecordedExchange
from workbench.replay.report import ReplayOutcome, Status

METHODS = {kind: method for method, kind in KINDS.items()}


class Script:
    """Answers the questions of a session as the recorded ones with the same params, else as the next of their kind."""

    def __init__(self, session: str, recorded: list[RecordedExchange], report: Callable[[ReplayOutcome], None]) -> None:
        self._session = session
        self._left = list(recorded)
        self._report = report
        # Set once every question is asked that no request of the client caused.
        self._uncaused_asked = asyncio.Event()
        self._note_uncaused()

    def __call__(self, question: Question) -> bool:
        """Answer a question; False if the recording has no answer to it."""
        method = METHODS[question.kind]
        recorded = self._find(method, question)
        if recorded is None:
            self._add(0, method, Status.DIFFERS, "the server sends this request now, but did not in the recording")
            return False
        differing = tuple(differences(recorded.params, question.params, "$.params"))
        self._left.remove(recorded)
        self._note_uncaused()
        reason = _answer(question, recorded)
        status = Status.DIFFERS if differing else Status.SKIPPED if reason else Status.SAME
        self._add(recorded.seq, method, status, reason, differing)
        return True

    async def await_uncaused(self, timeout: float) -> None:
        """Wait, so many seconds at most, for the recorded questions that a server asks at a time of its own."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._uncaused_asked.wait()

    def missing_requests(self) -> Iterator[ReplayOutcome]:
        """Yield an outcome for each recorded question that the server did not ask again."""
        for recorded in self._left:
            if recorded.cause is not None and recorded.cause.obstacle:
                status, reason = Status.SKIPPED, f"the {recorded.cause.method} that it belongs to was skipped"
            else:
                status, reason = Status.DIFFERS, "the server sent this request in the recording, but does not now"
            yield ReplayOutcome(recorded.seq, self._session, recorded.method, "", status, reason)

    def _note_uncaused(self) -> None:
        if all(recorded.cause is not None for recorded in self._left):
            self._uncaused_asked.set()

    def _find(self, method: str, question: Question) -> RecordedExchange | None:
        candidates = [recorded for recorded in self._left if recorded.method == method]
        for recorded in candidates:
            if not any(differences(recorded.params, question.params)):
                return recorded
        return candidates[0] if candidates else None

    def _add(
        self, seq: int, method: str, status: Status, reason: str, differing: tuple[ValueDifference, ...] = ()
    ) -> None:
        self._report(ReplayOutcome(seq, self._session, method, "", status, reason, differing))


def _answer(question: Question, recorded: RecordedExchange) -> str:
    """Answer as recorded; where that is not possible, decline and return the reason."""
    answer, reason = recorded.answer, recorded.unanswerable
    if reason:
        question.decline()
        return f"declined: {reason}"
    if isinstance(answer, ErrorResponse):
        question.refuse(answer.code, answer.message)
    elif isinstance(answer, Response):
        question.answer(answer.result)
    return ""
