"""The questions of servers: one queue for forms, URLs, sampling requests and roots."""

import json
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button, Static

from workbench.client.server_requests import Question
from workbench.model.history import CallRun
from workbench.model.short_text import escaped, shortened
from workbench.tui.actions import Action
from workbench.tui.colours import MUTED, STRONG
from workbench.tui.key_bindings import bindings, key_for
from workbench.tui.screens.form_pane import FormPane
from workbench.tui.widgets.bar import Bar, Item
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.form_view import FormView
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.question_list import QuestionList
from workbench.tui.widgets.questions.elicitation_question import ElicitationView
from workbench.tui.widgets.questions.question_stack import QuestionStack
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.questions.url_question import UrlView
from workbench.workspace.asking_calls import asking_call, deadline_of

# The actions that end a request; the buttons of its view are some of them.
_ANSWERS = ("accept", "decline", "cancel")

_EMPTY = """No open requests.

A running tool may request input. Its requests wait here until you answer:

  form    values from the user (elicitation)
  URL     consent to open a page (elicitation in URL mode)
  model   a response of a language model (sampling)
  roots   folders to work in (roots)

The number at this tab counts them, on every screen.
"""


class RequestsPane(FormPane):
    PLACE = "requests"
    NARROW = 100
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PLACE)]

    DEFAULT_CSS = """
    RequestsPane {
        & > #crumbs { display: none; background: $surface; }
        & > #empty { display: none; padding: 1 2; color: $text-muted; }
        & #questions { width: 34; }
        & #question { width: 1fr; }
        &.-empty > Columns { display: none; }
        &.-empty > #empty { display: block; }
        &.-narrow {
            & > #crumbs { display: block; }
            & > Columns > * { border: none; }
            & #questions { width: 1fr; }
            & #question { display: none; }
            &.-at-question #question { display: block; }
            &.-at-question #questions { display: none; }
        }
        &.-narrow.-empty > #crumbs { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.return_place = ""
        """The pane to return to once no question is waiting; empty to stay."""
        self.return_focus: Widget | None = None
        """The widget there that had the focus."""
        self._stack = QuestionStack(id="question")
        self._stack.border_title = "Answer"
        # Whether the view of the question gets the focus once it is mounted.
        self._wants_focus = False
        # Whether the children are mounted: the workspace may change before.
        self._is_ready = False

    def compose(self) -> ComposeResult:
        yield Bar(id="crumbs")
        with VerticalScroll(id="empty"):
            yield Static(markup=False)
        with Columns():
            with Vertical(id="questions") as questions:
                questions.border_title = "Requests"
                yield QuestionList()
            yield self._stack

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
        self._is_ready = True
        self.workspace_changed("questions")
        self.set_interval(1, self._show_time_left)

    def take_focus(self) -> None:
        """Focus the question; if there are several, a narrow terminal shows the list first."""
        if not self._is_ready:
            return  # `on_shown` calls this again once the pane is mounted.
        if len(self.workspace.questions.waiting) > 1 and self.has_class("-narrow"):
            self._focus_list()
        else:
            self._focus_question()

    def _focus_list(self) -> None:
        self.remove_class("-at-question")
        self.query_one(Columns).bring_to_front("questions")
        self.screen.set_focus(self.query_one(QuestionList))
        self._show_crumbs()

    def _focus_question(self) -> None:
        self.add_class("-at-question")
        self.query_one(Columns).bring_to_front("question")
        view = self._stack.view
        self._wants_focus = view is not None and not view.is_mounted
        if view is None:
            self.screen.set_focus(self.query_one("#empty"))
        elif not self._wants_focus:
            view.focus_answer()
        self._show_crumbs()

    def workspace_changed(self, part: str) -> None:
        if not self._is_ready or part != "questions":
            return
        waiting = self.workspace.questions.waiting
        self.set_class(not waiting, "-empty")
        self.query_one("#empty > Static", Static).update(Content(_EMPTY + self._roots_text()))
        self.query_one(QuestionList).show([(question, self._asker(question)) for question in waiting])
        for question in self._stack.remove_closed(waiting):
            if question.withdrawn:
                self.notify("The server no longer waits for this answer.", markup=False)
        self._show(self.query_one(QuestionList).question)

    def _show(self, question: Question | None) -> None:
        self._stack.show(question, "" if question is None else self._asker_in_full(question), self._folder)
        self._show_time_left()
        self._show_crumbs()

    async def _answered(self) -> None:
        """Show the next question, or return to the pane that the user came from."""
        if self._stack.question is not None:
            self._focus_question()
            return
        if place := self.return_place:
            self.return_place = ""
            await self.workbench.show(place)

    def _show_crumbs(self) -> None:
        crumbs = [Item(" Requests", MUTED if self.has_class("-at-question") else STRONG, "app.do('requests', 'back')")]
        if self.has_class("-at-question") and (view := self._stack.view) is not None:
            crumbs += [Item(" › ", MUTED), Item(view.TITLE, STRONG)]
        self.query_one("#crumbs", Bar).show_items(crumbs)

    def _asker(self, question: Question) -> str:
        """The label of the sender: the call if it is known, else the server."""
        run = asking_call(self.workspace, question)
        return question.session or "the server" if run is None else f"{run.tool} {run.title}"

    def _asker_in_full(self, question: Question) -> str:
        """The asker with the arguments of its call."""
        run = asking_call(self.workspace, question)
        arguments = f" {shortened(json.dumps(run.arguments, ensure_ascii=False), 200)}" if run and run.arguments else ""
        return f"{self._asker(question)}{arguments}"

    def select(self, run: CallRun | None) -> None:
        """Bring the oldest question of a call to the front, if it has one."""
        waiting = self.workspace.questions.waiting
        asked = (at for at, question in enumerate(waiting) if asking_call(self.workspace, question) is run)
        if run is not None and (index := next(asked, None)) is not None:
            self.query_one(QuestionList).move_to(index)
            self._show(self.query_one(QuestionList).question)

    def _show_time_left(self) -> None:
        """Count the seconds down until the tool that asks is given up."""
        question, view = self._stack.question, self._stack.view
        deadline = None if question is None else deadline_of(self.workspace, question)
        if question is None or view is None or not view.is_mounted:
            return
        left = None if deadline is None else max(0, round(deadline - self.workspace.clock()))
        view.show_time_left("" if left is None else f"{left} s left until the timeout of the tool")

    @property
    def _folder(self) -> str:
        project = str(self.workspace.core.info.get("project") or "")
        return project if project.startswith("/") else ""

    def _roots_text(self) -> str:
        key = key_for("ask_roots", self.PLACE)
        if self.workspace.questions.ask_roots:
            return f"\nRequests for roots wait for you; press {key} to answer automatically."
        roots = [] if self.workspace.session is None else self.workspace.session.roots
        listed = ", ".join(escaped(str(root.get("uri"))) for root in roots) or "an empty list"
        return f"\nRoots are answered with {listed}; press {key} to answer yourself."

    def why_not(self, action: str) -> str | None:
        if action in ("back", "ask_roots"):
            return None
        if self._stack.question is None:
            return "There is no open request."
        view = self._stack.view
        if view is not None and not view.is_mounted and action not in ("decline", "cancel"):
            return "The request is still loading."
        if action in _ANSWERS and view is not None and action not in dict(view.BUTTONS):
            refuse = key_for("decline", self.PLACE)
            return f"This request is answered or refused; press {refuse} to refuse it."
        if action in ("open_url", "copy_url") and not isinstance(view, UrlView):
            return "This request has no URL."
        if action == "toggle_json" and not isinstance(view, ElicitationView):
            return "This request has no form."
        return super().why_not(action)

    def is_hinted(self, action: str) -> bool:
        return bool(self.workspace.questions.waiting) and super().is_hinted(action)

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
        """Send the answer, if the question has the focus; the view shows what is wrong with an invalid answer."""
        if self.query_one(QuestionList).has_focus:
            self._focus_question()
            self.notify(f"Press {key_for('accept', self.PLACE)} again to send this answer.", markup=False)
            return
        view = self._stack.view
        if view is not None and view.accept():
            await self._answered()

    async def action_decline(self) -> None:
        if (question := self._stack.question) is not None and question.decline():
            await self._answered()

    async def action_cancel(self) -> None:
        if (question := self._stack.question) is not None and question.cancel():
            await self._answered()

    def action_toggle_json(self) -> None:
        if isinstance(view := self._stack.view, ElicitationView):
            view.editor.toggle_json()

    def action_open_url(self) -> None:
        if isinstance(view := self._stack.view, UrlView):
            self.notify(view.open(), markup=False)

    def action_copy_url(self) -> None:
        if isinstance(view := self._stack.view, UrlView):
            self.app.copy_to_clipboard(view.url)
            self.notify("The URL is in the clipboard.", markup=False)

    def action_ask_roots(self) -> None:
        questions = self.workspace.questions
        questions.ask_roots = not questions.ask_roots
        self.workspace_changed("questions")
        self.notify(
            "Requests for roots now wait for you." if questions.ask_roots else "Roots are answered automatically.",
            markup=False,
        )

    def action_back(self) -> None:
        self._focus_list()

    @on(Lines.Highlighted, "QuestionList")
    def _highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._show(self.query_one(QuestionList).question)

    @on(Lines.Selected, "QuestionList")
    def _selected(self, event: Lines.Selected) -> None:
        event.stop()
        self._focus_question()

    @on(QuestionView.Ready)
    def _view_ready(self, event: QuestionView.Ready) -> None:
        event.stop()
        if event.view is self._stack.view and self._wants_focus:
            self.call_after_refresh(self._focus_question)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        await self.action_act(str(event.button.id))
