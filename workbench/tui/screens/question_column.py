"""The column of the tools pane in which the question of the call in view is answered."""

from collections.abc import Callable

from textual.app import ComposeResult

from workbench.client.questions import Question
from workbench.tui.key_bindings import key_for
from workbench.tui.screens.answer_pane import AnswerPane
from workbench.tui.widgets.light_classes import update_styles


class QuestionColumn(AnswerPane):
    """One question, while it is open; `leave` goes back without an answer, and `go_to` to another question."""

    def __init__(self, leave: Callable[[], None], go_to: Callable[[Question], None]) -> None:
        super().__init__("answer")
        self.id = "question"
        self.border_subtitle = f"{key_for('answer')} to answer"
        self._stack.show_keys(is_shown=False)
        self._leave = leave
        self._go_to = go_to
        self._shows_keys = False

    def compose(self) -> ComposeResult:
        yield self._stack

    def show(self, question: Question | None) -> None:
        self.bring_to_front(question)
        self.show_count()

    def show_count(self) -> None:
        """Show how many requests wait, and which of them this is."""
        question, waiting = self.question, self.workspace.questions.waiting
        self.border_title = "Request"
        if question is not None and question in waiting and len(waiting) > 1:
            more = f"{key_for('next_request', self.PLACE)} next"
            self.border_title = f"Request {waiting.index(question) + 1} of {len(waiting)} · {more}"

    def wait(self) -> None:
        """Keep the focus until the next question is shown, or another widget gets it."""
        self.can_focus = True
        self.screen.set_focus(self)
        self.show(None)

    def watch_has_focus(self, _has_focus: bool) -> None:
        update_styles([self])
        self._show_way()

    def on_descendant_focus(self) -> None:
        self._show_way()

    def on_descendant_blur(self) -> None:
        self._show_way()

    def _show_way(self) -> None:
        """Show the key to the question, or the keys in it; the focus may have moved within it."""
        back = f"{key_for('back', self.PLACE)} goes back"
        has_focus = self.has_focus_within
        self.border_subtitle = back if has_focus else f"{key_for('answer')} to answer"
        if has_focus is not self._shows_keys:
            self._shows_keys = has_focus
            self._stack.show_keys(is_shown=has_focus)

    def focus_question(self) -> None:
        super().focus_question()
        # Until the view is mounted, the column itself gets the keys; those typed ahead follow the focus.
        self.can_focus = self._wants_focus
        if self._wants_focus:
            self.screen.set_focus(self)

    def go_to_question(self, question: Question) -> None:
        self._go_to(question)

    def action_back(self) -> None:
        self._leave()
