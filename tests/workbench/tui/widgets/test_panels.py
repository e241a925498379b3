"""Panels: frames, focus, the line between the columns, and narrow terminals."""

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, terminal
from tests.workbench.tui.fakes import ACCOUNTS, FakeLink
from workbench.tui.widgets.column_list import Table
from workbench.tui.widgets.panels import DetailPanel, Panels


def with_accounts() -> FakeLink:
    link = FakeLink()
    link.answers["accounts/list"] = {"accounts": ACCOUNTS}
    return link


async def test_details_are_beside_their_list_or_below_it_in_a_narrow_terminal() -> None:
    async with terminal(with_accounts(), pane="secrets", size=(120, 40)) as (pilot, app):
        await until(lambda: "Accounts · " in screen_text(app))
        rows, detail = app.query_one("#secret-list"), app.query_one("#secret")
        assert rows.region.y == detail.region.y
        await pilot.resize_terminal(80, 24)
        await until(lambda: detail.region.y >= rows.region.bottom > rows.region.y)


async def test_one_panel_has_all_room_and_the_line_between_the_columns_moves() -> None:
    async with terminal(with_accounts(), pane="secrets", size=(120, 40)) as (pilot, app):
        await until(lambda: "Accounts · " in screen_text(app))
        panels, rows = app.query_one(Panels), app.query_one("#secret-list")
        before = rows.size.width
        await pilot.press("alt+left")
        await until(lambda: rows.size.width == before - 4)
        await pilot.press("ctrl+f")
        await until(lambda: rows.size.width > 110)
        await pilot.press("tab")
        await until(lambda: panels.is_maximised and rows.size.width > 110)
        await pilot.press("ctrl+f")
        await until(lambda: rows.size.width == before - 4)


async def test_a_detail_has_the_focus_only_if_it_scrolls() -> None:
    async with terminal(FakeLink(), pane="problems", size=(120, 40)) as (pilot, app):
        await until(lambda: "Last load" in screen_text(app))
        await pilot.press("tab")
        assert isinstance(app.focused, Table)
        await pilot.resize_terminal(60, 15)
        load = app.query_one("#load", DetailPanel)
        await until(lambda: load.max_scroll_y > 0)
        for _ in range(3):
            await pilot.press("tab")
            if app.focused is load:
                break
        await pilot.press("j")
        await until(lambda: load.scroll_y > 0)


async def test_a_narrow_table_leaves_out_its_last_columns() -> None:
    async with terminal(FakeLink(), pane="sessions", size=(60, 24)) as (pilot, app):
        await until(lambda: "claude-code 3.0.1" in screen_text(app))
        assert "in flight" not in screen_text(app)
        await pilot.resize_terminal(170, 24)
        await until(lambda: "in flight" in screen_text(app))


def test_panels_that_are_gone_have_no_widths() -> None:
    panels = Panels()
    panels.set_shares({"left": 1, "right": 2})
    assert panels.shares == {"left": 1, "right": 2}
