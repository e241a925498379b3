"""The rules of the project, in the order in which they are tried, with a key to switch each off or on."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from server_core.errors import WorkbenchError
from workbench.model.describe import plural
from workbench.model.rules.answer_rule import AnswerRule
from workbench.model.short_text import escaped
from workbench.tui.external_editor import edit
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.key_hints import KeyHints
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText
from workbench.tui.workers import start_worker
from workbench.workspace.workspace import Workspace

_KEYS = "space on/off · delete delete · E edit the file · esc close"
_EMPTY = "There are no rules. Make one at a question, or write it into workbench.yaml: see docs/rules.md."


class RulesScreen(Dialog[None]):
    """The rules, which may change while the dialog is open."""

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", show=False),
        Binding("delete,d", "delete", show=False),
        Binding("E,e", "edit", show=False),
    ]

    DEFAULT_CSS = """
    RulesScreen {
        & .box { width: 116; }
        & Table { height: 1fr; }
    }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._shown: tuple[AnswerRule, ...] = ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Rules"
            titles = ("", "name", "answer", "questions")
            yield Table(titles, wide_column=3, left_out=(2,), empty_text=_EMPTY)
            yield Static(classes="problem", markup=False)
            yield KeyHints(_KEYS)

    def on_mount(self) -> None:
        self.rules_changed()
        start_worker(self, self._workspace.rules.stored.read, "rules")

    def rules_changed(self) -> None:
        """Show the rules again: the file has changed, or a rule has answered."""
        rules = self._workspace.rules
        self._shown = rules.rules
        self.query_one(Table).show_rows([_row(rule) for rule in self._shown])
        answered = f"{plural(rules.answered, 'question')} answered in this terminal"
        self.query_one(".box").border_subtitle = Content(answered)
        self._show_problem(next(iter(rules.stored.last_read.problems), ""))

    @property
    def _current(self) -> AnswerRule | None:
        return self.query_one(Table).current_item(self._shown)

    def action_switch(self) -> None:
        if (rule := self._current) is not None:
            save = partial(self._workspace.rules.stored.file.save, replace(rule, off=not rule.off))
            start_worker(self, partial(self._change, save), "rules")

    @on(Lines.Selected)
    def _selected(self, event: Lines.Selected) -> None:
        event.stop()
        self.action_switch()

    def action_delete(self) -> None:
        if (rule := self._current) is not None:
            start_worker(self, partial(self._delete, rule), "rules")

    def action_edit(self) -> None:
        edit(self.app, str(self._workspace.rules.stored.file.path), 1)
        start_worker(self, self._workspace.rules.stored.read, "rules")

    async def _delete(self, rule: AnswerRule) -> None:
        choices = (Choice("delete", "d", "Delete it"), Choice("keep", "k", "Keep it"))
        text = f"{rule.name}: {rule.note}\n\nIt is removed from workbench.yaml."
        if await self.app.push_screen_wait(ChoiceScreen("Delete the rule?", text, choices)) == "delete":
            await self._change(partial(self._workspace.rules.stored.file.delete, rule.name))

    async def _change(self, change: Callable[[], None]) -> None:
        try:
            await self._workspace.rules.stored.change(change)
        except WorkbenchError as error:
            self._show_problem(str(error))

    def _show_problem(self, text: str) -> None:
        self.query_one(".problem", Static).update(Content(escaped(text)))


def _row(rule: AnswerRule) -> tuple[StyledText, ...]:
    style = "table--muted" if rule.off else ""
    return (
        ("off" if rule.off else "on", "table--muted" if rule.off else "table--good"),
        (escaped(rule.name), style),
        (escaped(rule.note), style),
        (escaped(rule.match) or "all that it can answer", "table--muted"),
    )
