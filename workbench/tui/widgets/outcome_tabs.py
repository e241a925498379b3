"""The titles of the views of a call."""

from collections.abc import Mapping

from workbench.tui.colours import ACTIVE, MUTED
from workbench.tui.widgets.bar import Bar, Item

TABS = {"result": "Result", "log": "Log", "raw": "Raw", "diff": "Diff"}
"""The titles of the tabs, by their names, from left to right."""


class OutcomeTabs(Bar):
    """The titles of the tabs, each with a note such as a count; a click brings a tab to the front."""

    def show_tabs(self, front: str, notes: Mapping[str, str]) -> None:
        """Show the tabs with their notes, the one in front marked."""
        items = [Item(" ")]
        for name, title in TABS.items():
            text = f" {title} {notes[name]} " if notes.get(name) else f" {title} "
            items.append(Item(text, ACTIVE if name == front else MUTED, f"app.do('tools', 'show_{name}')"))
        self.show_items(items)
