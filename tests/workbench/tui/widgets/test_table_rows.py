"""Lists of objects as tables in a view, and Markdown rendered."""

import json

import pytest
from textual.app import App, ComposeResult

from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.sections import Section
from workbench.tui.widgets.table_rows import fitting

ROWS = json.dumps([{"name": "Ada", "n": 1}, {"name": "Lisa", "n": 22}]).encode()


class ResultApp(App[None]):
    def compose(self) -> ComposeResult:
        yield ResultView()

    def shown(self) -> list[str]:
        return [strip.text.strip() for strip in self.screen._compositor.render_strips()]


async def test_a_list_of_objects_is_a_table_and_a_key_switches_to_json() -> None:
    app = ResultApp()
    async with app.run_test(size=(40, 12)) as pilot:
        view = app.query_one(ResultView)
        view.show(Section("", JsonDocument(ROWS)))
        view.focus()
        await pilot.press("j", "j")
        assert app.shown()[:3] == ["name   n", "Ada    1", "Lisa  22"]
        assert view.path == "$[1]"
        await pilot.press("t")
        assert app.shown()[0] == "["
        assert view.path == "$[1]"
        await pilot.press("t")
        assert app.shown()[2] == "Lisa  22"


async def test_whole_values_are_copied_from_the_cells_that_a_selection_touches() -> None:
    app = ResultApp()
    rows = [{"street": f"Street {number} of a long name", "tags": ["a"] * 30, "n": number} for number in range(3)]
    async with app.run_test(size=(40, 12)) as pilot:
        view = app.query_one(ResultView)
        view.show(Section("", JsonDocument(json.dumps(rows).encode())))
        await pilot.pause()
        assert "…" in app.shown()[1]
        await pilot.mouse_down(ResultView, offset=(4, 1))
        await pilot.hover(ResultView, offset=(8, 1))
        await pilot.mouse_up(ResultView, offset=(8, 1))
        await pilot.press("ctrl+c")
        assert app.clipboard == "Street 0 of a long name"
        app.screen.text_select_all()
        await pilot.press("ctrl+c")
        assert app.clipboard.splitlines()[:2] == [
            "street\ttags\tn",
            f"Street 0 of a long name\t{json.dumps(['a'] * 30)}\t0",
        ]


async def test_a_match_in_a_table_is_found() -> None:
    app = ResultApp()
    async with app.run_test(size=(40, 12)) as pilot:
        view = app.query_one(ResultView)
        view.show(Section("", JsonDocument(ROWS)))
        view.focus()
        await pilot.press("/", "2", "2", "enter")
        assert view.path == "$[1]"


async def test_markdown_is_rendered_and_a_key_switches_to_its_source() -> None:
    app = ResultApp()
    text = "# Menu\n\nThe **soup** of the day\n\n- one\n- two\x1b[2J"
    async with app.run_test(size=(40, 12)) as pilot:
        view = app.query_one(ResultView)
        view.show(Section("text", JsonDocument(text.encode()), item={"type": "text", "text": text}))
        view.focus()
        await pilot.pause()
        shown = "\n".join(app.shown())
        assert "Menu" in shown
        assert "The soup of the day" in shown
        assert "two\\x1b[2J" in shown
        await pilot.press("/", *"two", "enter")
        assert "1 of 1" in app.shown()[-1]
        await pilot.press("escape", "t")
        assert "The **soup** of the day" in app.shown()


@pytest.mark.parametrize(
    ("widths", "room", "fitted"),
    [
        ([3, 4], 20, [3, 4]),
        ([3, 40], 20, [3, 15]),
        ([30, 40, 5], 31, [11, 11, 5]),
        ([50] * 10, 40, [6, 6, 6, 6, 6][:5]),
        ([100], 200, [60]),
    ],
)
def test_long_columns_are_cut_first_and_columns_without_room_are_left_out(
    widths: list[int], room: int, fitted: list[int]
) -> None:
    assert fitting(widths, room) == fitted
