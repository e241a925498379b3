"""The terminal on a real core whose files change, and whose tools come later."""

from pathlib import Path

from textual.widgets import Input

from server_core.core import Core
from server_core.protocol.revisions import Revision
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled
from tests.workbench.tui.working import in_both_eras, terminal_on, working


async def test_a_folder_without_tools_is_shown_behind_the_start_screen_and_shows_tools_that_come(
    tmp_path: Path,
) -> None:
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (pilot, app):
        await until(lambda: "Welcome" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: "Welcome" not in screen_text(app) and "Starting the core" not in screen_text(app))
        (tmp_path / "tools.py").write_text(GREET)
        await until(lambda: "greet" in screen_text(app))


async def test_the_start_screen_closes_by_itself_when_tools_come(tmp_path: Path) -> None:
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (_, app):
        await until(lambda: "Welcome" in screen_text(app))
        (tmp_path / "tools.py").write_text(GREET)
        await until(lambda: not app.screen.is_modal)
        await until(lambda: "greet" in screen_text(app))


async def test_new_tools_close_no_prompt_that_the_user_types_into(tmp_path: Path) -> None:
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (pilot, app):
        await until(lambda: "Welcome" in screen_text(app))
        await pilot.press("c")
        await until(lambda: isinstance(app.focused, Input))
        await pilot.press("h", "t")
        (tmp_path / "tools.py").write_text(GREET)
        await until(lambda: app.tools)
        await pilot.pause()
        assert isinstance(app.focused, Input)
        assert app.focused.value == "ht"
        await pilot.press("escape")
        # The start screen is no longer needed.
        await until(lambda: not app.screen.is_modal)
        await until(lambda: "greet" in screen_text(app))


async def test_no_start_screen_opens_once_there_were_tools(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(GREET)
    async with terminal_on(Core(project=tmp_path, reload=True, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        (tmp_path / "tools.py").unlink()
        await until(lambda: not app.tools)
        await settled(pilot)
        assert "Welcome" not in screen_text(app)


GREET = "from server_core import tool\n\n\n@tool\ndef greet(name: str) -> str:\n    return name\n"


@in_both_eras
async def test_a_save_changes_the_tools_and_a_mistake_keeps_them(project: Path, revision: Revision) -> None:
    async with working(project, "problems", revision) as (_, app):
        file = project / "tools" / "basics.py"
        source = file.read_text()
        file.write_text(f'{source}\n\n@tool\ndef shout(text: str) -> str:\n    """Shout."""\n    return text.upper()\n')
        await until(lambda: "+ tools added: shout" in screen_text(app))
        file.write_text(f"{source}\ndef broken(:\n")
        await until(lambda: "syntax error" in screen_text(app))
        assert "The previous tools are still served" in screen_text(app)
        assert (app.state, "✗ reload failed" in screen_text(app)) == ("stale", True)
        assert "shout" in {tool["name"] for tool in app.tools}
        file.write_text(source)
        await until(lambda: "- tools removed: shout" in screen_text(app))
        assert "syntax error" not in screen_text(app)
        assert not app.workspace.core.problems
        assert "✓ ready" in screen_text(app)


async def test_a_project_of_which_nothing_loads_is_not_shown_as_ready(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text("from server_core import tool\n\n@tool\ndef broken(:\n")
    async with terminal_on(Core(project=tmp_path, link=False)) as (_, app):
        await until(lambda: "✗ nothing loads" in screen_text(app))
