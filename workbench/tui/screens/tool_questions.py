"""The questions in the tools pane: which one is open, and where the focus returns to.

Rule 1: the question of the call in view opens by itself, but moves the focus only where that waits for the outcome.
Rule 2: every other question opens by a key; after its answer everything is as it was.
"""

import math
from collections.abc import Callable
from functools import partial
from weakref import WeakSet

from textual.widget import Widget

from workbench.client.questions import Question
from workbench.model.describe import plural
from workbench.model.history import CallRun
from workbench.model.short_text import escaped
from workbench.tui.key_bindings import key_for
from workbench.tui.pane import Pane
from workbench.tui.screens.question_column import QuestionColumn
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.light_classes import set_light_class
from workbench.tui.widgets.outcome import Outcome
from workbench.tui.workers import start_worker
from workbench.workspace.asking_calls import EXTENSION_S, asker, asking_call, deadline_of, seconds_left
from workbench.workspace.next_question import LAST_S, next_question

NEXT_S = 0.4
"""For how many seconds the focus waits for the next question of a call after an answer."""
_TIME = "time to answer"  # The topic of that notice.
WAITS = "call that waits"
"""The topic of the notice that an answer comes before another call: it ends when the question is left or answered."""


class ToolQuestions:
    """Opens and closes the column of the question; `go_to` shows a column, and may move the focus there."""

    def __init__(self, pane: Pane, outcome: Outcome, go_to: Callable[[str, bool], None]) -> None:
        self.column = QuestionColumn(self.leave, self.go_to)
        self._pane = pane
        self._outcome = outcome
        self._go_to = go_to
        # Questions that the user has left without an answer, where they cover the outcome.
        self._put_aside: WeakSet[Question] = WeakSet()
        # The question that was opened by a key.
        self._opened: Question | None = None
        # The call whose question has just been answered, while its next one is awaited.
        self._answered: CallRun | None = None
        # Questions from which the user has come back without an answer.
        self._left: WeakSet[Question] = WeakSet()
        self._was_awaited = False
        self._return_focus: Widget | None = None
        self._return_place = ""
        # Until a tool that asks is given up, when this was last shown.
        self._seconds_left = math.inf

    @property
    def has_focus(self) -> bool:
        return self.column.has_focus_within

    @property
    def covers_outcome(self) -> bool:
        """Whether the question is in the place of the outcome, not beside it."""
        return self._pane.has_class("-asking") and not self._pane.has_class("-roomy")

    @property
    def is_awaited(self) -> bool:
        """Whether the call in view waits for an answer."""
        return self._question_of_call is not None

    def update(self) -> None:
        """Show what fits the open questions and the call in view, after one of them has changed."""
        before, question = self.column.question, self._question_in_view()
        if question is not None and question is not before:
            self._open(question, takes_focus=self.has_focus or self._awaits_outcome)
        elif question is None and before is not None:
            self._await_next(before)
        elif question is None and self._answered is not None and not self._answered.is_running:
            self._stop_waiting()
        self.column.remove_closed()
        self.column.show_count()
        self.count_down()
        if self.is_awaited is not self._was_awaited:
            self._was_awaited = self.is_awaited
            self._pane.workbench.show_keys()

    def toggle(self, question: Question | None = None, return_place: str = "") -> None:
        """Go to a question, by default to that of the call in view, else the last announced; back from a question."""
        if self.has_focus:
            if self.column.question is self._opened:
                self.leave()
            else:
                # It has taken the focus by itself: it is what the key was pressed for.
                self._opened = self.column.question
            return
        if (asked := question or self._default_question) is not None:
            self._return_place = return_place
            self.go_to(asked)

    def go_to(self, question: Question) -> None:
        """Open a question by a key."""
        self._put_aside.discard(question)
        self._opened = question
        self._open(question, takes_focus=True)

    def come_before(self, key: tuple[str, str], action: str) -> bool:
        """Go to the question of the call in view before its offer is called once more, and return whether there is one.

        Once the user has come back from the question, the action calls the offer.
        """
        run, question = self._outcome.run, self._question_of_call
        if run is None or question is None or question in self._left or (run.kind, run.tool) != key:
            return False
        self._put_aside.discard(question)
        self._open(question, takes_focus=True)
        keys = f"{key_for('back', 'requests')}, then {key_for(action, 'tools')}"
        self._pane.notify(f"Its call waits for this answer. {keys} calls it once more.", title=WAITS, markup=False)
        return True

    def leave(self) -> None:
        """Go back without an answer; where the question covers the outcome it is put aside."""
        had_focus, self._opened = self.has_focus, None
        self._pane.workbench.withdraw(WAITS)
        if had_focus and self.column.question is not None:
            self._left.add(self.column.question)
        if self.covers_outcome:
            waiting = self._pane.workspace.questions.waiting
            self._put_aside.update(question for question in waiting if self._asked_by_call_in_view(question))
        if (of_call := self._question_in_view()) is None:
            self._close(had_focus=had_focus)
            return
        if had_focus:
            self._restore_focus()
        self.column.show(of_call)

    def uncover_outcome(self) -> None:
        """Put the question aside if the outcome, which is about to be shown, is behind it."""
        if self.covers_outcome:
            self._return_focus, self._return_place = self._outcome.front, ""
            self.leave()

    def show_again(self) -> None:
        """Update the question after another screen, at which the answer may have been written."""
        self._return_place = ""
        self.column.refresh_answers()

    def count_down(self) -> None:
        left = seconds_left(self._pane.workspace)
        if left is not None and left <= LAST_S < self._seconds_left:
            more = f"{key_for('answer')} answers, {key_for('extend', 'requests')} there adds {EXTENSION_S} s"
            text = f"A tool waits for your answer {round(left)} s more: {more}."
            self._pane.notify(text, title=_TIME, severity="warning", markup=False)
        elif left is None or left > LAST_S:
            self._pane.workbench.withdraw(_TIME)
        self._seconds_left = math.inf if left is None else left
        self._outcome.notes.show_waiting(self._waiting_text())

    def _waiting_text(self) -> str:
        """Return who asks the question to which the key goes, and how long it waits if that is known."""
        workspace, question = self._pane.workspace, self._default_question
        if question is None:
            return ""
        deadline = deadline_of(workspace, question)
        limit = "" if deadline is None else f" · {max(0.0, deadline - workspace.clock()):.0f} s left"
        others = len(workspace.questions.waiting) - 1
        more = f" · {plural(others, 'other request')} {'wait' if others > 1 else 'waits'}" if others else ""
        return f"? {escaped(asker(workspace, question))} asks: {key_for('answer')} answers{limit}{more}"

    @property
    def _awaits_outcome(self) -> bool:
        """Whether the user waits at the outcome of the call in view, where nothing is typed."""
        return self._pane.workbench.pane is self._pane and self._outcome.has_focus_within

    @property
    def _default_question(self) -> Question | None:
        """The question that the key opens."""
        return self._question_of_call or next_question(self._pane.workspace)

    @property
    def _question_of_call(self) -> Question | None:
        """The oldest open question of the call in view, also if it was put aside."""
        waiting = self._pane.workspace.questions.waiting
        return next((question for question in waiting if self._asked_by_call_in_view(question)), None)

    def _asked_by_call_in_view(self, question: Question) -> bool:
        run = self._outcome.run
        return run is not None and asking_call(self._pane.workspace, question) is run

    def _question_in_view(self) -> Question | None:
        """Return the question to show: the one that was opened, else the oldest of the call in view."""
        waiting = self._pane.workspace.questions.waiting
        if self._opened is not None and self._opened in waiting:
            return self._opened
        of_call = [question for question in waiting if self._asked_by_call_in_view(question)]
        return next((question for question in of_call if question not in self._put_aside), None)

    def _open(self, question: Question, *, takes_focus: bool) -> None:
        focused, had_focus = self._pane.screen.focused, self.has_focus
        self._answered = None
        self.column.show(question)
        self._set_asking(True)
        if takes_focus:
            if not had_focus:
                self._return_focus = focused
            if question is self._opened:
                self.column.release()
            else:
                self.column.protect(is_next=had_focus)
            self._go_to("question", True)

    def _await_next(self, before: Question) -> None:
        """Keep the focus for a moment after an answer: many tools ask several questions in a row."""
        self._pane.workbench.withdraw(WAITS)
        run = asking_call(self._pane.workspace, before)
        is_answered = before.done and not before.withdrawn
        if not is_answered or not self.has_focus or run is None or not run.is_running:
            self._close(had_focus=self.has_focus)
            return
        self._answered = run
        self.column.wait()
        self._pane.set_timer(NEXT_S, self._stop_waiting)

    def _stop_waiting(self) -> None:
        if self._answered is not None:
            self._close(had_focus=self.has_focus)

    def _close(self, *, had_focus: bool) -> None:
        self._opened = self._answered = None
        self._set_asking(False)
        self.column.show(None)
        if had_focus:
            self._restore_focus()
        else:
            self._go_to("", False)
        self.column.can_focus = False

    def _set_asking(self, is_asking: bool) -> None:
        set_light_class(self._pane, is_asking, "-asking", self._pane.query("#question, #outcome, #waiting, #wire"))

    def _restore_focus(self) -> None:
        widget, place = self._return_focus, self._return_place
        self._return_focus, self._return_place = None, ""
        if place:
            self._go_to("", False)
            start_worker(self._pane, partial(self._pane.workbench.show, place), "return")
            return
        ancestors = widget.ancestors if widget is not None and widget.is_attached else []
        column = next((node.id for node in ancestors if node.parent is self.column.parent), None)
        if widget is None or column is None:
            self._go_to("outcome", True)
        else:
            self._go_to(column, False)
            self._pane.screen.set_focus(widget)
            if isinstance(widget, LineEditor):
                widget.keep_cursor()
