"""Fields whose value is chosen: true or false, a choice, several choices."""

from typing import Any

import pytest
from textual.widgets import Select, SelectionList

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import hosted, objects
from workbench.model.forms.field import FieldState
from workbench.tui.widgets import steady
from workbench.tui.widgets.form.segments import Segments


async def test_a_boolean_is_omitted_true_or_false() -> None:
    async with hosted(objects(a={"type": "boolean"})) as (pilot, app):
        app.row("a").query_one(Segments).focus()
        seen = []
        for _ in range(3):
            await pilot.press("right")
            seen.append(app.form.value())
        assert seen == [{"a": True}, {"a": False}, {}]


async def test_enter_goes_from_a_row_of_choices_to_the_next_field() -> None:
    async with hosted(objects(a={"type": "boolean"}, b={"type": "string"})) as (pilot, app):
        app.row("a").query_one(Segments).focus()
        await pilot.press("enter", *"Dan")
        await until(lambda: app.form.value() == {"b": "Dan"})


async def test_a_nullable_boolean_offers_null_too() -> None:
    async with hosted(objects(a={"type": ["boolean", "null"]})) as (pilot, app):
        app.row("a").query_one(Segments).focus()
        await pilot.press("right")
        assert app.form.value() == {"a": None}


async def test_a_few_short_choices_are_side_by_side_and_a_click_chooses() -> None:
    async with hosted(objects(a={"enum": ["plain", "warm"]})) as (pilot, app):
        segments = app.row("a").query_one(Segments)
        await pilot.click(segments, offset=(11, 0))
        assert app.form.value() == {"a": "plain"}


async def test_the_choice_in_brackets_is_the_one_that_is_made_and_only_a_required_one_without_a_value_asks() -> None:
    async with hosted(objects(a={"enum": ["card", "cash"]}) | {"required": ["a"]}) as (pilot, app):
        segments = app.row("a").query_one(Segments)
        assert segments.render_line(0).text.rstrip() == " card   cash   ←→ choose"
        segments.focus()
        for value, shown in (("card", "[card]  cash"), ("cash", " card  [cash]"), ("card", "[card]  cash")):
            await pilot.press("right")
            assert app.form.value() == {"a": value}
            assert segments.render_line(0).text.rstrip() == shown
        app.form.omit(("a",))
        app.editor.show_values()
        assert segments.render_line(0).text.rstrip() == " card   cash   ←→ choose"


async def test_choices_that_do_not_fit_in_a_row_go_on_in_the_next_also_after_a_resize() -> None:
    async with hosted(objects(a={"enum": ["DE", "FR", "IT", "ES", "PT"]}, b={"type": "string"})) as (pilot, app):
        segments = app.row("a").query_one(Segments)
        assert segments.size.height == 1
        await pilot.resize_terminal(32, 24)
        await until(lambda: segments.size.height == 2)
        rows = [segments.render_line(y).text.split() for y in range(2)]
        assert rows == [["[omitted]", "DE", "FR", "IT", "ES"], ["PT"]]
        await pilot.click(segments, offset=(2, 1))
        assert app.form.value() == {"a": "PT"}
        assert app.row("b").region.y > segments.region.y + 1
        await pilot.resize_terminal(80, 24)
        await until(lambda: segments.size.height == 1)


async def test_a_choice_that_is_wider_than_its_row_is_cut_with_a_sign() -> None:
    async with hosted(objects(a={"enum": ["Frankfurt am Main"]})) as (_, app):
        segments = app.row("a").query_one(Segments)
        segments.styles.width = 12
        await until(lambda: segments.size == (12, 2))
        assert [segments.render_line(y).text.rstrip() for y in range(2)] == ["[omitted]", " Frankfurt …"]


async def test_choices_keep_the_type_of_their_values() -> None:
    async with hosted(objects(a={"enum": [1, True, "1", 1.5]})) as (pilot, app):
        app.row("a").query_one(Segments).focus()
        await pilot.press("right", "right")
        assert app.form.value()["a"] is True


async def test_many_choices_drop_down() -> None:
    names = [f"a rather long choice {number}" for number in range(9)]
    async with hosted(objects(a={"enum": names})) as (pilot, app):
        select: Select[int] = app.query_one(Select)
        select.value = 3
        await pilot.pause()
        assert app.form.value() == {"a": names[3]}
        select.value = Select.NULL
        await pilot.pause()
        assert app.form.field(("a",)).state is FieldState.OMITTED


async def test_several_of_some_choices_are_sent_in_the_order_of_the_schema() -> None:
    async with hosted(objects(a={"type": "array", "items": {"enum": ["x", "y", "z"]}})) as (pilot, app):
        listed: SelectionList[int] = app.query_one(SelectionList)
        listed.select(2)
        listed.select(0)
        await pilot.pause()
        assert app.form.value() == {"a": ["x", "z"]}


async def test_text_typed_on_a_closed_drop_down_opens_it_as_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady, "SEARCH_S", 60.0)
    async with hosted(objects(a={"enum": [f"value-{number}" for number in range(500)]})) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press(*"49")
        await until(lambda: " 49 ▲" in screen_text(app))
        await pilot.press("8", "backspace", "enter")
        await until(lambda: app.form.value() == {"a": "value-49"})


@pytest.mark.parametrize("is_required", [True, False])
@pytest.mark.parametrize("before", [None, "water ice"])
async def test_a_search_without_a_match_in_a_drop_down_chooses_nothing(
    monkeypatch: pytest.MonkeyPatch, before: str | None, is_required: bool
) -> None:
    monkeypatch.setattr(steady, "SEARCH_S", 60.0)
    names = ["chocolate mousse", "fruit salad with nuts", "water ice", "apple pie of the house"]
    schema = objects(a={"enum": names}) | ({"required": ["a"]} if is_required else {})
    async with hosted(schema) as (pilot, app):
        select: Select[int] = app.query_one(Select)
        if before is not None:
            select.value = names.index(before)
        expected = {} if before is None else {"a": before}
        await until(lambda: app.form.value() == expected)
        select.focus()
        await pilot.press("enter", *"fru")
        await until(lambda: app.form.value() == {"a": "fruit salad with nuts"})
        await pilot.press("q")
        await until(lambda: "fruq · no match" in screen_text(app))  # type: ignore[arg-type]
        await until(lambda: app.form.value() == expected)
        await pilot.press("enter")
        assert app.form.value() == expected
        await until(lambda: "no match: esc restores · fruq" in screen_text(app))
        assert select.expanded
        await pilot.press("backspace", "enter")
        await until(lambda: not select.expanded and app.form.value() == {"a": "fruit salad with nuts"})


async def test_a_search_without_a_match_is_in_sight_in_a_narrow_drop_down_and_esc_restores_the_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steady, "SEARCH_S", 60.0)
    async with hosted(objects(a={"enum": NAMES}), {"a": NAMES[1]}) as (pilot, app):
        select = app.query_one(steady.DropDown)
        select.styles.width = 30
        select.focus()
        await pilot.press(*"/brew it")
        await until(lambda: "/brew it · no match" in screen_text(app))  # type: ignore[arg-type]
        await pilot.press("enter")
        await until(lambda: "no match: esc restores" in screen_text(app))  # type: ignore[arg-type]
        await pilot.press("escape")
        await until(lambda: not select.expanded and app.form.value() == {"a": NAMES[1]})
        await until(lambda: NAMES[1] in screen_text(app))  # type: ignore[arg-type]


@pytest.mark.parametrize("is_required", [True, False])
async def test_a_text_without_a_match_stays_in_the_field_but_is_no_entry_of_the_list(
    monkeypatch: pytest.MonkeyPatch, is_required: bool
) -> None:
    monkeypatch.setattr(steady, "SEARCH_S", 60.0)
    schema = objects(a={"enum": NAMES}, b={"type": "string"}) | ({"required": ["a"]} if is_required else {})
    async with hosted(schema) as (pilot, app):
        select = app.query_one(steady.DropDown)
        select.focus()
        await pilot.press(*"zz")
        await until(lambda: "zz · no match" in screen_text(app))  # type: ignore[arg-type]
        app.editor.close_list()  # As "run" does.
        await until(lambda: app.form.field(("a",)).text == "zz" and select.prompt == "zz")
        select.focus()
        await pilot.press("enter")
        await until(lambda: select.expanded)
        entries = [str(option.prompt) for option in select.query_one(steady.Overlay).options]
        assert entries == (NAMES if is_required else ["omitted", *NAMES])
        await pilot.press("home", "enter")
        await until(lambda: app.form.value() == ({"a": NAMES[0]} if is_required else {}))
        await until(lambda: "zz" not in screen_text(app))  # type: ignore[arg-type]


async def test_a_letter_chooses_among_segments() -> None:
    async with hosted(objects(a={"enum": ["plain", "warm"]})) as (pilot, app):
        app.row("a").query_one(Segments).focus()
        await pilot.press("w")
        await until(lambda: app.form.value() == {"a": "warm"})


async def test_chosen_entries_of_a_list_have_a_check_mark_and_the_others_an_empty_box() -> None:
    schema = objects(a={"type": "array", "items": {"enum": ["cake", "tea"]}})
    async with hosted(schema, {"a": ["tea"]}) as (_, app):
        boxes = {
            line.split()[-1]: "✓" in line for line in screen_text(app).splitlines() if line.endswith(("cake", "tea"))
        }
        assert boxes == {"cake": False, "tea": True}
        assert "X" not in screen_text(app)


async def test_a_digit_selects_a_choice_that_begins_with_it() -> None:
    async with hosted(objects(stars={"enum": [1, 2, 3]})) as (pilot, app):
        app.screen.set_focus(app.row("stars").query_one(Segments))
        await pilot.press("3")
        assert app.form.value() == {"stars": 3}


NAMES = [f"a rather long choice {number}" for number in range(9)]


@pytest.mark.parametrize("leave", ["tab", "enter"])
async def test_the_marked_value_of_an_open_drop_down_is_taken_whichever_way_it_is_left(leave: str) -> None:
    async with hosted(objects(a={"enum": NAMES}, b={"type": "string"})) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press("enter", "down", "down")
        await until(lambda: app.form.value() == {"a": NAMES[1]})
        await pilot.press(leave)
        await until(lambda: not app.query_one(Select).expanded)
        assert app.form.value() == {"a": NAMES[1]}


async def test_escape_in_an_open_drop_down_restores_the_value_before() -> None:
    async with hosted(objects(a={"enum": NAMES}), {"a": NAMES[3]}) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press("enter", "down")
        await until(lambda: app.form.value() == {"a": NAMES[4]})
        await pilot.press("escape")
        await until(lambda: app.form.value() == {"a": NAMES[3]})


async def test_a_drop_down_of_a_required_choice_has_only_values_and_opens_at_the_first_without_a_change() -> None:
    async with hosted(objects(a={"enum": NAMES}) | {"required": ["a"]}) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press("enter")
        await until(lambda: app.query_one(Select).expanded)
        await pilot.pause()
        assert app.form.value() == {}
        # Only the field itself shows that it is required; a bar is beside the rows of the list.
        assert screen_text(app).count("required") == 1
        assert f"▌{NAMES[0]}" in screen_text(app)
        await pilot.press("enter")
        await until(lambda: app.form.value() == {"a": NAMES[0]})


async def test_a_search_in_a_drop_down_prefers_values_to_the_absence_of_one() -> None:
    async with hosted(objects(a={"enum": NAMES})) as (pilot, app):
        app.query_one(Select).focus()
        # The first entry is `omitted`.
        await pilot.press("o", "enter")
        await until(lambda: app.form.value() == {"a": NAMES[0]})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": NAMES}, NAMES[0]),
        ({"anyOf": [{"title": name, "const": index, "type": "integer"} for index, name in enumerate(NAMES)]}, 0),
        ({"anyOf": [{"title": name, **objects(**{f"x{name[-1]}": {}})} for name in NAMES]}, {"x0": 1}),
    ],
)
async def test_a_value_is_kept_that_is_chosen_while_the_form_shows_the_one_before(schema: Any, value: Any) -> None:
    async with hosted(objects(a=schema), {"a": value}) as (_, app):
        select: Select[int] = app.query_one(Select)
        select.value = 2
        # As the form does shortly after each change.
        app.editor.view.show_values()
        assert select.value == 2
        field = app.form.field(("a",))
        await until(lambda: field.selected == [2] or field.variant == 2)


@pytest.mark.parametrize("leave", ["tab", "shift+tab"])
async def test_a_text_that_matches_no_choice_stays_as_a_problem_when_its_open_list_is_left(leave: str) -> None:
    names = ["Frankfurt am Main, Germany", "Dublin in Ireland", "Sydney in Australia"]
    schema = objects(x={"type": "string"}, a={"enum": names}, b={"type": "string"})
    async with hosted(schema) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press(*"sidney", leave)
        await until(lambda: app.form.field(("a",)).text == "sidney")
        await until(lambda: "✗ did you mean Sydney in Australia?" in screen_text(app))  # type: ignore[arg-type]
        assert not app.query_one(Select).expanded


async def test_a_form_that_is_sent_with_the_key_after_tab_has_the_text_typed_in_a_drop_down() -> None:
    async with hosted(objects(a={"enum": NAMES}, b={"type": "string"})) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press(*"zz")
        app.screen.focus_next()
        assert app.editor.close_list()  # As "run" does, before the list has noticed that it was left.
        assert app.form.field(("a",)).text == "zz"


@pytest.mark.parametrize("is_required", [True, False])
async def test_a_constant_is_shown_as_fixed_and_is_no_stop_of_tab(is_required: bool) -> None:
    schema = objects(b={"type": "string"}, a={"const": "x", "default": "x"}, c={"type": "string"})
    async with hosted(schema | ({"required": ["a", "b", "c"]} if is_required else {})) as (pilot, app):
        app.row("b").focus_editor()
        before = app.form.value()
        await until(lambda: ("[x]  fixed" if is_required else " x   fixed") in screen_text(app))  # type: ignore[arg-type]
        await pilot.press("tab", *"hey")
        await until(lambda: app.form.value() == before | {"c": "hey"})


async def test_a_required_constant_that_loaded_json_lacks_can_be_chosen() -> None:
    async with hosted(objects(a={"const": "x"}) | {"required": ["a"]}) as (pilot, app):
        app.form.omit(("a",))
        app.editor.show_values()
        app.row("a").focus_editor()
        await pilot.press("space")
        assert app.form.value() == {"a": "x"}


async def test_an_optional_constant_without_a_default_is_a_choice() -> None:
    async with hosted(objects(a={"const": "x"})) as (pilot, app):
        app.row("a").focus_editor()
        await pilot.press("right")
        assert app.form.value() == {"a": "x"}
        await pilot.press("right")
        assert app.form.value() == {}


async def test_a_search_for_a_constant_goes_to_a_field_that_can_be_filled_in() -> None:
    schema = objects(a={"const": "x"}, b={"type": "string"}) | {"required": ["a", "b"]}
    async with hosted(schema) as (pilot, app):
        app.editor.view.focus_field(("a",))
        await pilot.press(*"hey")
        await until(lambda: app.form.value() == {"a": "x", "b": "hey"})


@pytest.mark.parametrize("is_required", [True, False])
async def test_a_search_that_matches_the_first_entry_chooses_it_also_when_the_list_is_left(is_required: bool) -> None:
    names = ["Frankfurt am Main, Germany", "Dublin in Ireland", "Sydney in Australia"]
    schema = objects(a={"enum": names}, b={"type": "string"}) | ({"required": ["a"]} if is_required else {})
    async with hosted(schema) as (pilot, app):
        app.query_one(Select).focus()
        await pilot.press("f", "tab")
        await until(lambda: app.form.value() == {"a": names[0]})
