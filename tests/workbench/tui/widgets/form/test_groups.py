"""Groups in a form: how they open and fold, and forms of many fields."""

from typing import Any

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from tests.workbench.tui.widgets.form.group_schemas import CARD, TEXTS, VOUCHER
from workbench.model.forms import field
from workbench.model.forms.field import Field, Path
from workbench.model.forms.form import Form
from workbench.tui.widgets.form.children import Children
from workbench.tui.widgets.form.field_actions import omit_field, remove_item
from workbench.tui.widgets.form.groups import GroupHead, NewKey
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import AreaEditor, LineEditor
from workbench.tui.widgets.form.text_row import TextRow


async def test_an_omitted_group_is_opened_by_enter_and_omitted_again_by_its_key() -> None:
    async with hosted(objects(a=objects(b={"type": "string"}))) as (pilot, app):
        assert ("a", "b") not in app.paths()
        app.query_one(GroupHead).focus()
        await pilot.press("enter")
        await until(lambda: ("a", "b") in app.paths())
        assert app.form.value() == {"a": {}}
        app.query_one(GroupHead).focus()
        await pilot.pause()
        omit_field(app.editor.view)
        await until(lambda: ("a", "b") not in app.paths())
        assert app.form.value() == {}


async def test_enter_on_the_head_of_a_group_folds_it_without_changing_its_value() -> None:
    async with hosted(objects(a=objects(b={"type": "string"})), {"a": {"b": "x"}}) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("enter")
        await until(lambda: not app.row("a", "b").region)
        assert app.form.value() == {"a": {"b": "x"}}
        app.form.set_value(("a", "b"), 5)
        app.editor.show_values()
        await until(lambda: "▸ a ✗ 1" in screen_text(app))
        app.form.set_value(("a", "b"), "x")
        app.editor.show_values()
        await until(lambda: "✗" not in screen_text(app))
        await pilot.press("enter")
        await pilot.pause()
        assert app.row("a", "b").region
        assert app.focused is app.row("a", "b").query_one(LineEditor)


NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("group", "value"),
    [
        (objects(b={"type": "string"}), {"b": "xy"}),
        ({"anyOf": [objects(b={"type": "string"}), NULL], "default": None}, {"b": "xy"}),
        (
            {"anyOf": [objects(b=objects(c={"type": "string"}) | {"required": ["c"]}) | {"required": ["b"]}, NULL]},
            {"b": {"c": "xy"}},
        ),
        (TEXTS, ["xy"]),
    ],
)
async def test_opening_a_group_goes_to_its_first_field(group: dict[str, Any], value: Any) -> None:
    async with hosted(objects(a=group, z={"type": "string"}), with_items=True) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("enter", *"xy")
        await until(lambda: app.form.value() == {"a": value})


async def test_a_group_is_opened_by_space_too() -> None:
    async with hosted(objects(a=TEXTS), with_items=True) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("space", *"xy")
        await until(lambda: app.form.value() == {"a": ["xy"]})


async def test_opening_an_empty_map_goes_to_the_input_for_its_first_key() -> None:
    async with hosted(objects(a={"type": "object", "additionalProperties": {"type": "string"}})) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("enter", "k", "enter")
        await until(lambda: ("a", "k") in app.paths())


async def test_a_key_that_is_typed_but_not_added_is_added_before_the_value_is_used() -> None:
    maps = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}}}
    async with hosted(objects(a=maps), {"a": {"x": {}}}) as (pilot, app):
        inner, outer = app.row("a", "x").query_one(NewKey), list(app.query(NewKey))[-1]
        inner.value, outer.value = "y", "z"
        assert app.editor.close_list()
        await until(lambda: {("a", "x", "y"), ("a", "z")} <= {*app.paths()})
        assert (inner.value, outer.value) == ("", "")
        assert app.editor.close_list()
        await pilot.pause()
        assert set(app.form.value()["a"]) == {"x", "z"}


async def test_a_key_without_a_value_is_a_problem_that_is_shown_when_the_form_is_sent() -> None:
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    async with hosted(objects(a=texts), {"a": {"x": "1"}}) as (pilot, app):
        app.query_one(NewKey).focus()
        await pilot.press("k")
        assert app.editor.close_list()
        assert [problem.path for problem in app.form.problems()] == [("a", "k")]
        app.editor.focus_problem()
        await until(lambda: "needs a value; otherwise remove the key" in screen_text(app))
        await until(lambda: app.editor.view.focused_row is app.row("a", "k"))
        await until(lambda: "alt+o sends an empty text" in screen_text(app))
        assert omit_field(app.editor.view)
        assert (app.form.value(), app.form.problems()) == ({"a": {"x": "1", "k": ""}}, [])


async def test_a_recursive_schema_opens_level_by_level() -> None:
    tree: dict[str, Any] = {"$defs": {"Node": objects(name={"type": "string"}, next={"$ref": "#/$defs/Node"})}}
    async with hosted({**tree, "$ref": "#/$defs/Node"}) as (pilot, app):
        for depth in range(1, 4):
            app.row(*["next"] * depth).query_one(GroupHead).focus()
            await pilot.press("enter")
            await until(lambda depth=depth: (*["next"] * depth, "name") in app.paths())


async def test_a_value_that_does_not_fit_its_field_is_shown_as_json_and_preserved() -> None:
    async with hosted(objects(a={"type": "integer"}), {"a": ["no", "number"]}) as (_, app):
        assert '["no", "number"]' in screen_text(app)
        assert app.form.value() == {"a": ["no", "number"]}


async def test_a_key_that_the_schema_does_not_know_has_a_row_that_can_be_removed() -> None:
    async with hosted(objects(a={"type": "integer"}), {"a": 1, "b": 2}) as (pilot, app):
        app.row("b").focus_editor()
        await pilot.pause()
        assert remove_item(app.editor.view)
        await until(lambda: ("b",) not in app.paths())
        assert app.form.value() == {"a": 1}


async def test_changing_a_field_rebuilds_no_other() -> None:
    schema = objects(**{f"f{index}": {"type": "string"} for index in range(30)}, a=TEXTS)
    async with hosted(schema, with_items=True) as (pilot, app):
        before = {row.field.path: row for row in app.query("FieldRow")}  # type: ignore[attr-defined]
        app.query(LineEditor).first().value = "x"
        app.row("a").query_one(GroupHead).focus()
        await pilot.press("enter")
        await until(lambda: ("a", 0) in app.paths())
        await pilot.pause()
        after = {row.field.path: row for row in app.query("FieldRow")}  # type: ignore[attr-defined]
        assert all(after[path] is row for path, row in before.items())


async def test_a_long_form_is_mounted_in_parts_and_completely_when_problems_are_requested() -> None:
    schema = objects(**{f"f{index}": {"type": "string"} for index in range(30)}, last={"type": "string"})
    async with hosted(schema) as (pilot, app):
        app.form = type(app.form)({**schema, "required": ["last"]})
        app.editor.show(app.form)
        await pilot.pause()
        app.editor.focus_problem()
        await until(lambda: ("last",) in app.paths())
        await until(lambda: app.row("last").has_pseudo_class("focus-within"))


async def test_a_form_without_fields_shows_a_note() -> None:
    async with hosted(objects()) as (_, app):
        assert "Nothing to fill in." in screen_text(app)
        assert not app.query(Children)


@pytest.mark.parametrize(
    "value",
    [
        {"a": "x"},
        {"a": ["x", "y"]},
        {"o": {"n": "x", "m": 1}},
        {"o": 5},
        {"t": ["x"]},
        {"v": {"code": 3}},
        {"b": 7, "c": 1},
    ],
    ids=str,
)
async def test_a_value_that_is_loaded_while_the_rows_are_being_made_is_shown(value: Any) -> None:
    properties = {"a": {"type": "integer"}, "b": {"type": "string"}, "t": TEXTS, "v": {"oneOf": [CARD, VOUCHER]}}
    schema = objects(**properties, o=objects(n={"type": "string"}, m=objects(l={"type": "integer"})))
    async with hosted(objects()) as (pilot, app):
        app.form = Form(schema)
        app.editor.show(app.form)
        app.form.load(value)
        app.editor.show_values()
        await until(lambda: shown_texts(app) == {field.path: field.text for field in text_fields(app.form)})
        await pilot.pause()
        assert app.form.value() == value


def text_fields(form: Form) -> list[Field]:
    """Return the fields of a form that are filled in as text."""
    texts = [field for field in form.fields() if field.kind in ("string", "integer", "number", "json") or field.is_line]
    return [field for field in texts if field.parent is None or not field.parent.is_line]


def shown_texts(app: FormHost) -> dict[Path, str | None]:
    """Return what the editors of a form hold, by the places of their fields."""
    return {row.field.path: editor_text(row) for row in app.query(TextRow)}


def editor_text(row: TextRow) -> str | None:
    editors = [*row.query(LineEditor).results(), *row.query(AreaEditor).results()]
    return next((editor.value if isinstance(editor, LineEditor) else editor.text for editor in editors), None)


@pytest.mark.parametrize("is_required", [True, False])
async def test_a_group_that_may_be_null_is_opened_and_filled_in_by_keys(is_required: bool) -> None:
    group = {"anyOf": [objects(b={"type": "string"}), {"type": "null"}], "default": None}
    notes = {
        "anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "null"}],
        "default": None,
    }
    schema = objects(a=group, n=notes) | {"required": ["a", "n"] if is_required else []}
    async with hosted(schema, {"a": None, "n": None}) as (pilot, app):
        app.editor.focus_first()
        await pilot.press("enter")
        await until(lambda: ("a", "b") in app.paths())
        await pilot.pause()
        await pilot.press(*"tea", "enter", "enter")
        await until(lambda: app.query_one(NewKey).region)
        await pilot.press("k", "enter")
        await until(lambda: ("n", "k") in app.paths())
        await pilot.pause()
        await pilot.press("7")
        await until(lambda: app.form.value() == {"a": {"b": "tea"}, "n": {"k": 7}})


@pytest.mark.parametrize("is_inside", [False, True])
async def test_a_form_of_very_many_fields_shows_how_many_have_no_row(
    is_inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(field, "MAX_FIELDS", 30)  # As many rows as are mounted: they are what takes time.
    wide = objects(**{f"p{number}": {"type": "string"} for number in range(30 + 1234)})
    async with hosted({**objects(a=wide), "required": ["a"]} if is_inside else wide) as (_, app):
        await until(lambda: app.query("Static.left-out"))
        assert len(app.query(TextRow)) <= 30
        text = "\n".join(str(widget.render()) for widget in app.query("Static.left-out"))
        assert text == "… and 1,234 more fields: the JSON (^t) has all of them"


async def test_looking_at_alternatives_fills_in_no_value() -> None:
    async with hosted(objects(a={"anyOf": [{"type": "integer"}, {"type": "boolean"}]})) as (pilot, app):
        app.query_one(GroupHead).focus()
        await pilot.press("enter")
        await until(lambda: isinstance(app.focused, Segments | LineEditor))
        assert app.form.value() == {}


async def test_the_head_of_a_list_shows_the_number_of_its_items() -> None:
    async with hosted(objects(a={"type": "array", "items": TEXTS}), {"a": [["x"], ["y"]]}) as (_, app):
        await until(lambda: "list · 2 items" in screen_text(app))
        app.form.set_value(("a",), [])
        app.editor.show_values()
        await until(lambda: "list · []" in screen_text(app))


async def test_the_number_of_an_item_is_never_cut() -> None:
    app = FormHost(Form(objects(ingredients_of_the_dish={"type": "array", "items": {}})))
    app.form.load({"ingredients_of_the_dish": [1, 2]})
    async with app.run_test(size=(40, 20)):
        await until(lambda: "… 1" in screen_text(app) and "… 2" in screen_text(app))


async def test_text_typed_on_the_head_of_an_open_map_begins_a_new_key_also_where_it_is_folded() -> None:
    schema = objects(a={"type": "object", "additionalProperties": {"type": "string"}})
    async with hosted(schema, {"a": {"x": "1"}}) as (pilot, app):
        for keys in (["y"], ["enter", "z"]):
            app.query_one(GroupHead).focus()
            await pilot.press(*keys, "enter", "2")
            await until(lambda keys=keys: app.form.value()["a"].get(keys[-1]) == "2")
        assert list(app.form.value()["a"]) == ["x", "y", "z"]
