"""The composer: a message to the server, written as JSON, with what is wrong with it below."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static, TextArea

from server_core.protocol.revisions import Revision
from workbench.model.messages.message_check import MessageProblem, check_message
from workbench.model.short_text import escaped
from workbench.tui.external_editor import edit_text
from workbench.tui.key_bindings import dialog_bindings, key_for
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.proposal_screen import choose_index
from workbench.tui.workers import start_worker
from workbench.workspace.protocol_schemas import schema_of

_SHOWN = 4
"""The number of problems that are shown at once."""

_CHECKED = 200_000
"""Characters up to which a text is checked while it is typed."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A message to begin with, and its placeholders, with whether each stands for text."""

    text: str
    placeholders: dict[str, bool] = field(default_factory=dict)
    is_example: bool = False  # Whether what is typed replaces the whole text, if it has no placeholder.


@dataclass(frozen=True, slots=True)
class Draft:
    """What the composer returns: the text, and whether it is to be sent."""

    text: str
    is_sent: bool


class Composer(Dialog[Draft]):
    """Edits a message; ^j sends it, Esc keeps the text for the next time.

    Args:
        title: what is sent, and to whom.
        text: the message to begin with.
        others: the labels of other messages to begin with, if there are any.
        begin: returns the one with an index.
        is_to_server: whether it is checked as a message of a client; else only its form is checked.
        request: what the message answers; None if it answers nothing.
    """

    AUTO_FOCUS = "JsonArea"
    BINDINGS: ClassVar[list[BindingType]] = [
        *dialog_bindings("run", "tools", "send"),
        *dialog_bindings("edit_value", "tools", "open_editor"),
        *dialog_bindings("propose", "tools", "begin"),
        Binding("escape", "keep", show=False),
    ]

    DEFAULT_CSS = """
    Composer {
        & .box { width: 110; }
        & #composed { height: 1fr; border: none; padding: 0; scrollbar-size-vertical: 1; }
        & .problems { height: auto; max-height: 6; margin-top: 1; color: $text-error; }
    }
    """

    def __init__(
        self,
        title: str,
        text: Skeleton,
        revision: Revision,
        others: Sequence[str] = (),
        begin: Callable[[int], Skeleton] | None = None,
        *,
        is_to_server: bool = True,
        request: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._revision = revision
        self._schema = schema_of(revision.date)
        self._others = others
        self._begin_with = begin
        self._is_to_server = is_to_server
        self._request = request
        # The text that the user has tried to send although something is wrong with it.
        self._insisted = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = Content(escaped(self._title))
            keys = " · ".join(
                f"{key_for(action, 'tools')} {effect}"
                for action, effect in (("run", "send"), ("propose", "begin with"), ("edit_value", "$EDITOR"))
                if action != "propose" or self._others
            )
            box.border_subtitle = f"{keys} · esc close"
            yield JsonArea(id="composed")
            yield Static(classes="problems", markup=False)

    def on_mount(self) -> None:
        self.area.placeholders = self._text.placeholders
        self.area.load_text(self._text.text)
        self.area.select_placeholder()
        if self._text.is_example and self.area.selection.is_empty:
            self.area.select_all()
        self._show_problems()

    @property
    def area(self) -> JsonArea:
        return self.query_one(JsonArea)

    def action_send(self) -> None:
        text = self.area.text
        if self._problems(text) and text != self._insisted:
            self._insisted = text
            self._show_problems()
        else:
            self.dismiss(Draft(text, is_sent=True))

    def action_keep(self) -> None:
        self.dismiss(Draft(self.area.text, is_sent=False))

    def action_open_editor(self) -> None:
        self._replace(edit_text(self.app, self.area.text, ".json"))
        self.area.move_cursor((0, 0))

    def action_begin(self) -> None:
        start_worker(self, self._begin, "beginning")

    async def _begin(self) -> None:
        begin = self._begin_with
        index = None if begin is None else await choose_index(self.app, [*self._others], self.area)
        if begin is not None and index is not None:
            skeleton = begin(index)
            self.area.placeholders = skeleton.placeholders
            self._replace(skeleton.text)
            self.area.select_placeholder()

    def _replace(self, text: str) -> None:
        if text != self.area.text:
            # Undo restores the text before.
            self.area.replace(text, self.area.document.start, self.area.document.end)

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self._show_problems()

    def _problems(self, text: str) -> list[MessageProblem]:
        return check_message(text, self._revision, self._schema, is_to_server=self._is_to_server, request=self._request)

    def _show_problems(self) -> None:
        text = self.area.text
        problems = self._problems(text) if len(text) <= _CHECKED else []
        self.area.mark({problem.line: "" for problem in problems if problem.line is not None})
        shown = [f"✗ {escaped(_described(problem))}" for problem in problems[:_SHOWN]]
        if problems and text == self._insisted:
            shown.append(f"Press {key_for('run', 'tools')} again to send it all the same.")
        self.query_one(".problems", Static).update(Content("\n".join(shown)))


def _described(problem: MessageProblem) -> str:
    return problem.text if problem.line is None else f"Line {problem.line + 1}: {problem.text}"
