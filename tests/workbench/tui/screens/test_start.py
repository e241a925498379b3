"""The start screen, its prompts, and the input that it refuses."""

from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text
from tests.workbench.tui.fakes import CATALOG, FakeLink, open_fixed_workspace, opener
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.start import open_request, prompt_for
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

SIZE = (120, 40)

NOTHING: dict[str, Any] = {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [
        ("demo", "", StartChoice(demo=True)),
        ("new", "my_tools", StartChoice(new=Path("my_tools"))),
        ("connect", "http://127.0.0.1:8000/mcp", StartChoice(url="http://127.0.0.1:8000/mcp")),
        ("connect", "npx -y 'a server'", StartChoice(command=("npx", "-y", "a server"))),
        ("stay", "", None),
    ],
)
def test_a_choice_becomes_a_request_for_a_workspace(choice: str, text: str, expected: StartChoice | None) -> None:
    assert open_request(choice, text) == expected


def test_only_choices_that_need_a_text_have_an_input() -> None:
    assert prompt_for("demo") is None
    assert prompt_for("stay") is None
    assert prompt_for("new") is not None
    assert prompt_for("connect") is not None


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    prompt = prompt_for("new")
    assert prompt is not None
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty").mkdir()
    assert "not empty" in str(prompt.problem(str(tmp_path / "full")))
    assert "not empty" in str(prompt.problem(str(tmp_path / "full" / "file")))
    assert prompt.problem(str(tmp_path / "empty")) is None
    assert prompt.problem(str(tmp_path / "none yet")) is None
    assert prompt.problem("  ") is not None


def test_a_command_that_cannot_be_split_is_refused() -> None:
    prompt = prompt_for("connect")
    assert prompt is not None
    assert "not a command line" in str(prompt.problem("run 'this"))
    assert prompt.problem("run this") is None
    assert prompt.problem("") is not None


class TestWithoutTools:
    """The start screen."""

    def app(self, wanted: list[StartChoice | None]) -> WorkbenchApp:
        async def open_workspace(want: StartChoice | None = None) -> Workspace:
            wanted.append(want)
            link = FakeLink()
            if want is None:
                link.answers["catalog/get"] = {**CATALOG, **NOTHING}
                link.info["project"] = "/home/ada/empty"
            return await open_fixed_workspace(link)

        return WorkbenchApp(open_workspace, place="inspector")

    async def test_it_shows_that_there_are_none_and_the_choices(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.pause()
            text = screen_text(app)
            for part in ("no tools in /home/ada/empty", "Open the demo", "Create a project", "Connect to a server"):
                assert part in text

    async def test_it_opens_also_where_the_folder_is_loaded_after_the_terminal_has_opened(self) -> None:
        link = FakeLink()
        link.answers["catalog/get"] = {**CATALOG, **NOTHING, "generation": 0}
        app = WorkbenchApp(opener(link), place="inspector")
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(pilot, "inspector")
            assert not app.screen.is_modal
            link.answers["catalog/get"] = {**CATALOG, **NOTHING}
            await app.workspace.core.refresh("catalog")
            await until(lambda: "Welcome" in screen_text(app))

    async def test_a_key_opens_the_demo(self) -> None:
        wanted: list[StartChoice | None] = []
        app = self.app(wanted)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("d")
            await until(lambda: len(wanted) == 2)
            assert wanted[1] == StartChoice(demo=True)
            await until(lambda: app.state == "ready")
            await pilot.pause()
            assert not app.screen.is_modal

    async def test_staying_shows_the_empty_panes_without_another_dialog(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("s")
            await app.workspace.core.refresh("catalog")
            await pilot.pause()
            assert not app.screen.is_modal
            await pilot.press("5")
            assert app.place == "problems"

    async def test_leaving_the_prompt_leads_back_to_the_choices(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("c")
            await until(lambda: "Connect to a server" in screen_text(app) and "Welcome" not in screen_text(app))
            await pilot.press("escape")
            await until(lambda: "Welcome" in screen_text(app))
