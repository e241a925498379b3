"""The list of messages: a row for each record, or for each call, with as many columns as the width allows."""

import time
from typing import ClassVar

from textual.strip import Strip

from server_core.records.tap import Kind
from workbench.model.traffic.annotations import MARKS, Annotation
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.filter import Filter
from workbench.model.traffic.timeline import CORE_REPLACED, Timeline
from workbench.model.traffic.traffic_view import TrafficView
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.paint import StyledText, fit
from workbench.tui.widgets.traffic_columns import Messages, aligned, cell_of, columns_for

# The sign of a message that has a comment and no mark.
_COMMENTED = "✎"

# Rows from which a list has a summary.
_MIN_HEIGHT = 6


class TrafficList(Lines):
    """The messages or calls of a timeline that match a filter, newest last."""

    HAS_HEADING = True

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "traffic--muted",
        "traffic--in",
        "traffic--out",
        "traffic--none",
        "traffic--good",
        "traffic--warn",
        "traffic--bad",
        "traffic--foreign",
        "traffic--marked",
        "traffic--red",
        "traffic--yellow",
        "traffic--green",
        "traffic--blue",
        "traffic--handshake",
        "traffic--stateless",
    }

    DEFAULT_CSS = """
    TrafficList {
        & > .traffic--muted { color: $text-muted; }
        & > .traffic--in { color: $text-primary; }
        & > .traffic--out { color: $text-accent; }
        & > .traffic--none { color: $text-muted; }
        & > .traffic--good { color: $text-success; }
        & > .traffic--warn { color: $text-warning; }
        & > .traffic--bad { color: $text-error; text-style: bold; }
        & > .traffic--marked { color: $text; background: $warning 50%; text-style: bold; }
        & > .traffic--red { color: $text-error; text-style: bold; }
        & > .traffic--yellow { color: $text-warning; text-style: bold; }
        & > .traffic--green { color: $text-success; text-style: bold; }
        & > .traffic--blue { color: $text-primary; text-style: bold; }
        & > .traffic--handshake { color: $text-muted; }
        & > .traffic--stateless { color: $text-accent; }
        & > .traffic--foreign { color: $text-muted; text-style: italic; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = TrafficView(Timeline())
        self.marking_filter: Filter | None = None
        """The filter whose matches are marked among the messages; None marks nothing."""

        self.has_summary = False
        """Whether the last line is the summary of the calls in the rows."""

    def on_resize(self) -> None:
        # In a very low list each row is needed.
        self.footer_height = int(self.has_summary and self.size.height >= _MIN_HEIGHT)
        super().on_resize()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self.footer_height and y == self.size.height - 1:
            text = self.view.summary.text + ("" if self.view.is_settled else " · counting")
            return self.paint([(fit(f" {text}", width), "traffic--muted")])
        return super().render_line(y)

    @property
    def line_count(self) -> int:
        return len(self.view)

    def messages_at(self, index: int) -> Messages:
        return self.view.messages(index)

    @property
    def entry(self) -> Entry | None:
        return self.messages_at(self.cursor)[0] if self.cursor < self.line_count else None

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        messages = self.messages_at(index)
        entry = messages[0]
        if entry.method == CORE_REPLACED:
            return self.paint([(_separator(entry, width), "traffic--muted")], selected)
        is_call = self.view.is_by_call and entry.kind is Kind.REQUEST
        columns = columns_for(width)
        cells = [
            aligned(column, *cell_of(column, messages, is_call=is_call), column_width)
            for column, column_width in columns
        ]
        if effects := self.view.effects_in(entry):
            place = next(place for place, (column, _) in enumerate(columns) if not column.width)
            cells[place] = _with_effects(cells[place], effects, columns[place][1])
        if annotation := entry.annotation or messages[-1].annotation:
            cells[:1] = _marked(cells[0], annotation)
        if self.marking_filter is not None and any(map(self.marking_filter, messages)):
            cells[0] = (cells[0][0], "traffic--marked")
        return self.paint(cells, selected)

    def render_heading(self, width: int) -> Strip:
        columns = columns_for(width)
        return self.paint(aligned(column, column.title, "lines--heading", wide) for column, wide in columns)

    def action_last(self) -> None:
        # The newest message moves, so the cursor has to follow it.
        self.is_following = True


def _separator(entry: Entry, width: int) -> str:
    """Return the line between the messages of two cores."""
    at = time.strftime("%H:%M:%S", time.localtime(entry.time))
    text = fit(f"── new core at {at}; above: messages of the previous one ", width)
    return text.rstrip() + " " + "─" * (width - len(text.rstrip()) - 1)


def _marked(cell: StyledText, annotation: Annotation) -> list[StyledText]:
    """Return the cell of the number with the sign of a mark, or of a comment, in the place of a blank."""
    text, name = cell
    sign = (MARKS.get(annotation.mark, _COMMENTED), f"traffic--{annotation.mark or 'muted'}")
    # A number of six digits has no blank before it.
    return [sign, (text[1:], name)] if text.startswith(" ") else [(text[:-1], name), sign]


def _with_effects(cell: StyledText, effects: int, width: int) -> StyledText:
    """Return the cell of a message with the number of prints, messages and events in its row at the end."""
    text, name = cell
    count = f" +{effects} "
    return fit(text, width - len(count)) + count, name
