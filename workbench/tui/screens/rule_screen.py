"""The dialog that makes a rule: its name, the filter for the questions that it answers, and the answer."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from workbench.model.rules.answer_rule import AnswerRule
from workbench.model.rules.proposal import AnswerChoice, problem_of_rule_name
from workbench.model.short_text import escaped
from workbench.model.traffic.filter import parse_filter
from workbench.tui.screens.dialogs import Choice, Choices, Dialog
from workbench.tui.widgets.lines import Lines


@dataclass(frozen=True, slots=True)
class RuleProposal:
    """What a new rule begins with."""

    name: str
    match: str
    answers: tuple[AnswerChoice, ...]
    note: str = ""  # about what the answer leaves out


class RuleScreen(Dialog[AnswerRule | None]):
    """Asks for a rule; None after Esc."""

    AUTO_FOCUS = "Choices"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    DEFAULT_CSS = """
    RuleScreen {
        & .box { padding: 0 2; }
        & .label { height: 1; color: $text-muted; }
        & Input {
            height: 1;
            margin-bottom: 1;
            padding: 0 1;
            border: none;
            background: $boost;
        }
        & Choices { max-height: 8; margin-bottom: 1; }
    }
    """

    def __init__(self, proposal: RuleProposal, taken: frozenset[str]) -> None:
        super().__init__()
        self._proposal = proposal
        self._taken = taken

    def compose(self) -> ComposeResult:
        choices = (
            Choice(str(key), str(key), choice.title, AnswerRule("", choice.answer).note)
            for key, choice in enumerate(self._proposal.answers, start=1)
        )
        with Vertical(classes="box") as box:
            box.border_title = "Make a rule"
            box.border_subtitle = "enter saves it in workbench.yaml · tab next field · esc to leave"
            yield Static("Name", classes="label")
            yield Input(self._proposal.name, id="name")
            yield Static("Questions that match this filter", classes="label")
            yield Input(self._proposal.match, id="match")
            yield Static(Content(escaped(f"Answer{self._proposal.note}")), classes="label")
            yield Choices(tuple(choices))
            yield Static(classes="problem", markup=False)

    def on_key(self, event: events.Key) -> None:
        if self.query_one(Choices).has_focus and event.key.isdecimal() and 0 < int(event.key) <= self._count:
            event.stop()
            self._save(int(event.key) - 1)

    @property
    def _count(self) -> int:
        return len(self._proposal.answers)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._save(self.query_one(Choices).cursor)

    @on(Lines.Selected)
    def _selected(self, event: Lines.Selected) -> None:
        event.stop()
        self._save(event.index)

    @on(Input.Changed)
    def _typed(self) -> None:
        self._show_problem("", "")

    def _save(self, index: int) -> None:
        name, match = (self.query_one(f"#{field}", Input).value for field in ("name", "match"))
        if name in self._taken:
            self._show_problem("name", "There is a rule of this name already.")
        elif (problem := problem_of_rule_name(name)) is not None:
            self._show_problem("name", problem)
        elif (problem := _problem_of_filter(match)) is not None:
            self._show_problem("match", problem)
        else:
            self.dismiss(AnswerRule(name, self._proposal.answers[index].answer, match.strip()))

    def _show_problem(self, field: str, text: str) -> None:
        self.query_one(".problem", Static).update(Content(escaped(text)))
        if field:
            self.query_one(f"#{field}", Input).focus()


def _problem_of_filter(text: str) -> str | None:
    try:
        parse_filter(text)
    except ValueError as error:
        return f"The filter is invalid: {error}"
    return None
