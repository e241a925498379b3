"""The command log: the command of each thing that the user has done in the terminal, the newest first."""

import time
from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.model.action_commands import LoggedCommand
from workbench.model.notices import CLIPBOARD
from workbench.model.short_text import escaped, escaped_lines
from workbench.tui.actions import find_action
from workbench.tui.screens.dialogs import Dialog
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.lines import Lines

_EMPTY = "Nothing that you have done yet has a command."


class CommandLogScreen(Dialog[None]):
    """Shows the commands; enter copies the one under the cursor."""

    AUTO_FOCUS = "Table"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", show=False),
        Binding("Y", "copy_all", show=False),
        (",".join([*find_action("show_commands").key_names, "q"]), "dismiss(None)"),
    ]

    DEFAULT_CSS = """
    CommandLogScreen {
        & .box { width: 116; }
        & Table { height: 1fr; }
        & VerticalScroll { height: auto; max-height: 40%; border-top: solid $panel; padding: 0 1; }
    }
    """

    def __init__(self, commands: Iterable[LoggedCommand]) -> None:
        super().__init__()
        self._commands = tuple(reversed(tuple(commands)))

    def compose(self) -> ComposeResult:
        with Vertical(classes="box tall") as box:
            box.border_title = "Command log"
            box.border_subtitle = "y to copy · Y to copy all · esc to leave"
            yield Table(("time", "command"), wide_column=1, empty_text=_EMPTY)
            with VerticalScroll(can_focus=False):
                yield Static(classes="detail", markup=False)

    def on_mount(self) -> None:
        self.query_one(Table).show_rows(
            [((_clock(each), "table--muted"), (escaped(each.text), "")) for each in self._commands]
        )
        self._show_detail()

    @property
    def _current(self) -> LoggedCommand | None:
        return self.query_one(Table).current_item(self._commands)

    def action_copy(self) -> None:
        if (command := self._current) is not None:
            self._copy(command.text, "The command is in the clipboard.")

    def action_copy_all(self) -> None:
        if self._commands:
            text = "\n".join(command.text for command in reversed(self._commands))
            self._copy(f"{text}\n", "The commands are in the clipboard, the oldest first.")

    @on(Lines.Selected)
    def _selected(self) -> None:
        self.action_copy()

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        self._show_detail()

    def _copy(self, text: str, done: str) -> None:
        self.app.copy_to_clipboard(text)
        self.app.notify(done, title=CLIPBOARD, markup=False)
        self.query_one(".box").border_subtitle = done

    def _show_detail(self) -> None:
        command = self._current
        parts = [] if command is None else [command.text, *([command.note] if command.note else [])]
        self.query_one(".detail", Static).update(Content(escaped_lines("\n".join(parts))))


def _clock(command: LoggedCommand) -> str:
    return time.strftime("%H:%M:%S", time.localtime(command.time))
