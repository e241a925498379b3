"""The help names the keys that do something where the focus is."""

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from tests.workbench.tui.kitchen import kitchen_app, kitchen_link
from tests.workbench.tui.working import opened
from workbench.tui.screens.focus_keys import keys_at
from workbench.tui.widgets.form.text import LineEditor

TEXT = {"type": "string"}
FIELDS = objects(
    plain=TEXT,
    example=TEXT | {"examples": ["tea"]},
    day=TEXT | {"format": "date"},
    loud={"type": "boolean"},
    group=objects(a=TEXT),
    lines={"type": "array", "items": TEXT},
    days={"type": "array", "items": TEXT | {"format": "date"}},
)
VALUE = {"plain": "x", "loud": True, "group": {"a": "x"}, "lines": ["x"], "example": "x", "day": "x", "days": ["x"]}
PROPOSE, ITEM, LINE_BREAK = "Propose values", "Remove this item", "Insert a line break"


def listed(app: FormHost) -> str:
    """Return the help of the widget with the focus."""
    here = keys_at(app.focused, "tools")
    assert here is not None
    return "\n".join([here[0], *(text for _, text in here[1])])


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("plain", {LINE_BREAK}),
        ("example", {PROPOSE, LINE_BREAK}),
        ("day", {PROPOSE, LINE_BREAK}),
        ("loud", {PROPOSE}),
        ("lines", {ITEM}),
        ("days", {PROPOSE, ITEM}),
    ],
)
async def test_a_field_lists_the_keys_that_do_something_in_it(name: str, keys: set[str]) -> None:
    async with hosted(FIELDS, VALUE) as (_, app):
        app.row(name).focus_editor()
        text = listed(app)
        assert {key for key in (PROPOSE, ITEM, LINE_BREAK) if key in text} == keys
        assert "Omit this field" in text


async def test_values_of_earlier_calls_and_of_the_server_are_proposals_too() -> None:
    async with hosted(FIELDS, VALUE) as (_, app):
        app.editor.earlier_values = lambda: [{"plain": "tea"}]
        app.row("plain").focus_editor()
        assert PROPOSE in listed(app)


async def test_the_head_of_a_group_proposes_nothing_and_the_json_does() -> None:
    async with hosted(FIELDS, VALUE) as (_, app):
        app.screen.set_focus(app.row("group").label)
        assert PROPOSE not in listed(app)
        app.editor.toggle_json()
        await until(lambda: "This JSON" in listed(app))
        assert PROPOSE in listed(app)
        assert "Omit this field" not in listed(app)


async def test_the_keys_of_fields_have_a_section_and_those_that_do_nothing_in_the_field_are_only_searched() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 60)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await pilot.press("f1")
        await until(
            lambda: "Fields of a form" in screen_text(app) and "Move this item of a list up" in screen_text(app)
        )
        await pilot.press("escape", "enter")
        await until(lambda: isinstance(app.focused, LineEditor))
        await pilot.press("f1")
        await until(lambda: "This field" in screen_text(app))
        assert "Move this item" not in screen_text(app)
        await pilot.press("slash", *"move this item")
        await until(lambda: "Other fields of a form" in screen_text(app))
