"""The requests for input in one result of a server, asked all at once.

Rule 1: they are asked in parallel, and their responses are sent together.
Rule 2: when one is refused, the others are withdrawn.
Rule 3: one that the server no longer waits for has no response; the server continues without it, or asks again.

Source: 2026-07-28, basic/patterns/mrtr, client requirements; schema, InputRequests and InputResponses.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from server_core.errors import ProtocolError, WorkbenchError
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.protocol.jsonrpc import Params
from workbench.client.questions import KINDS, PendingQuestions, Question
from workbench.client.requester import Refused

ResponseFuture = asyncio.Future[dict[str, Any] | None]


class MakeQuestion(Protocol):
    """Creates a question, without asking it yet."""

    def __call__(
        self,
        request_id: str,
        kind: str,
        params: Params,
        respond: Callable[[dict[str, Any]], None],
        fail: Callable[[int, str], None],
    ) -> Question: ...


class InputRequests:
    """The input requests of one session; `questions` receives them."""

    def __init__(self, questions: PendingQuestions) -> None:
        self._questions = questions
        self._open: set[ResponseFuture] = set()

    async def request_input(self, requests: Mapping[str, Any], ask: MakeQuestion) -> dict[str, Any]:
        """Ask all input requests, by the server's keys, and return the responses; Refused if one was refused."""
        # All are checked before any is shown: an invalid one fails the whole result.
        kinds = {key: _kind(key, request) for key, request in requests.items()}
        pending = [self._ask(key, kind, requests[key], ask) for key, kind in kinds.items()]
        try:
            for question, _ in pending:
                self._questions.ask(question)
            answers = await asyncio.gather(*(answer for _, answer in pending))
            return {key: answer for key, answer in zip(kinds, answers, strict=True) if answer is not None}
        finally:
            for question, answer in pending:
                question.withdraw()
                self._open.discard(answer)

    def fail(self, error: WorkbenchError) -> None:
        for answer in self._open:
            if not answer.done():
                answer.set_exception(error)

    def _ask(self, key: str, kind: str, request: dict[str, Any], ask: MakeQuestion) -> tuple[Question, ResponseFuture]:
        answer: ResponseFuture = asyncio.get_running_loop().create_future()
        # The first refusal is raised; the others are retrieved here, so that the event loop does not log them.
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._open.add(answer)

        def respond(result: dict[str, Any] | None) -> None:
            if not answer.done():
                answer.set_result(result)

        def refuse(code: int, message: str) -> None:
            if not answer.done():
                answer.set_exception(Refused(f"The server requested {kind}, and it was refused: {message}"))

        question = ask(key, kind, request.get("params") or {}, respond, refuse)
        question.on_expired = partial(respond, None)
        return question, answer


def _kind(key: str, request: Any) -> str:
    if isinstance(request, dict) and isinstance(request.get("params"), dict | None):
        kind = KINDS.get(str(request.get("method")))
        if kind is not None:
            return kind
    raise ProtocolError(INTERNAL_ERROR, f"The server's input request {key!r} is of no known kind.")
