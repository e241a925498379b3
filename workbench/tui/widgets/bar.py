"""One row of short texts: the header, the tabs and the key hints are such bars."""

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from workbench.model.plain import escaped
from workbench.tui.widgets.paint import Paint


@dataclass(frozen=True, slots=True)
class Item:
    """One text of a bar.

    Attributes:
        text: what it says; foreign text is safe.
        part: the component class that colours it.
        click: the action of the app that a click does, if any.
        weight: when the bar is too narrow, the items with the greatest weight go first; those with 0 stay.
    """

    text: str
    part: str = ""
    click: str = ""
    weight: int = 0

    @property
    def width(self) -> int:
        """The cells it takes."""
        return cell_len(escaped(self.text))


class Bar(Widget):
    """A row with some items at the left and some at the right."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--strong",
        "bar--muted",
        "bar--good",
        "bar--warn",
        "bar--bad",
        "bar--active",
        "bar--badge",
        "bar--key",
    }

    DEFAULT_CSS = """
    Bar {
        height: 1;
        & > .bar--strong { text-style: bold; }
        & > .bar--muted { color: $text-muted; }
        & > .bar--good { color: $text-success; }
        & > .bar--warn { color: $text-warning; }
        & > .bar--bad { color: $text-error; text-style: bold; }
        & > .bar--active { color: $text; background: $primary 40%; text-style: bold; }
        & > .bar--badge { color: $warning; text-style: bold; }
        & > .bar--key { color: $text-accent; text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: list[Item] = []
        self._right: list[Item] = []
        self._paint = Paint(self)

    def show_items(self, left: list[Item], right: list[Item] | None = None) -> None:
        """Show other items; nothing is painted where they are the same."""
        right = right or []
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return the bar, for Textual."""
        laid_out = self._laid_out()
        return self._paint.strip((item.text, item.part) for item in laid_out).adjust_cell_length(
            self.size.width, self.rich_style
        )

    def notify_style_update(self) -> None:
        """Forget the styles: the theme has changed."""
        self._paint.forget()
        super().notify_style_update()

    async def on_click(self, event: events.Click) -> None:
        """Do what the item under the mouse is for."""
        x = 0
        for item in self._laid_out():
            x += item.width
            if event.x < x:
                if item.click:
                    await self.app.run_action(item.click)
                return

    def _laid_out(self) -> list[Item]:
        """The items that fit, from left to right, with the space between the two sides."""
        left, right = self._left, self._right
        while (space := self.size.width - sum(item.width for item in (*left, *right))) < 0:
            heaviest = max((*left, *right), key=lambda item: item.weight)
            if heaviest.weight == 0:
                break
            left = [item for item in left if item is not heaviest]
            right = [item for item in right if item is not heaviest]
        return [*left, Item(" " * max(0, space)), *right]
