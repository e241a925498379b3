"""A row of short texts: the header, the tabs and the key hints are bars.

They belong to the first paint, so they use no component classes, whose colours would be resolved one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widget import Widget

from workbench.model.short_text import escaped

# The fewest cells between the items at the left and those at the right.
_GAP = 2


@dataclass(frozen=True, slots=True)
class Item:
    """A text of a bar; foreign text is safe."""

    text: str
    style: str = ""  # A Textual content style; empty for the bar's own.
    click: str = ""  # The action of the app that a click performs.
    weight: int = 0  # In a narrow bar the items with the greatest weight are left out, together; those with 0 stay.

    @property
    def width(self) -> int:
        return cell_len(escaped(self.text))


class Bar(Widget):
    """A row with some items at the left and some at the right."""

    DEFAULT_CSS = """
    Bar { height: 1; text-wrap: nowrap; text-overflow: clip; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: list[Item] = []
        self._right: list[Item] = []

    def show_items(self, left: list[Item], right: list[Item] | None = None) -> None:
        """Show items; nothing is painted if they are the same as before."""
        right = right or []
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def render(self) -> Content:
        texts = (Content.styled(escaped(item.text), item.style) for item in self._visible_items())
        return Content("").join(texts)

    @property
    def clicks(self) -> Iterator[tuple[int, str]]:
        """The columns of the items that a click acts on, and their actions."""
        column = 0
        for item in self._visible_items():
            if item.click:
                yield column, item.click
            column += item.width

    async def on_click(self, event: events.Click) -> None:
        end = 0
        for item in self._visible_items():
            end += item.width
            if event.x < end:
                if item.click:
                    await self.app.run_action(item.click)
                return

    def _visible_items(self) -> list[Item]:
        """Return the items that fit, from left to right, with the space between the sides."""
        left, right = self._left, self._right
        while (space := self._space(left, right)) < (_GAP if left and right else 0):
            heaviest = max(item.weight for item in (*left, *right))
            if heaviest == 0:
                break
            left = [item for item in left if item.weight < heaviest]
            right = [item for item in right if item.weight < heaviest]
        return [*left, Item(" " * max(0, space)), *right]

    def _space(self, left: list[Item], right: list[Item]) -> int:
        return self.size.width - sum(item.width for item in (*left, *right))
