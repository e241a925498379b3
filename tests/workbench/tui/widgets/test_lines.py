"""The virtual list: only visible rows are rendered, the cursor stays visible, the newest row is followed."""

from functools import partial

from textual.app import App, ComposeResult
from textual.strip import Strip

from tests.waiting import until
from workbench.tui.widgets.lines import Lines


class Numbers(Lines):
    """Numbered rows, and a note of which were rendered."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count
        self.rendered: set[int] = set()

    @property
    def line_count(self) -> int:
        return self.count

    def render_row(self, index: int, width: int, selected: bool) -> Strip:
        self.rendered.add(index)
        return self.paint([(f"row {index}", "")], selected)


class NumbersApp(App[None]):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.numbers = Numbers(count)
        self.messages: list[Lines.Highlighted] = []

    def compose(self) -> ComposeResult:
        yield self.numbers

    def on_lines_highlighted(self, message: Lines.Highlighted) -> None:
        self.messages.append(message)

    def on_lines_selected(self, message: Lines.Selected) -> None:
        self.messages.append(message)


def in_sight(app: NumbersApp) -> list[str]:
    return [strip.text.strip() for strip in app.screen._compositor.render_strips()]


def is_in_sight(app: NumbersApp, row: int) -> bool:
    return any(line.endswith(f"row {row}") for line in in_sight(app))


async def test_only_the_rows_in_sight_are_rendered() -> None:
    app = NumbersApp(1_000_000)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert app.numbers.rendered == set(range(10))
        await pilot.press("G")
        await until(lambda: max(app.numbers.rendered) == 999_999)
        assert len(app.numbers.rendered) <= 22


async def test_the_keys_move_the_cursor_and_keep_it_in_sight() -> None:
    app = NumbersApp(100)
    async with app.run_test(size=(40, 10)) as pilot:
        for key, row in (
            ("j", 1),
            ("down", 2),
            ("k", 1),
            ("pagedown", 10),
            ("pagedown", 19),
            ("pageup", 10),
            ("pageup", 1),
            ("G", 99),
            ("g", 0),
            ("end", 99),
            ("home", 0),
            ("up", 0),
        ):
            await pilot.press(key)
            assert app.numbers.cursor == row, key
            await until(partial(is_in_sight, app, row))


async def test_moving_and_opening_are_notified() -> None:
    app = NumbersApp(3)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("j", "enter")
        await until(lambda: len(app.messages) == 2)
        assert [type(message).__name__ for message in app.messages] == ["Highlighted", "Selected"]
        assert [message.index for message in app.messages] == [1, 1]
        assert app.messages[0].control is app.numbers


async def test_a_click_moves_and_a_second_click_opens() -> None:
    app = NumbersApp(3)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.click(Numbers, offset=(2, 2))
        assert app.numbers.cursor == 2
        await pilot.click(Numbers, offset=(2, 2))
        await until(lambda: any(type(message) is Lines.Selected for message in app.messages))
        await pilot.click(Numbers, offset=(2, 7))
        assert app.numbers.cursor == 2


async def test_a_list_that_follows_stays_with_the_last_row_until_the_cursor_moves_up() -> None:
    app = NumbersApp(5)
    async with app.run_test(size=(40, 10)) as pilot:
        app.numbers.is_following = True
        app.numbers.count = 500
        app.numbers.lines_changed()
        await pilot.pause()
        assert app.numbers.cursor == 499
        assert in_sight(app)[-1] == "row 499"
        await pilot.press("up")
        app.numbers.count = 600
        app.numbers.lines_changed()
        await pilot.pause()
        assert app.numbers.cursor == 498
        assert in_sight(app)[-1] == "row 499"


async def test_the_cursor_stays_inside_a_list_that_shrinks() -> None:
    app = NumbersApp(50)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("G")
        app.numbers.count = 3
        app.numbers.lines_changed()
        await pilot.pause()
        assert app.numbers.cursor == 2
        assert in_sight(app)[:3] == ["row 0", "row 1", "row 2"]
        app.numbers.count = 0
        app.numbers.lines_changed()
        await pilot.press("down", "enter")
        assert app.numbers.cursor == 0


async def test_a_smaller_terminal_keeps_the_cursor_in_sight() -> None:
    app = NumbersApp(50)
    async with app.run_test(size=(40, 30)) as pilot:
        app.numbers.move_to(25)
        await pilot.resize_terminal(40, 8)
        await pilot.pause()
        assert "row 25" in in_sight(app)
