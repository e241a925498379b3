"""A date or a time is chosen in a calendar, by keys or by the mouse, and can always be typed."""

from datetime import date
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.model.forms.form import Form
from workbench.model.forms.typed_texts import carry_over
from workbench.tui.widgets.form.calendar import Calendar, CalendarScreen
from workbench.tui.widgets.form.proposal_screen import ProposalScreen
from workbench.tui.workers import start_worker


async def opened(app: FormHost) -> Calendar:
    app.row("a").focus_editor()
    start_worker(app, app.editor.propose, "proposals")
    await until(lambda: isinstance(app.screen, CalendarScreen) and isinstance(app.screen.focused, Calendar))
    await until(lambda: app.screen.query_one(Calendar).region)
    return app.screen.query_one(Calendar)


async def closed(app: FormHost) -> None:
    await until(lambda: not isinstance(app.screen, CalendarScreen))


async def choose(pilot: Pilot[Any], app: FormHost, *keys: str) -> None:
    await opened(app)
    await pilot.press(*keys, "enter")
    await closed(app)


@pytest.mark.parametrize(
    ("format", "before", "keys", "after"),
    [
        ("date", "2027-02-03", "right", "2027-02-04"),
        ("date", "2027-02-03", "up left", "2027-01-26"),
        ("date", "2027-01-31", "pagedown", "2027-02-28"),
        ("date", "2027-02-03", "ctrl+pageup end", "2026-02-28"),
        ("time", "14:30:00Z", "up tab down right pagedown", "15:29:50Z"),
        ("date-time", "2027-02-03T14:30:00+02:00", "home tab up", "2027-02-01T15:30:00+02:00"),
    ],
)
async def test_keys_choose(format: str, before: str, keys: str, after: str) -> None:
    async with hosted(objects(a={"type": "string", "format": format}), {"a": before}) as (pilot, app):
        await choose(pilot, app, *keys.split())
        await until(lambda: app.form.value() == {"a": after})
        assert not app.form.problems()


async def test_today_is_chosen_by_a_letter_and_is_where_an_empty_field_begins() -> None:
    async with hosted(objects(a={"type": "string", "format": "date"}), {"a": "1999-12-31"}) as (pilot, app):
        days = {date.today().isoformat()}
        await choose(pilot, app, "t")
        days.add(date.today().isoformat())
        await until(lambda: app.form.value()["a"] in days)


async def test_a_click_chooses_a_day_or_another_month() -> None:
    async with hosted(objects(a={"type": "string", "format": "date"}), {"a": "2027-02-03"}) as (pilot, app):
        widget = await opened(app)
        assert "February 2027" in screen_text(app)  # type: ignore[arg-type]
        await pilot.click(widget, offset=(21, 1))
        await until(lambda: "March 2027" in screen_text(app))  # type: ignore[arg-type]
        await pilot.click(widget, offset=(2, 4))
        await closed(app)
        await until(lambda: app.form.value() == {"a": "2027-03-08"})


async def test_the_item_of_a_list_at_the_cursor_has_a_calendar() -> None:
    days = {"type": "array", "items": {"type": "string", "format": "date"}}
    async with hosted(objects(a=days), {"a": ["2027-02-03", "2027-02-05"]}) as (pilot, app):
        await choose(pilot, app, "right")
        await until(lambda: app.form.value() == {"a": ["2027-02-03", "2027-02-06"]})


async def test_the_key_opens_the_proposals_from_the_calendar() -> None:
    async with hosted(objects(a={"type": "string", "format": "date"})) as (pilot, app):
        app.editor.earlier_values = lambda: [{"a": "2020-01-01"}]
        await opened(app)
        await pilot.press("ctrl+@")
        await until(lambda: isinstance(app.screen, ProposalScreen) and app.screen.focused)
        await pilot.press("enter")
        await until(lambda: app.form.value() == {"a": "2020-01-01"})


async def test_leaving_the_calendar_changes_nothing_and_any_text_can_be_typed() -> None:
    async with hosted(objects(a={"type": "string", "format": "date"})) as (pilot, app):
        await opened(app)
        await pilot.press("right", "escape")
        await closed(app)
        assert app.form.value() == {}
        await pilot.press(*"soon")
        await until(lambda: app.form.value() == {"a": "soon"})


async def test_an_open_calendar_stays_on_the_screen_when_the_terminal_is_resized() -> None:
    async with hosted(objects(a={"type": "string", "format": "date-time"})) as (pilot, app):
        widget = await opened(app)
        for width, height in ((40, 14), (200, 60), (30, 12)):
            await pilot.resize_terminal(width, height)
            await until(lambda width=width: app.size.width == width)
            await until(lambda: app.screen.region.contains_region(widget.region))


async def test_a_value_stays_typed_when_the_schema_changes_under_an_open_calendar() -> None:
    async with hosted(objects(a={"type": "string", "format": "date"})) as (pilot, app):
        app.row("a").focus_editor()
        await pilot.press(*"soon")
        await opened(app)
        changed = Form(objects(a={"type": "integer"}, b={"type": "string"}))
        carry_over(app.form, changed)
        app.editor.update_form(changed)
        await pilot.press("enter")
        await closed(app)
        await until(lambda: changed.field(("a",)).text == "soon")


async def test_the_calendar_is_beside_its_field_where_there_is_room_and_else_below_it() -> None:
    async with hosted(objects(a={"type": "string", "format": "date"})) as (pilot, app):
        await pilot.resize_terminal(120, 24)
        field = app.row("a")
        field.styles.width = 60
        await until(lambda: field.size.width < 61)
        calendar = await opened(app)
        await until(lambda: calendar.region.x >= field.region.right - 1)
        assert "t today · enter ─" in screen_text(app)
        await pilot.resize_terminal(60, 24)
        await until(lambda: calendar.region.y > field.region.y and calendar.region.x < field.region.right)
