"""The columns of a pane: the frame of the one with the focus, the lines between them, and one with all room."""

from pathlib import Path

from textual.widget import Widget

from server_core.protocol.revisions import LATEST_STATELESS
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled, terminal, toasts
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import kitchen_app, kitchen_link
from tests.workbench.tui.working import working
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.wire_list import WireList


def column(app: WorkbenchApp, name: str) -> Widget:
    return app.query_one(f"#{name}")


def framed(app: WorkbenchApp) -> list[str | None]:
    return [each.id for each in app.query_one(Columns).children if each.styles.border_top[0] == "heavy"]


async def test_the_column_with_the_focus_is_framed() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(160, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await until(lambda: framed(app) == ["offers"])
        await pilot.press("enter")
        await until(lambda: framed(app) == ["form"])
        assert "━ Form" in screen_text(app)
        assert "─ Result" in screen_text(app)


async def test_a_key_gives_the_column_with_the_focus_all_room_and_takes_it_back() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(160, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await pilot.press("enter")
        await until(lambda: isinstance(app.focused, LineEditor))
        await pilot.press("ctrl+f")
        await until(lambda: column(app, "form").outer_size.width == 160)
        assert not column(app, "offers").display
        await pilot.press("escape")
        await until(lambda: column(app, "offers").outer_size.width == 160)
        assert app.focused is not None
        assert column(app, "offers") in app.focused.ancestors
        await pilot.press("ctrl+f")
        await until(lambda: column(app, "form").display and column(app, "outcome").display)


async def test_the_lines_between_columns_are_moved_by_keys_and_by_the_mouse() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(160, 40)) as pilot:
        await opened(pilot)
        await until(lambda: column(app, "form").outer_size.width)
        before = column(app, "offers").outer_size.width
        await pilot.press("alt+right")
        await until(lambda: column(app, "offers").outer_size.width == before + 4)
        await pilot.press("alt+left")
        await until(lambda: column(app, "offers").outer_size.width == before)
        await pilot.mouse_down("#body", offset=(before, 10))
        await pilot.hover("#body", offset=(before + 10, 10))
        await pilot.mouse_up("#body", offset=(before + 10, 10))
        await until(lambda: column(app, "offers").outer_size.width == before + 10)
        # The right border of the left column moves the line, too.
        await pilot.mouse_down("#body", offset=(before + 9, 10))
        await pilot.hover("#body", offset=(before + 4, 10))
        await pilot.mouse_up("#body", offset=(before + 4, 10))
        await until(lambda: column(app, "offers").outer_size.width == before + 5)
        # A column that disappears while a line is dragged, as that of a question does.
        await pilot.mouse_down("#body", offset=(before + 5, 10))
        column(app, "outcome").display = False
        await pilot.hover("#body", offset=(before, 10))
        column(app, "outcome").display = True
        await pilot.mouse_up("#body", offset=(before, 10))
        assert column(app, "offers").outer_size.width >= before
        await pilot.press(*["alt+right"] * 40)
        await until(lambda: column(app, "form").outer_size.width == 20)
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert all(each.outer_size.width >= 10 for each in app.query_one(Columns).children if each.display)


async def test_the_list_is_wider_in_a_wide_terminal() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(180, 40)) as pilot:
        await opened(pilot)
        await until(lambda: column(app, "offers").outer_size.width == 44)
        await pilot.resize_terminal(240, 60)
        await until(lambda: column(app, "offers").outer_size.width == 60)


async def test_a_very_wide_terminal_shows_the_messages_of_the_call_in_view(project: Path) -> None:
    async with working(project, "tools", LATEST_STATELESS) as (pilot, app):
        await pilot.resize_terminal(200, 40)
        await until(lambda: column(app, "wire").outer_size.width == 60)
        pane = app.pane
        assert pane is not None
        pane.open_item("add")
        await until(lambda: app.query(LineEditor))
        await pilot.press("2", "enter", "3", "ctrl+j")
        await until(lambda: app.query_one(WireList).line_count == 2)
        app.query_one(WireList).focus()
        await until(lambda: framed(app) == ["wire"])
        # The keys that unfold and fold calls in the Inspector do nothing to the messages of one call.
        await pilot.press("down", "space", "left", "right")
        assert app.query_one(WireList).line_count == 2
        await pilot.press("escape")
        await until(lambda: framed(app) == ["outcome"])
        app.query_one(WireList).focus()
        await pilot.press("enter")
        await until(lambda: app.place == "inspector")
        await settled(pilot)


async def test_a_column_that_opens_after_a_line_was_moved_gets_as_much_room_as_the_others(project: Path) -> None:
    async with working(project, "tools", LATEST_STATELESS) as (pilot, app):
        await until(lambda: column(app, "outcome").outer_size.width > 20)
        await pilot.press("alt+right", "alt+left")
        app.workspace.call("choose_dessert", {})
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("ctrl+g")
        await until(lambda: column(app, "question").outer_size.width > 25)
        assert min(column(app, name).outer_size.width for name in ("offers", "form")) > 25


async def test_a_screen_without_columns_reports_it() -> None:
    async with terminal(FakeLink(), pane="sessions") as (pilot, app):
        await pilot.press("ctrl+f")
        assert "no columns side by side" in toasts(app)
