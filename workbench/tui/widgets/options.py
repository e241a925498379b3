"""Textual's lists of options, for people who are quicker than they are painted.

Between a change of its entries and the next layout, such a list shows entries that it no longer has, and has entries
without lines; a click or a page up would end the program.
"""

from collections.abc import Hashable
from contextlib import suppress
from typing import Any, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.command import CommandList
from textual.widgets import OptionList, Select, SelectionList
from textual.widgets._select import SelectCurrent, SelectOverlay

Value = TypeVar("Value", bound=Hashable)


class SteadyOptions(OptionList):
    """A list that ignores a click on an entry that has gone, and a move before it has lines.

    It stands behind the kind of list among the base classes, since Textual reads styles from the first alone.
    """

    def _move_page(self, direction: Any) -> None:
        with suppress(LookupError):
            super()._move_page(direction)

    async def _on_click(self, event: events.Click) -> None:
        if (event.style.meta.get("option") or 0) >= self.option_count:
            event.prevent_default()


class Commands(CommandList, SteadyOptions):
    """The commands of a palette."""


class Overlay(SelectOverlay, SteadyOptions):
    """The list that drops down."""


class DropDown(Select[Value]):
    """One of some values, in a list that drops down."""

    def compose(self) -> ComposeResult:
        """Make what is chosen, and the list."""
        yield SelectCurrent(self.prompt)
        yield Overlay(type_to_search=self._type_to_search).data_bind(compact=Select.compact)


class Checklist(SelectionList[Value], SteadyOptions):
    """Several of some values."""
