"""The command log: what the user has done, as commands to copy."""

from pathlib import Path

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, terminal
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import choose, fill, tools
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.command_log import CommandLogScreen
from workbench.tui.screens.dialogs import PromptScreen


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def logged(app: WorkbenchApp) -> list[str]:
    return [command.text for command in app.commands.commands]


async def test_a_call_is_a_command_that_is_copied(tmp_path: Path) -> None:
    link = kitchen_link()
    link.info["project"] = str(tmp_path)
    link.server.replies["tools/call"] = text_result("Hello!")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: "Hello!" in screen_text(app))
        await pilot.press("alt+c")
        await until(lambda: isinstance(app.screen, CommandLogScreen) and "workbench call greet" in screen_text(app))
        await pilot.press("y")
        assert app.clipboard == "workbench call greet name=Ada"
        await pilot.press("alt+c")
        await until(lambda: not app.screen.is_modal)


async def test_a_saved_call_is_a_command_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "workbench.yaml").write_text("calls:\n  hello Ada:\n    tool: greet\n    arguments: {name: Ada}\n")
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello!")
    async with tools(link) as (pilot, app):
        await until(lambda: app.saved_calls)
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: "Hello!" in screen_text(app))
        assert logged(app) == ["workbench call --saved 'hello Ada' --project demo"]


async def test_a_command_has_no_secret_values() -> None:
    async with terminal(FakeLink(), pane="secrets") as (pilot, app):
        await pilot.press("G", "s")
        await until(lambda: isinstance(app.screen, PromptScreen))
        await pilot.press(*"s3cret", "enter")
        await until(lambda: logged(app) == ["workbench secret set SUPPLIER_KEY --project demo"])


async def test_an_empty_log_explains_itself() -> None:
    async with terminal(FakeLink(), pane="sessions") as (pilot, app):
        await pilot.press("alt+c")
        await until(lambda: "Nothing that you have done yet has a command" in screen_text(app))
        await pilot.press("y", "escape")
        await until(lambda: not app.screen.is_modal)
