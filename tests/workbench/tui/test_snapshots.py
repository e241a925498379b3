"""Snapshots of the screens, on a small and on a large terminal.

After an intended change, check the report, then run pytest with `--snapshot-update`.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled
from tests.workbench.tui.fakes import ACCOUNTS, CATALOG, FakeLink, conversation, opener
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.inspector_pane import InspectorPane

Steps = Callable[[Pilot[Any]], Awaitable[None]]
Compare = Callable[..., bool]

both_sizes = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])

every_size = pytest.mark.parametrize(
    "size",
    [(60, 15), (80, 24), (120, 40), (170, 48), (240, 60)],
    ids=["60x15", "80x24", "120x40", "170x48", "240x60"],
)


def app_at(place: str, link: FakeLink | None = None) -> WorkbenchApp:
    """Return the app on the fixed conversation."""
    return WorkbenchApp(opener(link or FakeLink(conversation())), place=place)


def steps(place: str, *keys: str) -> Steps:
    """Return the steps that show a pane with all records and press keys there."""

    async def run(pilot: Pilot[Any]) -> None:
        await opened(pilot, place)
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        for text_input in pilot.app.screen.query(Input):
            text_input.cursor_blink = False

    return run


@both_sizes
def test_the_inspector(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app_at("inspector"), terminal_size=size, run_before=steps("inspector"))


@both_sizes
def test_the_inspector_with_both_halves_of_a_call(snap_compare: Compare, size: tuple[int, int]) -> None:
    run = steps("inspector", "g", "j", "j", "j", "enter")
    assert snap_compare(app_at("inspector"), terminal_size=size, run_before=run)


@both_sizes
def test_the_inspector_with_a_filter_shown_among_the_others(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await steps("inspector")(pilot)
        pane = pilot.app.query_one(InspectorPane)
        pane.query_one("#filter", Input).value = "tool:greet"
        await pilot.press("v", "g", "n")
        await settled(pilot)

    assert snap_compare(app_at("inspector"), terminal_size=size, run_before=run)


@both_sizes
def test_the_inspector_with_a_filter_that_cannot_be_read(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await steps("inspector")(pilot)
        pilot.app.query_one("#filter", Input).value = "tool:greet status:maybe"
        await settled(pilot)

    assert snap_compare(app_at("inspector"), terminal_size=size, run_before=run)


@every_size
@pytest.mark.parametrize("place", ["secrets", "problems", "sessions"])
def test_the_panes_of_lists(snap_compare: Compare, size: tuple[int, int], place: str) -> None:
    assert snap_compare(app_at(place), terminal_size=size, run_before=steps(place))


@both_sizes
def test_the_accounts(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = FakeLink()
    link.answers["accounts/list"] = {"accounts": ACCOUNTS}
    assert snap_compare(app_at("secrets", link), terminal_size=size, run_before=steps("secrets", "tab", "j"))


@both_sizes
def test_logging_in(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = FakeLink()
    link.answers["accounts/list"] = {"accounts": ACCOUNTS[2:]}

    async def run(pilot: Pilot[Any]) -> None:
        await steps("secrets", "l")(pilot)
        await until(lambda: pilot.app.screen.is_modal)
        await pilot.pause()

    assert snap_compare(app_at("secrets", link), terminal_size=size, run_before=run)


@both_sizes
def test_a_failed_reload(snap_compare: Compare, size: tuple[int, int]) -> None:
    link = FakeLink()
    link.answers["catalog/get"] = {**CATALOG, "ok": False, "reloaded": [], "changes": {}}
    assert snap_compare(app_at("problems", link), terminal_size=size, run_before=steps("problems"))


@both_sizes
def test_setting_a_secret(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        await steps("secrets", "G", "enter")(pilot)
        await until(lambda: pilot.app.screen.is_modal)
        field = pilot.app.screen.query_one(Input)
        field.cursor_blink = False
        field.value = "s3cret-value"
        await pilot.pause()

    assert snap_compare(app_at("secrets"), terminal_size=size, run_before=run)


@both_sizes
def test_the_keys(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app_at("inspector"), terminal_size=size, run_before=steps("inspector", "question_mark"))


@both_sizes
def test_leaving(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app_at("sessions"), terminal_size=size, run_before=steps("sessions", "q"))


@both_sizes
def test_a_lost_core(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def run(pilot: Pilot[Any]) -> None:
        app = await opened(pilot, "problems")
        app.workspace.end.post_mortem = "\n".join(
            ["The core k7 (process 4242) ended with exit code 1.", "Last lines on its stderr:"]
            + [f'  File "/home/ada/demo/tools/booking.py", line {line}, in book' for line in range(11, 15)]
            + ["MemoryError"]
        )
        app.workspace.connected = False
        app._workspace_changed("link")
        await until(lambda: app.screen.is_modal)
        await pilot.pause()

    assert snap_compare(app_at("problems", FakeLink()), terminal_size=size, run_before=run)


@both_sizes
def test_the_start_screen(snap_compare: Compare, size: tuple[int, int]) -> None:
    nothing = {part: [] for part in ("tools", "resources", "templates", "prompts", "problems")}
    link = FakeLink()
    link.info["project"] = "/home/ada/empty"
    link.answers["catalog/get"] = {**CATALOG, **nothing}

    async def run(pilot: Pilot[Any]) -> None:
        app = await opened(pilot, "problems")
        await until(lambda: app.screen.is_modal)
        await pilot.pause()

    assert snap_compare(app_at("problems", link), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40), (170, 50), (240, 60)], ids=lambda size: f"{size[0]}")
def test_the_start_screen_with_servers(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    link = FakeLink()
    link.info["project"] = "/home/ada/empty"
    link.answers["catalog/get"] = {**CATALOG, **{part: [] for part in ("tools", "resources", "templates", "prompts")}}
    link.answers["catalog/get"]["problems"] = []
    servers = {
        "everything": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"]},
        "kettle": {"url": "https://kettle.example/mcp", "headers": {"Authorization": "Bearer ${KETTLE:-k-123456}"}},
        "broken": {"command": "tea", "args": "hot"},
    }
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/mcp.json").write_text(json.dumps({"mcpServers": servers}, indent=1))

    async def run(pilot: Pilot[Any]) -> None:
        app = await opened(pilot, "problems")
        await until(lambda: app.screen.is_modal and "kettle" in screen_text(app))
        await pilot.press("tab", "tab", "down")
        await until(lambda: "Authorization" in screen_text(app) or size[1] < 20)
        await pilot.pause()

    assert snap_compare(app_at("problems", link), terminal_size=size, run_before=run)


def test_a_terminal_that_is_too_small(snap_compare: Compare) -> None:
    assert snap_compare(app_at("problems"), terminal_size=(50, 12), run_before=steps("problems"))
