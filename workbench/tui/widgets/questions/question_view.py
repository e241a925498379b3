"""The base class of the views of questions: the asker, the question, the answer, and the buttons."""

from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Static, TextArea

from workbench.client.questions import Question
from workbench.model.short_text import escaped, escaped_lines
from workbench.tui.colours import KEY, MUTED
from workbench.tui.key_bindings import key_for
from workbench.tui.widgets.form.editor_keys import is_text, keep_from_commands
from workbench.tui.widgets.wrapped_row import WrappedRow
from workbench.workspace.answer_drafts import draft_of

# Rows below which a question has the class `-low`, and no blank rows, so that its buttons are in view.
_LOW = 18


class QuestionView(Vertical):
    """A question with its answer."""

    TITLE: ClassVar[str]
    """The kind of the question, in a few words."""

    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("accept", "Accept"),
        ("decline", "Decline"),
        ("cancel", "Dismiss"),
    )
    """The ids of actions with the titles of their buttons."""

    IS_WRITTEN: ClassVar[bool] = True
    """Whether the answer is typed, so that letters are never commands."""

    DEFAULT_CSS = """
    QuestionView {
        height: 1fr;
        & > .head { height: auto; max-height: 40%; padding: 0 1; overflow-y: auto; }
        & > .time-left { display: none; height: auto; padding: 0 1; color: $text-warning; }
        & > .buttons { margin-top: 1; padding: 0 1; }
        &.-low > .buttons { margin-top: 0; }
        & > .buttons > Button { min-width: 8; }
        & > TextArea, & > Select, & > .model { max-width: 110; }
        & > .problem { height: auto; padding: 0 1; color: $text-error; }
    }
    """

    class Ready(Message):
        """The view is mounted and can have the focus."""

        def __init__(self, view: "QuestionView") -> None:
            super().__init__()
            self.view = view

    def __init__(self, question: Question, asker: str) -> None:
        super().__init__()
        self.question = question
        self._asker = asker
        self._shows_keys = True
        # Kept, since their keys may be shown before they are mounted.
        self._buttons: dict[str, Button] = {}

    def compose(self) -> ComposeResult:
        yield Static(self._head(), classes="head", markup=False)
        yield Static(classes="time-left", markup=False)
        yield from self.compose_answer()
        yield Static(classes="problem", markup=False)
        for action, title in self.BUTTONS:
            variant: Any = "primary" if action == "accept" else "default"
            self._buttons[action] = Button(self._label(action, title), variant=variant, compact=True, id=action)
        yield WrappedRow(*self._buttons.values(), classes="buttons")

    def on_mount(self) -> None:
        if self._pruning or not self.children:
            # The question was withdrawn before its view was mounted. The flag is private, but set earlier than
            # `is_attached`: it shows that the removal has begun.
            return
        self.show_problem("")
        self.show_question()
        self.post_message(self.Ready(self))

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _LOW, "-low")

    def check_consume_key(self, key: str, character: str | None) -> bool:
        # Textual asks this before it looks for bindings: text typed outside the answer is no command.
        return self.IS_WRITTEN and is_text(character, self.screen.focused)

    def on_key(self, event: events.Key) -> None:
        if self.IS_WRITTEN:
            keep_from_commands(event, self.screen.focused)

    def show_question(self) -> None:
        """Show the question; each kind of question overrides this."""

    def refresh_answer(self) -> None:
        """Show the answer again: it may have been changed in another place that shows the same question."""

    def compose_answer(self) -> ComposeResult:
        """Create the answer; each kind of question overrides this."""
        raise NotImplementedError

    def message(self) -> str:
        return str(self.question.params.get("message") or "")

    def draft(self) -> dict[str, Any] | None:
        """Return the result that the answer being written would be; None if it is none yet."""
        return None

    def accept(self) -> bool:
        """Send the answer, or show what is wrong with it; True when it was sent."""
        raise NotImplementedError

    def focus_answer(self) -> None:
        """Focus the answer; without a field for it, the first button."""
        self.screen.set_focus(self.query_one("#accept"))

    def show_keys(self, *, is_shown: bool) -> None:
        """Show the keys of the buttons only where they work."""
        self._shows_keys = is_shown
        for action, button in self._buttons.items():
            button.label = self._label(action, dict(self.BUTTONS)[action])
            # Textual paints another label in the old width.
            button.refresh(layout=True)

    def _label(self, action: str, title: str) -> str:
        return f"{title} {key_for(action, 'requests')}" if self._shows_keys else title

    def show_problem(self, text: str) -> None:
        """Show what is wrong with the answer; empty to hide the problem."""
        problem = self.query_one(".problem", Static)
        problem.update(Content(f"✗ {escaped(text)}" if text else ""))
        problem.display = bool(text)

    def show_time_left(self, text: str) -> None:
        """Show how long the answer is awaited; empty if that is unknown."""
        time_left = self.query_one(".time-left", Static)
        time_left.update(Content(text))
        time_left.display = bool(text)

    def _head(self) -> Content:
        parts = [(self.TITLE, KEY), (f"  asked by {escaped(self._asker)}", MUTED)]
        if message := escaped_lines(self.message()).strip():
            parts.append((f"\n\n{message}", ""))
        return Content.assemble(*parts)


class WrittenQuestionView(QuestionView):
    """A question whose answer is written in a text area; a subclass creates it."""

    def focus_answer(self) -> None:
        self.screen.set_focus(self.query_one(TextArea))

    @on(TextArea.Changed)
    def _write(self, event: TextArea.Changed) -> None:
        event.stop()
        draft_of(self.question).text = event.text_area.text
        self.show_problem("")

    def refresh_answer(self) -> None:
        text = draft_of(self.question).text
        area = self.query_one(TextArea)
        if text is not None and text != area.text:
            area.load_text(text)
