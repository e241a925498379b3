"""The open questions of the other terminals of a core, which are shown and answered here as well.

Rule 1: they are fetched when the terminal attaches, and again after records that may have changed them.
Rule 2: a question that its own terminal answers by itself is not shown here.
Rule 3: a question is withdrawn here once the core no longer lists it.
Rule 4: the core is notified when a question of this terminal ends without an answer, or is answered before others of
its call: a stateless client cannot do that, and sends all answers together.
"""

import asyncio
import json
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from server_core.errors import WorkbenchError
from server_core.records.tap import Direction, Kind, Record
from server_core.runtime.background import spawn
from workbench.client.call_elsewhere import CallElsewhere
from workbench.client.questions import KINDS, PendingQuestions, Question

if TYPE_CHECKING:
    from workbench.link.link import Link

PAUSE_S = 0.3
"""How long a question is open before it is shown here: by then, its own terminal has answered it by a rule."""
_ENDED = "answered or ended in its own terminal"
# Where a result of a stateless call states that it is a request for input.
_MARK, _MARK_WITHIN = b'"input_required"', 200


class SharedQuestions:
    """Adds the questions of other terminals to the pending ones, and sends the answers to the core."""

    def __init__(self, link: "Link", questions: PendingQuestions) -> None:
        self._link = link
        self._questions = questions
        # By session and key.
        self._open: dict[tuple[str, str], Question] = {}
        self._is_due = False
        # The open questions of this terminal.
        self._own: list[Question] = []

    async def refresh(self) -> None:
        """Fetch the open questions of the other terminals; a viewer, who cannot answer, gets none."""
        if self._link.info.get("role") == "viewer":
            return
        # An older core has no such method.
        with suppress(WorkbenchError):
            answer = await self._link.request("questions/list", {"without": list(self._link.session_ids)})
            self._show(answer["questions"])

    def note(self, records: Iterable[Record]) -> None:
        """Fetch the questions again after a pause, if one of the records may have changed them."""
        sessions = {session for session, _ in self._open}
        if any(record.session in sessions or _asks(record) for record in records):
            self.refresh_soon()

    def note_ended(self) -> None:
        """Notify the core of the questions of this terminal that have ended, and of which it gets no message now."""
        open_calls = {question.call for question in self._own if not question.done}
        for question in self._own:
            is_given_up = question.withdrawn and not (question.expired or question.is_answered_elsewhere)
            if question.call and (question.refused or is_given_up):
                spawn(self._notify("questions/end", question), "end a question")
            elif question.done and not question.withdrawn and question.call in open_calls - {""}:
                spawn(self._notify("questions/set_aside", question), "set a question aside")
        shared = list(self._open.values())
        self._own = [question for question in self._questions.waiting if question not in shared]

    def refresh_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            spawn(self._refresh_later(), "questions of other terminals")

    def close(self) -> None:
        """Withdraw the questions: the core is lost."""
        self._show([])

    async def _refresh_later(self) -> None:
        await asyncio.sleep(PAUSE_S)
        self._is_due = False
        await self.refresh()

    def _show(self, listed: list[dict[str, Any]]) -> None:
        described = {(str(each["session"]), str(each["key"])): each for each in listed if each["method"] in KINDS}
        for id in self._open.keys() - described.keys():
            self._open.pop(id).withdraw(_ENDED)
        for id in described.keys() - self._open.keys():
            question = self._open[id] = self._question(id, described[id])
            self._questions.ask(question)

    def _question(self, id: tuple[str, str], described: dict[str, Any]) -> Question:
        call = _call(described)
        return Question(
            id[1],
            KINDS[described["method"]],
            described["params"],
            session=str(call),
            call="",
            elsewhere=call,
            respond=lambda result: self._answer(id, {"result": result}),
            fail=lambda code, message: self._answer(id, {"error": {"code": code, "message": message}}),
        )

    def _answer(self, id: tuple[str, str], outcome: dict[str, Any]) -> None:
        question, (session, key) = self._open.pop(id), id
        params = {"session": session, "key": key, **outcome}
        spawn(self._send(question, params), "answer a question of another terminal")

    async def _send(self, question: Question, params: dict[str, Any]) -> None:
        try:
            await self._link.request("questions/answer", params)
        except WorkbenchError:
            # Another terminal was faster, or the question has ended meanwhile.
            self._questions.add_late(question)

    async def _notify(self, method: str, question: Question) -> None:
        key = json.dumps([json.loads(question.call), question.id])
        # An older core may not have the method.
        with suppress(WorkbenchError):
            await self._link.request(method, {"sessions": list(self._link.session_ids), "key": key})


def _asks(record: Record) -> bool:
    """Return whether a record may be a request for input, which another terminal could be asked."""
    if record.direction is not Direction.OUT:
        return False
    return record.kind is Kind.REQUEST or (record.kind is Kind.RESPONSE and _MARK in record.data[:_MARK_WITHIN])


def _call(described: dict[str, Any]) -> CallElsewhere:
    # An older core describes neither the id of the call nor its deadline.
    left = described.get("seconds_left")
    deadline = time.time() + left if isinstance(left, int | float) else None
    tool, request_id = str(described.get("tool") or ""), described.get("call", "")
    return CallElsewhere(tool, str(described["session"]), request_id, deadline)
