"""The keys of the screens, with the focus anywhere, and what the frame shows of them."""

import pytest
from textual.widgets import Button, Input

from server_core.runtime.background import spawn
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled, terminal
from tests.workbench.tui.fakes import FakeLink, conversation
from tests.workbench.tui.kitchen import SAMPLING, ask, kitchen_app, kitchen_link
from workbench.tui.actions import PLACES, find_action
from workbench.tui.screens.help import HelpLines
from workbench.tui.widgets.bar import Bar, Item
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.text import LineEditor


@pytest.mark.parametrize(("number", "place"), list(enumerate(PLACES, start=1)))
async def test_alt_and_a_digit_show_a_screen_while_the_user_types(number: int, place: str) -> None:
    async with terminal(FakeLink(), pane="inspector") as (pilot, app):
        await pilot.press("slash", "x", f"alt+{number}")
        await until(lambda: app.place == place)
        assert app.query_one("#filter", Input).value == "x"


async def test_a_digit_shows_a_screen_with_the_focus_on_a_button() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        app.query_one("#run", Button).focus()
        await pilot.press("4")
        await until(lambda: app.place == "secrets")


async def test_a_digit_shows_a_screen_with_the_focus_on_the_choice_of_the_view() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        app.screen.set_focus(app.query_one("#views > Segments"))
        await pilot.press("4")
        await until(lambda: app.place == "secrets")


@pytest.mark.parametrize("key", ["f6", "f7"])
async def test_a_text_area_leaves_the_function_keys_to_the_screens(key: str) -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await pilot.press("ctrl+t")
        area = app.query_one(JsonArea)
        await until(lambda: app.focused is area)
        area.move_cursor((0, 0))
        await pilot.press(key)
        await until(lambda: app.screen.is_modal or app.notices.log)
        assert area.selected_text == ""


async def test_a_key_selects_the_whole_text_of_a_text_area() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await pilot.press("ctrl+t")
        area = app.query_one(JsonArea)
        await until(lambda: app.focused is area)
        await pilot.press("alt+a")
        await until(lambda: area.selected_text == area.text)


def test_texts_name_the_key_of_a_screen_that_works_everywhere() -> None:
    for number, place in enumerate(PLACES, start=1):
        assert find_action(f"show_{place}").keys == f"alt+{number},{number}"


@pytest.mark.parametrize("place", PLACES)
async def test_the_narrowest_tabs_name_the_pane_in_front(place: str) -> None:
    async with terminal(FakeLink(), pane=place, size=(60, 20)) as (_, app):
        tabs = screen_text(app).splitlines()[1]
        assert PLACES[place] in tabs
        assert all(f" {number} " in f"{tabs} " for number in range(1, 7))


async def test_the_content_of_the_previous_pane_is_gone_while_the_next_one_is_created() -> None:
    async with terminal(FakeLink(conversation()), pane="sessions") as (pilot, app):
        await settled(pilot)
        assert app.pane is not None
        before = app.pane
        shown = spawn(app.show("inspector"), name="show the inspector")
        await until(lambda: app.place == "inspector")
        assert not before.display
        await shown


async def test_the_sides_of_a_bar_do_not_touch() -> None:
    async with terminal(FakeLink(), pane="sessions", size=(60, 20)) as (pilot, app):
        bar = app.query_one("#status", Bar)
        bar.show_items([Item("x" * 45, weight=3)], [Item("● rec", weight=5), Item("7 messages", weight=6)])
        await pilot.pause()
        assert screen_text(app).splitlines()[0] == f"{'x' * 45}          ● rec"
        bar.show_items([Item("x" * 55, weight=3)], [Item("● rec", weight=5), Item("7 messages", weight=6)])
        await pilot.pause()
        assert screen_text(app).splitlines()[0] == "x" * 55


async def test_the_footer_of_a_sampling_request_names_its_buttons() -> None:
    link = kitchen_link()
    async with terminal(link, pane="requests") as (pilot, app):
        ask(link, "q1", "sampling/createMessage", SAMPLING)
        await until(lambda: "^d refuse" in screen_text(app).splitlines()[-1])
        footer = screen_text(app).splitlines()[-1]
        assert "^j answer" in footer
        assert "dismiss" not in footer
        await pilot.press("alt+d")
        assert app.workspace.questions.waiting


async def test_the_help_lists_the_keys_of_the_focused_widget_first_and_that_more_rows_follow() -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=(120, 30)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await pilot.press("f1")
        await until(lambda: "This list" in screen_text(app))
        await pilot.press("escape", "enter")
        await until(lambda: isinstance(app.focused, LineEditor))
        await pilot.press("f1")
        await until(lambda: "more rows" in screen_text(app))
        text = screen_text(app)
        assert text.index("This field") < text.index("Omit this field") < text.index("Find a tool")
        assert text.count("Omit this field") == 1
        app.screen.query_one(HelpLines).action_last()
        await until(lambda: "esc closes" in screen_text(app))


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (200, 60)], ids=str)
async def test_the_help_is_searched_with_the_keys_of_all_screens_until_escape(size: tuple[int, int]) -> None:
    app = kitchen_app(kitchen_link())
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await pilot.press("question_mark")
        await until(lambda: "/ searches · esc closes" in screen_text(app))
        await pilot.press("slash", *"history")
        await until(lambda: "Show or hide past calls" in screen_text(app))
        assert "Find a tool" not in screen_text(app)
        await pilot.press("ctrl+u", *"NEWEST follow")
        await until(lambda: "Follow the newest message" in screen_text(app))
        assert "   f  " in screen_text(app)
        await pilot.press("ctrl+u", *"mouse scroll")
        await until(lambda: "Scroll what is under the mouse" in screen_text(app))
        await pilot.press("ctrl+u", *"theme gruvbox")
        await until(lambda: "There is no match. ^p finds:" in screen_text(app) and "Theme: gruvbox" in screen_text(app))
        await pilot.press(*"q?")
        await until(lambda: "There is no match. ^p finds screens" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: "esc closes" in screen_text(app))
        assert "There is no match." not in screen_text(app)
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal)
