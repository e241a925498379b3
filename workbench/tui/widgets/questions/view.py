"""What the views of all kinds of questions share: who asks what, the place of the answer, and the buttons."""

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Static

from workbench.client.server_requests import Question
from workbench.model.short_text import escaped, escaped_lines
from workbench.tui.colours import KEY, MUTED
from workbench.tui.widgets.form.keys import keep_from_commands


class QuestionView(Vertical):
    """One question with the place to answer it.

    Args:
        question: what is asked.
        asker: who asks, for people; foreign text is safe.
    """

    TITLE: ClassVar[str]
    """What is asked for, in a few words."""

    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("accept", "Accept ^j"),
        ("decline", "Decline ^d"),
        ("dismiss", "Cancel ^x"),
    )
    """The ids of actions with the texts of their buttons."""

    IS_WRITTEN: ClassVar[bool] = True
    """Whether the answer is written, so that letters are never commands."""

    DEFAULT_CSS = """
    QuestionView {
        height: 1fr;
        & > .head { height: auto; max-height: 40%; padding: 0 1; overflow-y: auto; }
        & > .buttons { height: 1; margin-top: 1; padding: 0 1; }
        & > .buttons > Button { margin-right: 2; min-width: 8; }
        & > .problem { height: auto; padding: 0 1; color: $text-error; }
    }
    """

    class Ready(Message):
        """The view is there and can have the focus."""

        def __init__(self, view: "QuestionView") -> None:
            super().__init__()
            self.view = view

    def __init__(self, question: Question, asker: str) -> None:
        super().__init__()
        self.question = question
        self._asker = asker

    def compose(self) -> ComposeResult:
        """Make the head, the place of the answer and the buttons."""
        yield Static(self._head(), classes="head", markup=False)
        yield from self.compose_answer()
        yield Static(classes="problem", markup=False)
        with Horizontal(classes="buttons"):
            for action, text in self.BUTTONS:
                variant: Any = "primary" if action == "accept" else "default"
                yield Button(text, variant=variant, compact=True, id=action)

    def on_mount(self) -> None:
        """Take no room for a problem that is not there."""
        if self._pruning or not self.children:
            return  # Taken away again before it was made: another question came first, or this one was withdrawn.
        self.show_problem("")
        self.show_question()
        self.post_message(self.Ready(self))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is kept from commands."""
        return self.IS_WRITTEN and character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        """Keep what is typed beside the answer from being taken for commands."""
        if self.IS_WRITTEN:
            keep_from_commands(event, self.screen.focused)

    def show_question(self) -> None:
        """Fill in what the question says; the kinds of questions differ in this."""

    def compose_answer(self) -> ComposeResult:
        """Make the place of the answer; the kinds of questions differ in this."""
        raise NotImplementedError

    def message(self) -> str:
        """Return what the server says."""
        return str(self.question.params.get("message") or "")

    def accept(self) -> bool:
        """Send the answer, or show what is wrong with it; True when it was sent."""
        raise NotImplementedError

    def focus_answer(self) -> None:
        """Put the focus where the answer is written."""
        self.query_one("#accept").focus()

    def show_problem(self, text: str) -> None:
        """Show what is wrong with the answer; empty for nothing."""
        below = self.query_one(".problem", Static)
        below.update(Content(f"✗ {escaped(text)}" if text else ""))
        below.display = bool(text)

    def _head(self) -> Content:
        parts = [(self.TITLE, KEY), (f"  asked by {escaped(self._asker)}", MUTED)]
        if message := escaped_lines(self.message()).strip():
            parts.append((f"\n\n{message}", ""))
        return Content.assemble(*parts)
