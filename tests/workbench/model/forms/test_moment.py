"""Dates and times are read from any text, changed, and written as RFC 3339."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import each_row
from workbench.model.forms.form import Form
from workbench.model.forms.moment import FORMATS, Moment, read_moment

NOW = datetime(2027, 2, 3, 4, 5, 6, tzinfo=UTC)


@each_row(
    ("text", "format", "expected"),
    [
        ("", "date", "2027-02-03"),
        ("2026-01-31", "date", "2026-01-31"),
        ("2026-02-31", "date", "2027-02-03"),
        ("soon", "date", "2027-02-03"),
        ("", "time", "04:05:06Z"),
        ("14:30", "time", "14:30:00Z"),
        ("14:30:15.25+02:00", "time", "14:30:15+02:00"),
        ("25:99", "time", "04:05:06Z"),
        ("", "date-time", "2027-02-03T04:05:06Z"),
        ("2026-01-31", "date-time", "2026-01-31T04:05:06Z"),
        ("2026-01-31T14:30:00-05:30", "date-time", "2026-01-31T14:30:00-05:30"),
    ],
)
def test_what_a_text_lacks_is_that_of_the_clock(text: str, format: str, expected: str) -> None:
    assert read_moment(text, format, NOW).text == expected


@each_row("hours", [-5.5, 0, 2])
def test_the_zone_is_that_of_the_clock(hours: float) -> None:
    now = NOW.astimezone(timezone(timedelta(hours=hours)))
    assert datetime.fromisoformat(read_moment("", "date-time", now).text) == NOW


@given(st.text(max_size=40), st.sampled_from(sorted(FORMATS)))
def test_every_text_leads_to_a_valid_value(text: str, format: str) -> None:
    form = Form({"type": "string", "format": format})
    form.set_text((), read_moment(text, format, NOW).text)
    assert not form.problems()


def on(day: date) -> Moment:
    return read_moment(day.isoformat(), "date", NOW)


def test_a_month_without_the_day_has_its_last_day() -> None:
    assert on(date(2024, 1, 31)).plus_months(1).day == date(2024, 2, 29)
    assert on(date(2024, 12, 31)).plus_months(-13).day == date(2023, 11, 30)
    assert on(date(2024, 2, 1)).at_day(31).day == date(2024, 2, 29)


@pytest.mark.parametrize(("day", "sign"), [(date.min, -1), (date.max, 1)])
def test_time_ends_with_the_first_and_last_year(day: date, sign: int) -> None:
    assert on(day).plus_days(sign).day == on(day).plus_months(sign).day == day
    assert any(1 in week for week in on(day).weeks)


def test_a_clock_goes_round() -> None:
    moment = read_moment("23:59:59Z", "time", NOW)
    assert moment.plus("hour", 1).plus("minute", 1).plus("second", 1).text == "00:00:00Z"
