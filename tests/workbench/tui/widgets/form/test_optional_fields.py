"""The line that stands for the optional fields that nobody has touched."""

from typing import Any

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, objects
from workbench.model.forms.form import Form
from workbench.tui.widgets.form.optional_fields import OptionalFields

PROPERTIES: dict[str, Any] = {"name": {"type": "string"}, **{f"o{number}": {"type": "string"} for number in range(12)}}
SCHEMA = {**objects(**PROPERTIES), "required": ["name"]}


async def test_enter_on_the_line_shows_the_fields_and_goes_to_the_first() -> None:
    app = FormHost(Form(SCHEMA))
    async with app.run_test(size=(60, 40)) as pilot:
        await until(lambda: app.query(OptionalFields))
        app.editor.focus_first()
        await pilot.pause()
        assert app.paths() == [("name",)]
        assert "+ 12 optional  o0, o1" in screen_text(app)
        await pilot.press(*"Ada", "enter", "enter", "x")
        await until(lambda: app.form.value() == {"name": "Ada", "o0": "x"})
        assert len(app.paths()) == 13
        await until(lambda: "optional" not in screen_text(app))


async def test_a_value_that_is_loaded_shows_its_field_at_its_place() -> None:
    app = FormHost(Form(SCHEMA))
    async with app.run_test(size=(60, 40)):
        await until(lambda: app.query(OptionalFields))
        app.form.load({"o3": "x", "name": "Ada"})
        app.editor.show_values()
        await until(lambda: app.paths() == [("name",), ("o3",)])
        await until(lambda: "+ 11 optional" in screen_text(app))


async def test_a_field_of_the_line_is_shown_when_it_is_to_get_the_focus() -> None:
    app = FormHost(Form(SCHEMA))
    async with app.run_test(size=(60, 40)):
        await until(lambda: app.query(OptionalFields))
        app.editor.view.focus_field(("o5",))
        await until(lambda: ("o5",) in app.paths() and app.row("o5").has_pseudo_class("focus-within"))
