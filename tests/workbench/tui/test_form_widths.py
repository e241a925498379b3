"""Snapshots of the states of a form at every width that the terminal is designed for.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.kitchen import KITCHEN, kitchen_app, kitchen_link
from tests.workbench.tui.test_form_snapshots import steps
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.form.calendar import Calendar
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.field_search_screen import FieldSearch
from workbench.tui.widgets.form.proposal_screen import ProposalScreen
from workbench.tui.widgets.form.row import FieldRow

Compare = Callable[..., bool]
State = Callable[[Pilot[Any], WorkbenchApp], Awaitable[None]]

DOG = {"title": "Dog", "type": "object", "properties": {"kind": {"const": "dog"}, "barks": {"type": "boolean"}}}
CAT = {"title": "Cat", "type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}}
VISIT = {
    "name": "plan_visit",
    "description": "Plan a visit of several guests.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "visitors": {"type": "array", "items": {"type": "string"}, "minItems": 2, "description": "Their names"},
            "sizes": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}},
            "day": {"type": "string", "format": "date", "description": "The day of the visit"},
            "at": {"type": "string", "format": "date-time", "description": "When the table is ready"},
            "colour": {"enum": [f"colour-{number}" for number in range(500)], "description": "Of the cloth"},
            "pet": {"anyOf": [DOG, CAT], "description": "Who comes along"},
            **{f"option_{number}": {"type": "string", "description": "Something more"} for number in range(12)},
        },
        "required": ["visitors", "sizes", "day", "at", "colour", "pet"],
    },
    "secrets": [],
}
VALUE = {
    "visitors": ["Ada", "Lovelace, Ada"],
    "sizes": [3, 12],
    "day": "2027-02-03",
    "at": "2027-02-03T18:30:00Z",
    "pet": {"kind": "dog"},
}


async def filled_in(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    """Open the form with its values, with the focus on the first field."""
    await until(lambda: "Plan a visit" in screen_text(app) or "plan_visit" in screen_text(app))
    await pilot.press("enter")
    editor = app.query_one(FormEditor)
    await until(lambda: editor.form is not None and "visitors" in editor.form.schema["properties"])
    assert editor.form is not None
    editor.form.load(VALUE)
    editor.view.show_values()
    await until(lambda: any(row.field.path == ("pet", "barks") for row in app.query(FieldRow)))


async def at_field(pilot: Pilot[Any], app: WorkbenchApp, name: str) -> None:
    view = app.query_one(FormEditor).view
    view.focus_field((name,))
    await until(lambda: (row := view.focused_row) is not None and row.field.path == (name,) and not view.can_focus)
    await pilot.pause()


async def lists(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    await at_field(pilot, app, "sizes")


async def calendar(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    await at_field(pilot, app, "at")
    await app.action_do("tools", "propose")
    await until(lambda: app.screen.query(Calendar) and app.screen.query_one(Calendar).region)


async def choices(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    await at_field(pilot, app, "colour")
    await app.action_do("tools", "propose")
    await until(lambda: isinstance(app.screen, ProposalScreen) and app.screen.focused)
    await pilot.press(*"49")


async def search(pilot: Pilot[Any], app: WorkbenchApp) -> None:
    await app.action_do("tools", "find_field")
    await until(lambda: isinstance(app.screen, FieldSearch) and app.screen.focused)
    await pilot.press(*"op1")
    await until(lambda: app.screen.query_one(Input).value == "op1")


@pytest.mark.parametrize("state", [lists, calendar, choices, search], ids=lambda state: state.__name__)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (170, 45), (240, 60)], ids=lambda size: str(size[0]))
def test_a_form(snap_compare: Compare, size: tuple[int, int], state: State) -> None:
    link = kitchen_link()
    link.answers["catalog/get"] = KITCHEN | {"tools": [VISIT, *KITCHEN["tools"]]}

    async def then(pilot: Pilot[Any], app: WorkbenchApp) -> None:
        await filled_in(pilot, app)
        await state(pilot, app)

    assert snap_compare(kitchen_app(link), terminal_size=size, run_before=steps(then=then))
