"""What a user does with the sections of a result: tables, their rows, and the keys that are shown."""

from typing import Any

from textual.app import App, ComposeResult

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from workbench.model.catalog import OfferKind
from workbench.model.history import CallRun
from workbench.tui.widgets.result import ResultView


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield ResultView()

    @property
    def view(self) -> ResultView:
        return self.query_one(ResultView)

    def show(self, result: dict[str, Any]) -> None:
        run = CallRun(1, "list", {}, 0.0)
        run.finish(result, 1.0)
        self.view.show_run(OfferKind.TOOL, run)
        self.view.focus()

    def lines(self) -> list[str]:
        return [line.strip() for line in screen_text(self).split("\n")]  # type: ignore[arg-type]


ROWS = {"structuredContent": {"result": [{"id": number, "name": f"n{number}"} for number in range(200)]}}
MARKDOWN = {"content": [{"type": "text", "text": "# Soup\n\n- lentil\n- leek\n\n**good**"}]}


async def test_the_heading_of_a_table_stays_while_its_rows_scroll() -> None:
    async with (app := Host()).run_test(size=(60, 10)) as pilot:
        app.show(ROWS)
        await pilot.press("G")
        await until(lambda: app.lines()[-1].startswith("199"))
        assert app.lines()[0].split() == ["id", "name"]
        await pilot.press(*["k"] * 20)
        await until(lambda: app.view.cursor == 181)
        await until(lambda: any(line.startswith("179") for line in app.lines()))


async def test_columns_are_as_wide_as_their_last_rows() -> None:
    async with (app := Host()).run_test(size=(60, 10)) as pilot:
        app.show({"structuredContent": [{"id": number, "n": "x"} for number in range(0, 5_000_000, 10_000)]})
        await pilot.press("G")
        await until(lambda: app.lines()[-1].startswith("4990000"))


async def test_enter_shows_a_row_of_a_table_as_json_and_a_key_leads_back() -> None:
    async with (app := Host()).run_test(size=(60, 20)) as pilot:
        app.show(ROWS)
        await pilot.press("j", "j", "j", "enter")
        await until(lambda: app.view.path.endswith("result[1]"))
        assert "t table" in app.lines()[0]
        await pilot.press("t")
        await until(lambda: app.lines()[1].split() == ["id", "name"])


async def test_a_click_only_selects_a_row_of_a_table() -> None:
    async with (app := Host()).run_test(size=(60, 20)) as pilot:
        app.show(ROWS)
        await until(lambda: app.lines()[1].split() == ["id", "name"])
        await pilot.click(ResultView, offset=(2, 4))
        await until(lambda: app.view.cursor == 4)
        await pilot.click(ResultView, offset=(2, 4))
        await pilot.pause()
        assert app.lines()[1].split() == ["id", "name"]


async def test_the_view_of_a_section_stays_after_a_resize() -> None:
    async with (app := Host()).run_test(size=(60, 20)) as pilot:
        app.show(MARKDOWN)
        await until(lambda: "• lentil" in screen_text(app))  # type: ignore[arg-type]
        await pilot.press("t")
        await until(lambda: "- lentil" in app.lines())
        await pilot.resize_terminal(50, 20)
        await until(lambda: app.size.width == 50)
        await pilot.pause()
        assert "- lentil" in app.lines()


async def test_the_heading_under_the_cursor_has_the_keys_of_its_section() -> None:
    async with (app := Host()).run_test(size=(60, 20)) as pilot:
        app.show({**MARKDOWN, "structuredContent": {"n": 1}})
        await until(lambda: app.lines()[0].split() == ["text", "t", "source", "y", "copy", "s", "save"])
        assert sum("y copy" in line for line in app.lines()) == 1
        await pilot.press("G")
        await until(lambda: any(line.startswith("structured content  ") and "y copy" in line for line in app.lines()))
        assert app.lines()[0] == "text"
        await pilot.resize_terminal(20, 20)
        await until(lambda: not any("s save" in line for line in app.lines()))
