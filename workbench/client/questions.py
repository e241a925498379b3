"""The requests of servers to the client, and who answers them: a rule at once, or the user or a script later.

Rule 1: a question is answered once; later answers return False.
Rule 2: a question whose answer is no longer awaited (cancelled, out of time, or the server has ended) is withdrawn.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from server_core.protocol.codes import INTERNAL_ERROR, USER_REJECTED
from server_core.protocol.jsonrpc import Params, RequestId
from server_core.transports.open_questions import ANSWERED
from workbench.client.call_elsewhere import CallElsewhere

# The kind of question for each request method of a server.
KINDS = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}

# A server in a loop must not fill the client's memory.
MAX_WAITING = 1000
MAX_WITHDRAWN = 20


@dataclass(frozen=True, slots=True)
class QuestionOrigin:
    """Where a question comes from, as far as the wire shows it."""

    tool: str = ""  # the name of the tool that is called; empty if unknown
    calls: tuple[str, ...] = ()  # the ids, as JSON, of the calls that it may belong to
    client: str = ""  # what the client calls itself
    revision: str = ""  # the date
    is_stateless: bool = False


class Question:
    """A request of a server to the client. Its methods return False when it is already done.

    `call` is the id, as JSON, of the call during which it was sent; empty if unknown, and if another terminal has sent
    it: then it is `elsewhere`. `origin` names the calls that it may belong to. `suggestion` is the configured result.
    """

    def __init__(
        self,
        id: RequestId,
        kind: str,
        params: Params,
        *,
        session: str,
        call: str,
        respond: Callable[[dict[str, Any]], None],
        fail: Callable[[int, str], None],
        suggestion: dict[str, Any] | None = None,
        elsewhere: CallElsewhere | None = None,
        origin: "QuestionOrigin | None" = None,
    ) -> None:
        self.id = id
        self.kind = kind
        self.params = params
        self.session = session
        self.call = call
        self.elsewhere = elsewhere
        self.suggestion = suggestion
        self.origin = origin or QuestionOrigin()
        self.asked = time.time()  # seconds since the epoch
        self.done = False  # it needs no answer any more
        self.withdrawn = False  # without an answer
        self.expired = False  # withdrawn because the time to answer it was over
        self.refused = False  # answered with an error
        self.given: dict[str, Any] | tuple[int, str] | None = None  # its result, or the code and message of its error
        self.reason = ""  # why it was withdrawn, as its sender has put it
        self.ended = 0.0  # when it was done, in seconds since the epoch
        self.on_done: Callable[[Question], None] | None = None
        # set before an answer is prepared: called when the answer is no longer needed
        self.on_withdrawn: Callable[[], object] | None = None
        # called when it is answered elsewhere or has expired, for the client to go on without an answer
        self.on_expired: Callable[[], None] | None = None
        self._respond = respond
        self._fail = fail

    @property
    def mode(self) -> str:
        """The mode of an elicitation: "form" or "url"; empty for other kinds."""
        return str(self.params.get("mode", "form")) if self.kind == "elicitation" else ""

    def answer(self, result: dict[str, Any]) -> bool:
        if self.done:
            return False
        self.given = result
        self._end()
        self._respond(result)
        return True

    def refuse(self, code: int, message: str) -> bool:
        """Answer with a JSON-RPC error."""
        if self.done:
            return False
        self.refused, self.given = True, (code, message)
        self._end()
        self._fail(code, message)
        return True

    def accept(self, content: dict[str, Any] | None = None) -> bool:
        """Accept an elicitation, in form mode with the user's input."""
        return self.answer({"action": "accept"} if content is None else {"action": "accept", "content": content})

    def decline(self) -> bool:
        """Decline an elicitation or a sampling request."""
        if self.kind == "elicitation":
            return self.answer({"action": "decline"})
        return self.refuse(USER_REJECTED, "The user rejected the request.")

    def cancel(self) -> bool:
        """Dismiss an elicitation without a choice; other kinds are declined."""
        return self.answer({"action": "cancel"}) if self.kind == "elicitation" else self.decline()

    def reply(self, text: str, model: str = "workbench") -> bool:
        """Answer a sampling request with a text."""
        content = {"type": "text", "text": text}
        return self.answer({"role": "assistant", "content": content, "model": model, "stopReason": "endTurn"})

    @property
    def is_answered_elsewhere(self) -> bool:
        """Whether it was withdrawn because another terminal has answered it."""
        return self.reason == ANSWERED

    def withdraw(self, reason: str = "") -> None:
        """End the question without an answer, which is no longer awaited."""
        if self.done:
            return
        # Set before the listeners are notified: they read how the question ended.
        self.withdrawn, self.reason = True, reason
        self._end()
        if self.on_withdrawn is not None:
            self.on_withdrawn()

    def expire(self) -> None:
        """Withdraw the question, since the time to answer it is over."""
        if self.done:
            return
        self.expired = True
        self.withdraw()
        if self.on_expired is not None:
            self.on_expired()

    def end_elsewhere(self) -> None:
        """Withdraw the question, since another terminal has answered it."""
        if self.done:
            return
        self.withdraw(ANSWERED)
        if self.on_expired is not None:
            self.on_expired()

    def _end(self) -> bool:
        if self.done:
            return False
        self.done, self.ended = True, time.time()
        if self.on_done is not None:
            self.on_done(self)
        return True


# Checks a new question; True when it answers it, now or later, so that the user does not have to.
Rule: TypeAlias = Callable[[Question], bool]


class PendingQuestions:
    """The pending questions, with rules that answer at once; `ask_roots` leaves `roots/list` to the user as well.

    Args:
        automatic: the rules that come first.
        otherwise: the rules for what `automatic` and the responder do not answer.
    """

    def __init__(
        self, automatic: Sequence[Rule] = (), *, ask_roots: bool = False, otherwise: Sequence[Rule] = ()
    ) -> None:
        self.automatic = list(automatic)
        # Answers by the rules of the project, which may also replace the configured roots; it may take a question, and
        # pass it on later.
        self.responder: Rule | None = None
        self.otherwise = list(otherwise)
        self.ask_roots = ask_roots
        self.last_answered: Question | None = None  # by the user
        self.waiting: list[Question] = []  # for the user, oldest first
        self.withdrawn: deque[Question] = deque(maxlen=MAX_WITHDRAWN)  # that the user has not answered, oldest first
        # Called when `waiting` has changed: at once after an answer, once a turn for what servers ask and withdraw.
        self.on_change: Callable[[], None] | None = None
        self._is_due = False

    def ask(self, question: Question) -> None:
        """Add a new question: answer it by a rule, or leave it to the user."""
        if not self._is_configured(question) and any(rule(question) for rule in self.automatic):
            return
        if self.responder is None or not self.responder(question):
            self.pass_on(question)

    def pass_on(self, question: Question) -> None:
        """Answer a question that the responder does not answer, or leave it to the user."""
        if question.done:
            return
        if self._is_configured(question) and question.suggestion is not None:
            question.answer(question.suggestion)
            return
        if any(rule(question) for rule in self.otherwise):
            return
        if len(self.waiting) >= MAX_WAITING:
            question.refuse(INTERNAL_ERROR, f"{MAX_WAITING} requests are already waiting for an answer.")
            return
        question.on_done = self._remove
        self.waiting.append(question)
        self._notify_soon()

    def _is_configured(self, question: Question) -> bool:
        return question.kind == "roots" and not self.ask_roots and question.suggestion is not None

    def add_late(self, question: Question) -> None:
        """Add a question whose answer came after that of another terminal to those that ended without one."""
        question.withdrawn, question.reason = True, ANSWERED
        self.withdrawn.append(question)
        self._notify_soon()

    def _remove(self, question: Question) -> None:
        self.waiting.remove(question)
        if question.withdrawn:
            self.withdrawn.append(question)
            self._notify_soon()
        else:
            self.last_answered = question
            self._notify()

    def _notify_soon(self) -> None:
        """Notify in the next turn of the event loop: a server may ask a thousand questions in one."""
        if self.on_change is not None and not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._notify)

    def _notify(self) -> None:
        self._is_due = False
        if self.on_change is not None:
            self.on_change()
