"""A row of items: the items left out first when it is narrow, and the action of a click."""

from textual.app import App, ComposeResult

from workbench.tui.widgets.bar import Bar, Item


class BarApp(App[None]):
    clicked = ""

    def compose(self) -> ComposeResult:
        yield Bar()

    def action_note(self, text: str) -> None:
        self.clicked += text


def text(app: BarApp) -> str:
    return app.screen._compositor.render_strips()[0].text


async def test_items_are_at_the_left_and_at_the_right() -> None:
    app = BarApp()
    async with app.run_test(size=(30, 3)) as pilot:
        app.query_one(Bar).show_items([Item("left")], [Item("right")])
        await pilot.pause()
        assert text(app) == "left" + " " * 21 + "right"


async def test_when_it_is_too_narrow_the_heaviest_items_go_first() -> None:
    app = BarApp()
    async with app.run_test(size=(12, 3)) as pilot:
        app.query_one(Bar).show_items([Item("stays"), Item(" light", weight=1)], [Item("heavy", weight=9)])
        await pilot.pause()
        assert text(app) == "stays light "


async def test_items_that_must_stay_are_cut() -> None:
    app = BarApp()
    async with app.run_test(size=(6, 3)) as pilot:
        app.query_one(Bar).show_items([Item("too long by far")])
        await pilot.pause()
        assert text(app) == "too lo"


async def test_a_click_runs_the_action_of_the_item() -> None:
    app = BarApp()
    async with app.run_test(size=(30, 3)) as pilot:
        app.query_one(Bar).show_items(
            [Item("one", click="app.note('a')"), Item("two")], [Item("x", click="app.note('b')")]
        )
        await pilot.click(Bar, offset=(1, 0))
        await pilot.click(Bar, offset=(4, 0))
        await pilot.click(Bar, offset=(29, 0))
        assert app.clicked == "ab"


async def test_control_characters_in_an_item_are_escaped() -> None:
    app = BarApp()
    async with app.run_test(size=(30, 3)) as pilot:
        app.query_one(Bar).show_items([Item("bad\x1b]0;name\x07")])
        await pilot.pause()
        assert text(app).startswith("bad\\x1b]0;name\\x07")
