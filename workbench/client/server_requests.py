"""What servers ask of the client, and who answers: a rule at once, or a person or a script later.

Rule 1: a question is answered once; what comes later is told that it came too late, by False.
Rule 2: a question that nobody waits for any more (cancelled, or the server is gone) is withdrawn.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from server_core.protocol.codes import INTERNAL_ERROR, USER_REJECTED
from server_core.protocol.jsonrpc import Params, RequestId

KINDS = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""The kind of question that each request of a server is."""

# A server in a loop must not fill the memory of its client.
MOST_WAITING = 1000


class Question:
    """One thing that a server asks.

    Args:
        id: the id of the server's request.
        kind: "elicitation", "sampling" or "roots".
        params: what it asks, as sent.
        session: the name of the server that asks.
        call: JSON text of the id of the call during which it asks; empty when that is not known.
        respond: sends a result.
        fail: sends an error: a JSON-RPC code and a message.
        suggestion: the result that the client is configured to give, if it is.
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
    ) -> None:
        self.id = id
        self.kind = kind
        self.params = params
        self.session = session
        self.call = call
        self.suggestion = suggestion
        self.asked = time.time()
        """When it came, in seconds since the epoch."""
        self.done = False
        """Whether it needs no answer any more."""
        self.withdrawn = False
        """Whether it ended without an answer of ours."""
        self.on_done: Callable[[Question], None] | None = None
        self.on_withdrawn: Callable[[], object] | None = None
        """For who is about to answer: called when that is of no use any more."""
        self._respond = respond
        self._fail = fail

    @property
    def mode(self) -> str:
        """How an elicitation wants to be answered: "form" or "url"; empty for other kinds."""
        return str(self.params.get("mode", "form")) if self.kind == "elicitation" else ""

    def answer(self, result: dict[str, Any]) -> bool:
        """Answer with a result as the specification wants it; False when the question was done already."""
        if not self._end():
            return False
        self._respond(result)
        return True

    def refuse(self, code: int, message: str) -> bool:
        """Answer with a JSON-RPC error; False when the question was done already."""
        if not self._end():
            return False
        self._fail(code, message)
        return True

    def accept(self, content: dict[str, Any] | None = None) -> bool:
        """Accept an elicitation, in form mode with what the person filled in; False when it was done already."""
        return self.answer({"action": "accept"} if content is None else {"action": "accept", "content": content})

    def decline(self) -> bool:
        """Say no to an elicitation, or to a sampling request; False when it was done already."""
        if self.kind == "elicitation":
            return self.answer({"action": "decline"})
        return self.refuse(USER_REJECTED, "The user rejected the request.")

    def cancel(self) -> bool:
        """Dismiss an elicitation without a choice; anything else is declined; False when it was done already."""
        return self.answer({"action": "cancel"}) if self.kind == "elicitation" else self.decline()

    def reply(self, text: str, model: str = "workbench") -> bool:
        """Answer a sampling request with a text; False when it was done already."""
        content = {"type": "text", "text": text}
        return self.answer({"role": "assistant", "content": content, "model": model, "stopReason": "endTurn"})

    def withdraw(self) -> None:
        """End the question unanswered: nobody waits for the answer any more."""
        if self.done:
            return
        # Before the end is told: who hears of it wants to know how the question ended.
        self.withdrawn = True
        self._end()
        if self.on_withdrawn is not None:
            self.on_withdrawn()

    def _end(self) -> bool:
        if self.done:
            return False
        self.done = True
        if self.on_done is not None:
            self.on_done(self)
        return True


Rule: TypeAlias = Callable[[Question], bool]
"""Looks at a new question; True when it answers it, now or later, and no person has to."""


class Questions:
    """The questions that wait for an answer, and the rules that answer without a person.

    Args:
        automatic: asked in this order before a question is left to a person.
        ask_roots: whether a person answers `roots/list`, instead of the roots that the session was given.
    """

    def __init__(self, automatic: Sequence[Rule] = (), *, ask_roots: bool = False) -> None:
        self.automatic = list(automatic)
        self.ask_roots = ask_roots
        self.waiting: list[Question] = []
        """What a person has to answer, oldest first."""
        self.on_change: Callable[[], None] | None = None
        """Called when `waiting` has changed."""

    def ask(self, question: Question) -> None:
        """Take a new question: answer it by a rule, or let it wait for a person."""
        if question.kind == "roots" and not self.ask_roots and question.suggestion is not None:
            question.answer(question.suggestion)
            return
        if any(rule(question) for rule in self.automatic):
            return
        if len(self.waiting) >= MOST_WAITING:
            question.refuse(INTERNAL_ERROR, f"{MOST_WAITING} questions wait for an answer already.")
            return
        question.on_done = self._ended
        self.waiting.append(question)
        self._changed()

    def _ended(self, question: Question) -> None:
        self.waiting.remove(question)
        self._changed()

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()
