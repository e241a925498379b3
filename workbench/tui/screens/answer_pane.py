"""What the two places for answers share: the question in front, and the actions on it."""

import math
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.widgets import Button

from workbench.client.call_elsewhere import CallElsewhere
from workbench.client.questions import Question
from workbench.model.history import CallRun
from workbench.model.notices import CLIPBOARD, UNAVAILABLE
from workbench.tui.actions import Action, find_action
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.keystrokes import watch_keys
from workbench.tui.question_notices import QUESTION
from workbench.tui.screens.answer_guard import AnswerGuard
from workbench.tui.screens.form_pane import FormPane
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.questions.elicitation_question import ElicitationView
from workbench.tui.widgets.questions.question_stack import QuestionStack
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.questions.url_question import UrlView
from workbench.tui.workers import start_worker
from workbench.workspace.answer_drafts import inherit_draft, keep_draft
from workbench.workspace.asking_calls import (
    EXTENSION_S,
    asker_with_arguments,
    asking_call,
    deadline_of,
    extend_time,
    extension_of,
    timed_call,
    update_deadline,
    why_no_extension,
)

# The actions that end a request; the buttons of its view are some of them.
_ANSWERS = ("accept", "decline", "cancel")
TIME_OVER = "The time to answer is over: the tool no longer waits."
# The seconds before a deadline in which the core is asked for it each second.
_NEAR_S = 3
_URL = "url"  # The topic of the notice about a URL that was opened.
_WITHDRAWN = "withdrawn"  # The topic of the notice about questions that are no longer open.


class AnswerPane(FormPane):
    """A pane, or a column of one, in which questions are answered."""

    PLACE = "requests"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PLACE)]

    def __init__(self, stack_id: str) -> None:
        super().__init__()
        self._stack = QuestionStack(id=stack_id)
        # Whether the view of the question gets the focus once it is mounted.
        self._wants_focus = False
        self._guard = AnswerGuard()
        # The question whose time to answer was last requested from the core.
        self._timed: Question | None = None

    @property
    def question(self) -> Question | None:
        return self._stack.question

    @property
    def focused_form(self) -> FormView | None:
        view = self._stack.view
        if isinstance(view, ElicitationView) and view.editor.view.focused_row is not None:
            return view.editor.view
        return None

    @property
    def form_editor(self) -> FormEditor | None:
        view = self._stack.view
        return view.editor if isinstance(view, ElicitationView) and view.is_mounted else None

    def on_mount(self) -> None:
        self.set_interval(1, self.show_time_left)
        watch_keys(self, self._key_pressed)

    def focus_question(self) -> None:
        """Focus the answer, as soon as its view is mounted."""
        self.workbench.withdraw(QUESTION)
        view = self._stack.view
        self._wants_focus = view is not None and not view.is_mounted
        if view is not None and view.is_mounted:
            view.focus_answer()

    def bring_to_front(self, question: Question | None) -> None:
        asker = "" if question is None else asker_with_arguments(self.workspace, question)
        if question is not None:
            inherit_draft(self.workspace.questions, question)
        self._stack.show(question, asker, self._folder)
        self.show_time_left()

    def refresh_answers(self) -> None:
        """Show the answers again, which may have been changed in another place."""
        self._stack.refresh_answers()

    def remove_closed(self) -> None:
        """Remove the views of questions that are no longer open; the user learns what the server has withdrawn."""
        for question in self._stack.remove_closed(self.workspace.questions.waiting):
            run = asking_call(self.workspace, question)
            if question.withdrawn and not (run is not None and run.cancelling):
                self._announce_withdrawn(question)

    def _announce_withdrawn(self, question: Question) -> None:
        text = TIME_OVER if question.expired else "The server no longer waits for this answer."
        if question.is_answered_elsewhere:
            text = "This question was answered in another terminal."
        if keep_draft(self.workspace.questions, question):
            text += " What you have entered is kept for the next request like it."
        self.notify(text, title=_WITHDRAWN, severity="warning", markup=False)

    def show_time_left(self) -> None:
        """Count the seconds down until the server gives up waiting."""
        question, view = self._stack.question, self._stack.view
        if question is None or view is None or not view.is_mounted or not self.size.width:
            return
        run = timed_call(self.workspace, question)
        if run is not None and self._must_update(run, question):
            self._timed = question
            start_worker(self, partial(self._update_deadline, run), "deadline")
        deadline = deadline_of(self.workspace, question)
        left = None if deadline is None else deadline - self.workspace.clock()
        view.show_time_left(time_left_text(left, extension_of(question)))

    def _must_update(self, run: CallRun | CallElsewhere, question: Question) -> bool:
        """Return whether to ask the core how long it waits: also near the end, since other terminals may extend it."""
        if isinstance(run, CallRun) and not run.is_running:
            return False
        if not run.request_id and run.request_id != 0:
            return False
        is_near = run.deadline is not None and run.deadline - self.workspace.clock() < _NEAR_S
        return run.deadline is None or is_near or question is not self._timed

    async def _update_deadline(self, run: CallRun | CallElsewhere) -> None:
        await update_deadline(self.workspace, run)
        if run.deadline is not None:
            self.show_time_left()

    @property
    def _folder(self) -> str:
        project = str(self.workspace.core.info.get("project") or "")
        return project if project.startswith("/") else ""

    def why_not(self, action: str) -> str | None:
        if action in ("back", "ask_roots"):
            return None
        if self._stack.question is None:
            return "There is no open request."
        if action == "next_request":
            return None if len(self.workspace.questions.waiting) > 1 else "There is no other open request."
        view = self._stack.view
        if view is not None and not view.is_mounted and action not in ("decline", "cancel"):
            return "The request is still loading."
        if action in _ANSWERS and view is not None and action not in dict(view.BUTTONS):
            refuse = key_for("decline", self.PLACE)
            return f"This request is answered or refused; press {refuse} to refuse it."
        if action == "extend":
            return why_no_extension(self.workspace, timed_call(self.workspace, self._stack.question))
        if action in ("open_url", "copy_url") and not isinstance(view, UrlView):
            return "This request has no URL."
        if action == "toggle_json" and not isinstance(view, ElicitationView):
            return "This request has no form."
        return super().why_not(action)

    def is_hinted(self, action: str) -> bool:
        least = 2 if action == "next_request" else 1
        return len(self.workspace.questions.waiting) >= least and super().is_hinted(action)

    def hint_title(self, action: Action) -> str:
        view = self._stack.view
        if action.id not in _ANSWERS or view is None:
            return super().hint_title(action)
        # The buttons of the request name what its keys do.
        return dict(view.BUTTONS).get(action.id, "").lower()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # While there is no question, ctrl+d edits text.
        if parameters in (("decline",), ("cancel",)):
            return self._stack.question is not None
        return True

    async def action_accept(self) -> None:
        """Send the answer; the view shows what is wrong with an invalid one."""
        view = self._stack.view
        if self._may_answer("accept") and view is not None:
            view.accept()

    async def action_decline(self) -> None:
        question = self._stack.question
        if self._may_answer("decline") and question is not None:
            question.decline()

    async def action_cancel(self) -> None:
        question = self._stack.question
        if self._may_answer("cancel") and question is not None:
            question.cancel()

    def protect(self, *, is_next: bool = False) -> None:
        """Note that the request in front came there by itself: a key pressed now was meant for another.

        Args:
            is_next: whether it has taken the place of another, in which the focus was.
        """
        self._guard.start(self._stack.question, is_next=is_next)

    def release(self) -> None:
        """Note that the user has opened the request in front."""
        self._guard.release()

    def _key_pressed(self, key: str) -> None:
        """Note that the user works in the request in front; the keys of its buttons end it, and count for the guard."""
        focused = self.screen.focused
        presses_button = isinstance(focused, Button) and key in ("enter", "space")
        if self.has_focus_within and key not in self._ending_keys and not presses_button:
            self._guard.note_key()

    @property
    def _ending_keys(self) -> list[str]:
        return [key for action in _ANSWERS for key in find_action(action, self.PLACE).key_names]

    def _may_answer(self, action: str) -> bool:
        """Return whether an action may end the request now; if not, the user learns how."""
        if not (objection := self._guard.objection(self._stack.question)):
            return True
        self.ask_again(action, f"{objection}; press")
        return False

    def ask_again(self, action: str, text: str) -> None:
        """Show that the key of an action has to be pressed once more; the text ends before the key."""
        effect = {"accept": "send its answer", "decline": "decline it", "cancel": "dismiss it"}[action]
        key = key_for(action, self.PLACE)
        self.notify(f"{text} {key} again to {effect}.", title=UNAVAILABLE, markup=False)

    def action_extend(self) -> None:
        # Each press counts, and none is cancelled by the request for the deadline.
        start_worker(self, self._extend, "extend", exclusive=False)

    async def _extend(self) -> None:
        question = self._stack.question
        if question is None or (run := timed_call(self.workspace, question)) is None:
            return
        if await self.attempt(extend_time(self.workspace, run, question)):
            self.show_time_left()

    def action_next_request(self) -> None:
        waiting = self.workspace.questions.waiting
        at = waiting.index(self.question) if self.question in waiting else -1
        self.go_to_question(waiting[(at + 1) % len(waiting)])

    def go_to_question(self, question: Question) -> None:
        """Show another question, with the focus in its answer."""
        raise NotImplementedError

    def action_toggle_json(self) -> None:
        if isinstance(view := self._stack.view, ElicitationView):
            view.editor.toggle_json()

    def action_open_url(self) -> None:
        if isinstance(view := self._stack.view, UrlView):
            self.notify(view.open(), title=_URL, markup=False)

    def action_copy_url(self) -> None:
        if isinstance(view := self._stack.view, UrlView):
            self.app.copy_to_clipboard(view.url)
            self.notify("The URL is in the clipboard.", title=CLIPBOARD, markup=False)

    def action_ask_roots(self) -> None:
        questions = self.workspace.questions
        questions.ask_roots = not questions.ask_roots
        self.workspace_changed("questions")
        self.notify(
            "Requests for roots now wait for you." if questions.ask_roots else "Roots are answered automatically.",
            title="roots",
            markup=False,
        )

    def action_back(self) -> None:
        raise NotImplementedError

    @on(QuestionView.Ready)
    def _view_ready(self, event: QuestionView.Ready) -> None:
        event.stop()
        self.show_time_left()
        if event.view is self._stack.view and self._wants_focus:
            self.call_after_refresh(self.focus_question)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        await self.action_act(str(event.button.id))


def time_left_text(left: float | None, extension: int) -> str:
    """Return how long the server waits for an answer, and how to extend that; empty if it is unknown."""
    if left is None:
        return ""
    if left <= 0:
        return TIME_OVER
    state = f", {extension} s added" if extension else " to answer"
    return f"{math.ceil(left)} s left{state} · {key_for('extend', 'requests')} adds {EXTENSION_S} s"
