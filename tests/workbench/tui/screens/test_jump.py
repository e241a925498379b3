"""Letters on the parts in view, which move the focus."""

from typing import Any

from textual.app import App
from textual.widget import Widget
from textual.widgets import Button, Static

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text
from tests.workbench.tui.kitchen import kitchen_app, kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import run, tools
from workbench.tui.screens.jump import JumpScreen
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.tui.widgets.outcome_tabs import OutcomeTabs


async def test_the_letter_of_a_part_moves_the_focus_there() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: any(editor.region for editor in app.query(LineEditor)))
        await pilot.press("ctrl+o")
        await until(lambda: isinstance(app.screen, JumpScreen) and app.screen.query(Static))
        await until(lambda: " d " in screen_text(app))
        labels = {str(label.render()).strip(): label.region.offset for label in app.screen.query(Static)}
        editor = app.screen_stack[0].query(LineEditor).first()
        letter = next(key for key, offset in labels.items() if offset == editor.region.offset)
        await pilot.press(letter)
        await until(lambda: app.focused is editor)
        await pilot.press("ctrl+o", "a")
        await until(lambda: isinstance(app.focused, OfferTree))


async def test_a_digit_shows_a_screen_and_escape_or_another_size_leaves_the_letters() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        focused = app.focused
        await pilot.press("ctrl+o")
        await until(lambda: isinstance(app.screen, JumpScreen))
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, JumpScreen))
        await pilot.press("ctrl+o")
        await until(lambda: isinstance(app.screen, JumpScreen) and app.screen.is_mounted)
        await pilot.resize_terminal(80, 24)
        await until(lambda: not isinstance(app.screen, JumpScreen))
        assert app.focused is focused
        await pilot.press("ctrl+o", "5")
        await until(lambda: app.place == "problems")


async def test_a_part_that_is_not_laid_out_yet_has_no_letter() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        button = Button("new")
        app.screen.mount(button)
        assert button in app.screen.focus_chain
        jump = JumpScreen(app.screen)
        assert button not in [part for part, _ in jump._targets.values()]


def letters_at(app: App[Any], widget: Widget) -> list[str]:
    """The letters on a widget, from left to right."""
    labels = [label for label in app.screen.query(Static) if widget.region.contains_point(label.region.offset)]
    return [str(label.render()).strip() for label in sorted(labels, key=lambda label: label.region.x)]


async def test_each_view_of_the_form_has_its_letter() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        views = app.query_one("#views Segments", Segments)
        await until(lambda: views.region)
        await pilot.press("ctrl+o")
        await until(lambda: isinstance(app.screen, JumpScreen) and len(letters_at(app, views)) == 3)
        await pilot.press(letters_at(app, views)[1])
        await until(lambda: views.chosen == "json")


async def test_each_view_of_the_result_has_its_letter() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await run(pilot, app, "ping", "pong")
        tabs = app.query_one(OutcomeTabs)
        await until(lambda: tabs.region and len(list(tabs.clicks)) == 4)
        await pilot.press("ctrl+o")
        await until(lambda: isinstance(app.screen, JumpScreen) and len(letters_at(app, tabs)) == 4)
        await pilot.press(letters_at(app, tabs)[2])
        await until(lambda: app.query_one("#view-raw").display)
