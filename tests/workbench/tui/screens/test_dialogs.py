"""Dialogs close once: keys typed ahead of them close nothing else."""

import pytest
from textual.events import Click, MouseDown
from textual.geometry import Offset, Region
from textual.widgets import Input, Static

from server_core.protocol.methods import LOG_LEVELS
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import FakeLink, opener
from workbench.tui.app import WorkbenchApp
from workbench.tui.palette import Palette
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.tui.screens.session_dialogs import log_level_screen
from workbench.tui.widgets.steady import Commands

NOTHING_TO_DO = "No restart is needed"
"""The message of f5, which shows that keys are handled."""

CHOICES = (Choice("a", "a", "A"), Choice("b", "b", "B"))


def app_on_nothing() -> WorkbenchApp:
    return WorkbenchApp(opener(FakeLink()), place="problems")


async def test_a_dialog_accepts_the_first_of_two_keys_that_answer_it() -> None:
    app, answers = app_on_nothing(), list[str | None]()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        dialog = ChoiceScreen("Which?", "One.", CHOICES)
        await app.push_screen(dialog, answers.append)
        dialog.dismiss("a")
        dialog.dismiss("b")
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert answers == ["a"]
        assert len(app.screen_stack) == 1


async def test_a_dialog_behind_another_is_closed_after_it_and_with_its_own_answer() -> None:
    app, answers = app_on_nothing(), list[str | None]()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        below, above = ChoiceScreen("Which?", "One.", CHOICES), PromptScreen("What?", "Text.")
        await app.push_screen(below, answers.append)
        await app.push_screen(above, answers.append)
        below.dismiss("b")
        await pilot.pause()
        assert app.screen is above
        assert answers == []
        above.query_one(Input).value = "tea"
        await pilot.press("enter")
        await until(lambda: len(app.screen_stack) == 1)
        assert answers == ["tea", "b"]


async def test_the_palette_closes_once_and_accepts_keys_before_it_is_mounted() -> None:
    app = app_on_nothing()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        app.action_palette()
        app.action_palette()
        await until(lambda: isinstance(app.screen, Palette))
        palette = app.screen
        assert isinstance(palette, Palette)
        palette._action_command_list("page_up")
        palette.call_later(setattr, palette, "_list_visible", True)
        palette._action_escape()
        palette._action_escape()
        palette._gather_commands("tea")
        await until(lambda: len(app.screen_stack) == 1)
        await pilot.press("f5")
        await until(lambda: NOTHING_TO_DO in toasts(app))


async def test_the_palette_opens_again_while_the_previous_palette_closes() -> None:
    app = app_on_nothing()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        for _ in range(3):
            app.action_palette()
            await until(lambda: isinstance(app.screen, Palette) and app.screen.query(Commands))
            app.screen.dismiss()
        app.action_palette()
        await until(lambda: isinstance(app.screen, Palette) and app.screen.query(Commands))
        assert len(app.screen_stack) == 2


async def test_all_choices_of_a_dialog_are_seen_in_the_smallest_terminal() -> None:
    app = app_on_nothing()
    async with app.run_test(size=(60, 15)) as pilot:
        await opened(pilot, "problems")
        app.push_screen(log_level_screen("error"))
        await until(lambda: all(f" {level} " in screen_text(app) for level in LOG_LEVELS))


async def test_a_click_beyond_a_terminal_that_has_become_smaller_closes_no_palette() -> None:
    app = app_on_nothing()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        app.action_palette()
        await until(lambda: isinstance(app.screen, Palette))
        palette = app.screen
        palette.post_message(Click(palette, 300, 90, 0, 0, 1, False, False, False, 300, 90))
        await pilot.pause()
        assert app.screen is palette


async def test_the_themes_are_listed_in_a_palette_that_closes_once_too() -> None:
    app = app_on_nothing()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        app.action_change_theme()
        await until(lambda: isinstance(app.screen, Palette) and app.screen.query(Commands))
        themes = app.screen
        themes.dismiss()
        themes.dismiss()
        await until(lambda: len(app.screen_stack) == 1)


async def test_a_click_on_a_widget_that_was_just_removed_has_no_effect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, removed = app_on_nothing(), Static()
    async with app.run_test() as pilot:
        await opened(pilot, "problems")
        with monkeypatch.context() as painted:
            painted.setattr(app.screen, "get_widget_at", lambda x, y: (removed, Region(0, 0, 9, 9)))
            painted.setattr(app.screen, "get_widget_and_offset_at", lambda x, y: (removed, Offset(0, 0)))
            app.post_message(MouseDown(None, 3, 3, 0, 0, 1, False, False, False, 3, 3))
            await pilot.pause()
        await pilot.press("f5")
        await until(lambda: NOTHING_TO_DO in toasts(app))
