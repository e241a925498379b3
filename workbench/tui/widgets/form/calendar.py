"""A calendar at the cursor for a date, a time, or both; keys and the mouse choose."""

import calendar
from datetime import datetime
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget

from workbench.model.forms.moment import Moment, read_moment
from workbench.tui.colours import KEY, MUTED, STRONG
from workbench.tui.widgets.form.beside_cursor import after_layouts_below, cursor_of, offset_beside
from workbench.tui.widgets.steady import SingleAnswerScreen

PROPOSALS = ""
"""The result of a user who wants to see the proposals for the text instead."""

_CURSOR = "$block-cursor-foreground on $block-cursor-background"
_SELECTED = "bold underline"
_WIDTH = 20
_DAY_WIDTH = 3
_HEAD_ROWS = 2
_PART_WIDTH = 3
# The keys that change the month, or the part of a time by more than one.
_STEPS = {"hour": 6, "minute": 10, "second": 10}


class Calendar(Widget, can_focus=True):
    """A month and a time of day, whichever the format has."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1, 0)", show=False),
        Binding("right", "move(1, 0)", show=False),
        Binding("up", "move(0, -1)", show=False),
        Binding("down", "move(0, 1)", show=False),
        Binding("pageup", "leap(-1)", show=False),
        Binding("pagedown", "leap(1)", show=False),
        Binding("ctrl+pageup", "leap(-12)", show=False),
        Binding("ctrl+pagedown", "leap(12)", show=False),
        Binding("home", "go_to_day(1)", show=False),
        Binding("end", "go_to_day(31)", show=False),
        Binding("tab", "next_part(1)", show=False, priority=True),
        Binding("shift+tab", "next_part(-1)", show=False, priority=True),
        Binding("t", "now", show=False),
        Binding("enter,space", "choose", show=False),
    ]

    DEFAULT_CSS = """
    Calendar { width: auto; height: auto; padding: 0 1; border: round $primary; background: $surface; }
    """

    class MomentChosen(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, moment: Moment) -> None:
        super().__init__()
        self._moment = moment
        self._part = moment.parts[0]

    @property
    def format(self) -> str:
        return self._moment.format

    def on_mount(self) -> None:
        self._show(self._moment)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return _WIDTH

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows())

    def render(self) -> Content:
        return Content("\n").join(self._rows())

    def action_move(self, right: int, down: int) -> None:
        if self._part == "day":
            self._show(self._moment.plus_days(right + 7 * down))
        elif right:
            self.action_next_part(right)
        else:
            self._show(self._moment.plus(self._part, -down))

    def action_leap(self, by: int) -> None:
        if self._part == "day":
            self._show(self._moment.plus_months(by))
        else:
            self._show(self._moment.plus(self._part, -by * _STEPS[self._part]))

    def action_go_to_day(self, day: int) -> None:
        if self._part == "day":
            self._show(self._moment.at_day(day))

    def action_next_part(self, by: int) -> None:
        parts = self._moment.parts
        self._part = parts[(parts.index(self._part) + by) % len(parts)]
        self.refresh()

    def action_now(self) -> None:
        self._show(read_moment("", self._moment.format, datetime.now().astimezone()))

    def action_choose(self) -> None:
        self.post_message(self.MomentChosen(self._moment.text))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.action_leap(-1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.action_leap(1)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if (place := event.get_content_offset(self)) is None:
            return
        has_days, weeks = "day" in self._moment.parts, self._moment.weeks
        if has_days and place.y == 0:
            self._part = "day"
            self.action_leap(-1 if place.x < _WIDTH // 2 else 1)
        elif has_days and place.y < _HEAD_ROWS + len(weeks):
            self._click_day(weeks, place)
        else:
            self._click_time(place.x)

    def _click_day(self, weeks: list[list[int]], place: Offset) -> None:
        week, column = place.y - _HEAD_ROWS, place.x // _DAY_WIDTH
        if week < 0 or not (day := weeks[week][min(column, 6)]):
            return
        self._part = "day"
        self._show(self._moment.at_day(day))
        if self._moment.format == "date":
            self.action_choose()

    def _click_time(self, x: int) -> None:
        parts = [part for part in self._moment.parts if part != "day"]
        if parts:
            self._part = parts[min(x // _PART_WIDTH, len(parts) - 1)]
            self.refresh()

    def _show(self, moment: Moment) -> None:
        self._moment = moment
        self.border_subtitle = "t today · enter" if moment.format == "date" else "tab t now · enter"
        # Another month may have another number of weeks.
        self.refresh(layout=True)

    def _rows(self) -> list[Content]:
        rows: list[Content] = []
        if "day" in self._moment.parts:
            rows += self._days()
        if "hour" in self._moment.parts:
            rows.append(self._clock())
        return rows

    def _days(self) -> list[Content]:
        day = self._moment.day
        title = f"{calendar.month_name[day.month]} {day.year}".center(_WIDTH - 2)
        names = " ".join(name[:2] for name in calendar.day_abbr)
        weeks = [Content(" ").join(self._day(number) for number in week) for week in self._moment.weeks]
        return [Content.assemble(("‹", KEY), (title, STRONG), ("›", KEY)), Content.styled(names, MUTED), *weeks]

    def _day(self, number: int) -> Content:
        text = f"{number:2}" if number else "  "
        if number != self._moment.day.day:
            return Content(text)
        return Content.styled(text, _CURSOR if self._part == "day" else _SELECTED)

    def _clock(self) -> Content:
        texts = [(part, f"{getattr(self._moment.time, part):02}") for part in ("hour", "minute", "second")]
        parts = [Content.styled(text, _CURSOR if part == self._part else STRONG) for part, text in texts]
        return Content.assemble(Content(":").join(parts), (f" {self._moment.zone}", MUTED))


class CalendarScreen(ModalScreen[str | None], SingleAnswerScreen[str | None]):
    """Returns the chosen text, None, or PROPOSALS."""

    AUTO_FOCUS = "Calendar"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("ctrl+@,ctrl+space", "dismiss('')", show=False),
    ]

    DEFAULT_CSS = """
    CalendarScreen { align: left top; background: transparent; }
    """

    def __init__(self, text: str, format: str, beside: Widget) -> None:
        super().__init__()
        self._calendar = Calendar(read_moment(text, format, datetime.now().astimezone()))
        self._beside = beside
        self._cursor = Offset()

    def compose(self) -> ComposeResult:
        yield self._calendar

    def on_mount(self) -> None:
        self._place()
        after_layouts_below(self, self._place)

    def on_resize(self) -> None:
        self._place()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss(None)

    def on_calendar_moment_chosen(self, event: Calendar.MomentChosen) -> None:
        event.stop()
        self.dismiss(event.text)

    def _place(self) -> None:
        # As high as a month of six weeks, so that it stays where it is from month to month.
        height = {"time": 3, "date": 10}.get(self._calendar.format, 11)
        self._cursor = cursor_of(self._beside, self._cursor)
        window = Size(_WIDTH + 4, height)
        right = self._beside.region.right + 1 if self._beside.is_attached else self.size.width
        if right + window.width <= self.size.width:
            # Beside the form, so that the field, its problem and its description stay in sight.
            place = Offset(right, max(0, min(self._cursor.y, self.size.height - window.height)))
        else:
            place = offset_beside(self._cursor, window, self.size)
        self._calendar.styles.offset = place
