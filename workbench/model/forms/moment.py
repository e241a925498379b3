"""A date, a time, or both, as a calendar changes it: read from the text of a field, and written as RFC 3339.

What cannot be read of the text is taken from the clock.
"""

import calendar
import re
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta

FORMATS = frozenset({"date", "time", "date-time"})
"""The formats of texts that have a calendar."""

PARTS = ("day", "hour", "minute", "second")

_DATE = re.compile(r"\s*(\d{4}-\d{2}-\d{2})", re.ASCII)
_TIME = re.compile(r"(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([Zz]|[+-]\d{2}:\d{2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Moment:
    format: str  # one of FORMATS
    day: date
    time: time
    zone: str  # "Z", or the offset from UTC

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that its format has."""
        match self.format:
            case "date":
                return PARTS[:1]
            case "time":
                return PARTS[1:]
            case _:
                return PARTS

    @property
    def text(self) -> str:
        clock = f"{self.time:%H:%M:%S}{self.zone}"
        match self.format:
            case "date":
                return self.day.isoformat()
            case "time":
                return clock
            case _:
                return f"{self.day.isoformat()}T{clock}"

    @property
    def weeks(self) -> list[list[int]]:
        """The days of its month by week, from Monday; 0 for days of another month."""
        return calendar.Calendar().monthdayscalendar(self.day.year, self.day.month)

    def plus_days(self, days: int) -> "Moment":
        try:
            return replace(self, day=self.day + timedelta(days))
        except OverflowError:
            return self  # The first or last year has no further days.

    def plus_months(self, months: int) -> "Moment":
        """Return the same day of another month, or its last day if it is shorter."""
        number = self.day.year * 12 + self.day.month - 1 + months
        year, month = number // 12, number % 12 + 1
        if not MINYEAR <= year <= MAXYEAR:
            return self
        return replace(self, day=date(year, month, min(self.day.day, calendar.monthrange(year, month)[1])))

    def at_day(self, day: int) -> "Moment":
        """Return a day of the same month; a number beyond its end is its last day."""
        last = calendar.monthrange(self.day.year, self.day.month)[1]
        return replace(self, day=self.day.replace(day=min(day, last)))

    def plus(self, part: str, steps: int) -> "Moment":
        """Change the hour, minute or second; after the last comes the first."""
        limit = 24 if part == "hour" else 60
        value = (getattr(self.time, part) + steps) % limit
        return replace(self, time=self.time.replace(**{part: value}))


def read_moment(text: str, format: str, now: datetime) -> Moment:
    """Return the moment in a text, whose parts may be missing; `now` has a time zone."""
    moment = Moment(format, now.date(), now.time().replace(microsecond=0), _zone(now))
    try:
        if (match := _DATE.match(text)) is not None:
            moment = replace(moment, day=date.fromisoformat(match[1]))
        if (match := _TIME.search(text)) is not None:
            clock = time(int(match[1]), int(match[2]), int(match[3] or 0))
            moment = replace(moment, time=clock, zone=(match[4] or moment.zone).upper())
    except ValueError:
        pass  # No such day or time: that of the clock.
    return moment


def _zone(now: datetime) -> str:
    offset = now.utcoffset()
    if not offset:
        return "Z"
    minutes = int(offset.total_seconds() // 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
