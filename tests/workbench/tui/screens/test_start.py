"""The start screen, its prompts, and the input that it refuses."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from server_core.core import Core
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import CATALOG, FakeLink, open_fixed_workspace, opener
from tests.workbench.tui.working import terminal_on
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.dialogs import PromptScreen
from workbench.tui.screens.start import StartScreen, open_request, prompt_for
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

SIZE = (120, 40)

NOTHING: dict[str, Any] = {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [
        ("demo", "", StartChoice(demo=True)),
        ("new", "my_tools", StartChoice(project=Path("my_tools"))),
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


def test_a_new_project_is_created_before_its_prompt_closes_or_the_prompt_shows_why_not(tmp_path: Path) -> None:
    prompt = prompt_for("new")
    assert prompt is not None
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty").mkdir()
    assert "not an empty folder" in str(prompt.problem(str(tmp_path / "full")))
    assert "not an empty folder" in str(prompt.problem(str(tmp_path / "full" / "file")))
    assert "'none yet' is not a valid project name" in str(prompt.problem(str(tmp_path / "none yet")))
    assert prompt.problem(str(tmp_path / "empty")) is None
    assert prompt.problem(str(tmp_path / "not_yet_there")) is None
    assert (tmp_path / "not_yet_there" / "pyproject.toml").is_file()
    assert "File name too long" in str(prompt.problem("x" * 300))
    assert "cannot create the project in /proc/nope" in str(prompt.problem("/proc/nope"))
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
        async with app.run_test(size=(60, 15)) as pilot:
            await until(lambda: "a saved tool appears" in screen_text(app))
            assert "…" not in "".join(screen_text(app).splitlines()[3:])
            # No key of the pane behind acts here.
            await until(lambda: not screen_text(app).splitlines()[-1].strip())
            await pilot.press("s")
            await until(lambda: "help" in screen_text(app).splitlines()[-1])
            await app.workspace.core.refresh("catalog")
            await pilot.pause()
            assert not app.screen.is_modal
            await pilot.press("5")
            assert app.place == "problems"

    async def test_text_typed_at_once_with_the_key_of_a_choice_is_for_its_prompt(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)):
            await until(lambda: app.screen.is_modal)
            for key in "cnosdcmd":
                app.post_message(events.Key(key, key))
            await until(lambda: [line.value for line in app.screen.query(Input)] == ["nosdcmd"])
            assert isinstance(app.screen, PromptScreen)

    async def test_leaving_the_prompt_leads_back_to_the_choices(self) -> None:
        app = self.app([])
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: app.screen.is_modal)
            await pilot.press("c")
            await until(lambda: "Connect to a server" in screen_text(app) and "Welcome" not in screen_text(app))
            await pilot.press("escape")
            await until(lambda: "Welcome" in screen_text(app))


class TestServers:
    """The known servers on the start screen."""

    @pytest.fixture(autouse=True)
    def files(self) -> None:
        """The file of a client, in the home folder of these tests."""
        (Path.home() / ".cursor").mkdir()
        servers = {
            "tea": {"command": "npx", "args": ["-y", "tea-server"], "env": {"TEA_KEY": "k-123456"}},
            "kettle": {"url": "https://kettle.example/mcp", "headers": {"Authorization": "Bearer k-123456"}},
            "broken": {"command": 3},
        }
        (Path.home() / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=1))

    @asynccontextmanager
    async def shown(self, wanted: list[StartChoice | None]) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
        app = TestWithoutTools().app(wanted)
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: isinstance(app.screen, StartScreen) and "kettle" in screen_text(app))
            yield pilot, app

    async def test_they_are_listed_with_their_source_and_without_any_value(self) -> None:
        async with self.shown([]) as (pilot, app):
            text = screen_text(app)
            assert "npx -y tea-server" in text
            assert "https://kettle.example/mcp" in text
            assert "Cursor" in text
            assert "~/.cursor/mcp.json:3 · env TEA_KEY" in text
            await pilot.press("tab", "tab", "down")
            await until(lambda: "headers Authorization" in screen_text(app))
            assert "k-123456" not in screen_text(app)

    async def test_the_search_finds_a_server_and_enter_opens_it(self) -> None:
        wanted: list[StartChoice | None] = []
        async with self.shown(wanted) as (pilot, app):
            await pilot.press("slash", *"kttl", "enter")
            await until(lambda: len(wanted) == 2)
            choice = wanted[1]
            assert choice is not None
            assert choice.server is not None
            assert choice.server.url == "https://kettle.example/mcp"
            assert choice.server.headers == {"Authorization": "Bearer k-123456"}
            await until(lambda: not app.screen.is_modal)

    async def test_a_server_with_a_mistake_shows_it_with_its_line_and_is_not_opened(self) -> None:
        wanted: list[StartChoice | None] = []
        async with self.shown(wanted) as (pilot, app):
            await pilot.press("slash", *"broken", "enter")
            await until(lambda: "~/.cursor/mcp.json:19: command is not a text." in screen_text(app))
            assert len(wanted) == 1
            assert isinstance(app.screen, StartScreen)

    async def test_esc_leaves_the_search_first(self) -> None:
        async with self.shown([]) as (pilot, app):
            await pilot.press("slash", *"none of them")
            await until(lambda: "There is no match." in screen_text(app))
            await pilot.press("escape")
            await until(lambda: "kettle" in screen_text(app))
            await pilot.press("escape")
            await until(lambda: not app.screen.is_modal)

    async def test_a_letter_of_a_choice_is_text_in_the_search(self) -> None:
        async with self.shown([]) as (pilot, app):
            await pilot.press("slash", "d")
            assert isinstance(app.screen, StartScreen)
            await pilot.press("escape", "escape", "escape")

    @pytest.mark.parametrize("width", [60, 80, 120, 170, 240])
    async def test_they_are_shown_at_every_width(self, width: int) -> None:
        async with self.shown([]) as (pilot, app):
            await pilot.resize_terminal(width, 24)
            await until(lambda: all(part in screen_text(app) for part in ("tea", "npx", "Cursor", "Open the demo")))


class TestAnotherServer:
    """The start screen, opened by the user."""

    @asynccontextmanager
    async def shown(self, wanted: list[StartChoice | None]) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
        async def open_workspace(want: StartChoice | None = None) -> Workspace:
            wanted.append(want)
            link = FakeLink()
            link.info |= {"project": "demo" if want is None else want.url}
            return await open_fixed_workspace(link)

        app = WorkbenchApp(open_workspace, place="problems")
        async with app.run_test(size=SIZE) as pilot:
            await opened(pilot, "problems")
            await pilot.press("alt+s")
            await until(lambda: "Open another server" in screen_text(app))
            yield pilot, app

    async def test_another_server_takes_the_place_of_a_project_with_tools(self) -> None:
        wanted: list[StartChoice | None] = []
        async with self.shown(wanted) as (pilot, app):
            await pilot.press("c")
            await until(lambda: isinstance(app.screen, PromptScreen) and app.screen.query("Input"))
            await pilot.press(*"http://tea", "enter")
            await until(lambda: len(wanted) == 2)
            assert wanted[1] == StartChoice(url="http://tea")
            await until(lambda: app.workspace.core.info["project"] == "http://tea")

    async def test_a_notice_names_the_folder_of_a_new_project(self, tmp_path: Path) -> None:
        async with self.shown([]) as (pilot, app):
            await pilot.press("n")
            await until(lambda: isinstance(app.screen, PromptScreen) and app.screen.query("Input"))
            app.screen.query_one(Input).value = str(tmp_path / "shop")
            await pilot.press("enter")
            await until(lambda: f"Created {tmp_path / 'shop'}. Change a tool" in toasts(app))

    async def test_the_name_that_is_proposed_for_a_project_is_accepted_with_enter(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        async with self.shown([]) as (pilot, app):
            await pilot.press("n")
            await until(lambda: isinstance(app.screen, PromptScreen) and app.screen.query("Input"))
            await pilot.press("enter")
            await until(lambda: (tmp_path / "my_tools" / "pyproject.toml").exists())
            await until(lambda: "my_tools. Change a tool" in toasts(app))

    async def test_a_name_that_is_no_project_keeps_the_text_the_reason_and_the_present_server(self) -> None:
        wanted: list[StartChoice | None] = []
        async with self.shown(wanted) as (pilot, app):
            await pilot.press("n")
            await until(lambda: isinstance(app.screen, PromptScreen) and app.screen.query("Input"))
            await pilot.press(*"My Shop", "enter")
            await until(lambda: "'My Shop' is not a valid project name" in screen_text(app))
            assert app.screen.query_one(Input).value == "My Shop"
            assert (len(wanted), app.state) == (1, "ready")

    async def test_it_stays_open_while_tools_are_loaded_and_esc_closes_it(self) -> None:
        async with self.shown([]) as (pilot, app):
            app.workspace.core.refresh_soon("catalog")
            await pilot.pause()
            assert isinstance(app.screen, StartScreen)
            await pilot.press("escape")
            await until(lambda: not app.screen.is_modal)


def test_the_command_that_was_opened_can_be_corrected() -> None:
    prompt = prompt_for("connect", "nosuchcmd --x")
    assert prompt is not None
    assert prompt._value == "nosuchcmd --x"


async def test_a_folder_that_is_not_searched_opens_the_start_screen_and_has_a_problem_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tools.py").write_text("from server_core import tool\n\n\n@tool\ndef a() -> None: ...\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    async with terminal_on(Core(project=tmp_path, link=False), "problems") as (pilot, app):
        await until(lambda: isinstance(app.screen, StartScreen))
        await pilot.press("escape")
        await until(lambda: "Problems (1)" in screen_text(app))
        (problem,) = app.workspace.core.catalog["problems"]
        assert "is your home folder, and is not searched" in problem["message"]
