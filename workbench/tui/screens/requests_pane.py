"""The questions of servers: one queue for forms, URLs, sampling requests and roots."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.client.questions import Question
from workbench.model.short_text import escaped
from workbench.tui.colours import MUTED, STRONG
from workbench.tui.key_bindings import key_for
from workbench.tui.question_notices import QUESTION
from workbench.tui.screens.answer_pane import AnswerPane
from workbench.tui.widgets.bar import Bar, Item
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.questions.question_list import QuestionList
from workbench.workspace.asking_calls import unanswered_texts
from workbench.workspace.question_texts import asked_text, time_text

_EMPTY = """No open requests.

A running tool may request input. Its requests wait here until you answer:

  form    values from the user (elicitation)
  URL     consent to open a page (elicitation in URL mode)
  model   a response of a language model (sampling)
  roots   folders to work in (roots)

The number at this tab counts them, on every screen.
"""
_MAX_UNANSWERED = 5  # As many of the questions that ended without an answer are shown.


class RequestsPane(AnswerPane):
    NARROW = 100

    DEFAULT_CSS = """
    RequestsPane {
        & > #crumbs { display: none; background: $surface; }
        & > #empty { display: none; padding: 1 2; color: $text-muted; border: round $border-blurred; }
        & > #empty:focus { border: heavy $border; border-title-color: $border; border-title-style: bold; }
        & #questions { width: 36%; min-width: 34; max-width: 64; }
        & #unanswered { display: none; height: auto; max-height: 50%; padding: 0 1; color: $text-muted; }
        & #question { width: 1fr; }
        &.-empty > Columns { display: none; }
        &.-empty > #empty { display: block; }
        &.-narrow {
            & > #crumbs { display: block; }
            & > Columns > *, & > #empty { border: none; }
            & #questions { width: 1fr; }
            & #question { display: none; }
            &.-at-question #question { display: block; }
            &.-at-question #questions { display: none; }
        }
        &.-narrow.-empty > #crumbs { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__("question")
        self._stack.border_title = "Answer"
        # Whether the children are mounted: the workspace may change before.
        self._is_ready = False

    def compose(self) -> ComposeResult:
        yield Bar(id="crumbs")
        with VerticalScroll(id="empty") as empty:
            empty.border_title = "Requests"
            yield Static(markup=False)
        with Columns():
            with Vertical(id="questions") as questions:
                questions.border_title = "Requests"
                yield QuestionList(self._row)
                yield Static(id="unanswered", markup=False)
            yield self._stack

    def on_mount(self) -> None:
        self._is_ready = True
        self.workspace_changed("questions")

    def on_shown(self) -> None:
        self.workbench.withdraw(QUESTION)
        self.refresh_answers()
        super().on_shown()

    def take_focus(self) -> None:
        """Focus the question; if there are several, a narrow terminal shows the list first."""
        if not self._is_ready:
            return  # `on_shown` calls this again once the pane is mounted.
        if len(self.workspace.questions.waiting) > 1 and self.has_class("-narrow"):
            self._focus_list()
        else:
            self.focus_question()

    def _focus_list(self) -> None:
        self.remove_class("-at-question")
        self.query_one(Columns).bring_to_front("questions")
        self.screen.set_focus(self.query_one(QuestionList))
        self._show_crumbs()

    def focus_question(self) -> None:
        self.add_class("-at-question")
        self.query_one(Columns).bring_to_front("question")
        if self._stack.view is None:
            self.screen.set_focus(self.query_one("#empty"))
        super().focus_question()
        self._show_crumbs()

    def workspace_changed(self, part: str) -> None:
        if not self._is_ready or part != "questions":
            return
        waiting = self.workspace.questions.waiting
        self.set_class(not waiting, "-empty")
        unanswered = self._unanswered_text()
        self.query_one("#empty > Static", Static).update(Content(_EMPTY + self._roots_text() + unanswered))
        self.show_note("#unanswered", Content(unanswered.strip()) if unanswered else None)
        is_ended = self._stack.question is not None and self._stack.question not in waiting
        had_focus = self._stack.has_focus_within
        self.query_one(QuestionList).show(waiting)
        self.remove_closed()
        self._show(self.query_one(QuestionList).question)
        if is_ended and waiting:
            self.protect()
            if had_focus:
                # The key that has ended the request must not end the next one as well.
                self._focus_list()

    def _row(self, question: Question) -> tuple[str, str]:
        return asked_text(self.workspace, question), time_text(self.workspace, question)

    def show_time_left(self) -> None:
        super().show_time_left()
        if self._is_ready and self.size.width:
            self.query_one(QuestionList).refresh()

    def _show(self, question: Question | None) -> None:
        self.bring_to_front(question)
        self._show_crumbs()

    def go_to_question(self, question: Question) -> None:
        self.query_one(QuestionList).move_to(self.workspace.questions.waiting.index(question))
        self._show(question)
        self.focus_question()

    def shows(self, question: Question) -> bool:
        return True

    def _show_crumbs(self) -> None:
        crumbs = [Item(" Requests", MUTED if self.has_class("-at-question") else STRONG, "app.do('requests', 'back')")]
        if self.has_class("-at-question") and (view := self._stack.view) is not None:
            crumbs += [Item(" › ", MUTED), Item(view.TITLE, STRONG)]
        self.query_one("#crumbs", Bar).show_items(crumbs)

    def _roots_text(self) -> str:
        key = key_for("ask_roots", self.PLACE)
        if self.workspace.questions.ask_roots:
            return f"\nRequests for roots wait for you; press {key} to answer automatically."
        roots = [] if self.workspace.session is None else self.workspace.session.roots
        listed = ", ".join(escaped(str(root.get("uri"))) for root in roots) or "an empty list"
        return f"\nRoots are answered with {listed}; press {key} to answer yourself."

    def _unanswered_text(self) -> str:
        lines = unanswered_texts(self.workspace)[:_MAX_UNANSWERED]
        return "\n".join(["\n\nEnded without an answer from here:", *lines]) if lines else ""

    def _may_answer(self, action: str) -> bool:
        """Return whether an action may end the request now: in the list, its key only goes to the request."""
        if not self.query_one(QuestionList).has_focus:
            return super()._may_answer(action)
        self.focus_question()
        self.ask_again(action, "Press")
        return False

    def action_back(self) -> None:
        self._focus_list()

    @on(Lines.Highlighted, "QuestionList")
    def _highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._show(self.query_one(QuestionList).question)

    @on(Lines.Selected, "QuestionList")
    def _selected(self, event: Lines.Selected) -> None:
        event.stop()
        self.focus_question()
