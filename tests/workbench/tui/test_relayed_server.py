"""The terminal on a core that relays another server, when that server ends and is restarted."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from server_core.core import Core
from server_core.protocol.revisions import LATEST
from tests.server_core.serving.test_relay_of_http import CuttingServer
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.working import terminal_on
from workbench.link.local import LocalLink
from workbench.model import restart_schedule
from workbench.model.history import RunStatus
from workbench.tui import body
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.dialogs import PromptScreen
from workbench.tui.screens.start import StartScreen
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

SERVER = """
import json, os, sys

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

print("brewing", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if method == "initialize":
        send(id=id, result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "brewer", "version": "1"}})
    elif method == "tools/list":
        send(id=id, result={"tools": [{"name": f"process-{os.getpid()}", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call":
        send(id="q", method="elicitation/create",
            params={"message": "Milk?", "requestedSchema": {"type": "object", "properties": {}}})
"""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """The file of the other server, which a test may change."""
    file = tmp_path / "server.py"
    file.write_text(SERVER)
    return file


@pytest.fixture(autouse=True)
def long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the restarts to the user; a test of restarts by themselves changes this."""
    use_pauses(monkeypatch, 3600)


def use_pauses(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Have all pauses before restarts be so long."""
    for name in ("FIRST_PAUSE_S", "LONGEST_PAUSE_S"):
        monkeypatch.setattr(restart_schedule, name, seconds)
    monkeypatch.setattr(restart_schedule, "_JITTER", 0.0)


@asynccontextmanager
async def working(server: Path) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    """Open the terminal on a core in this process that relays the server."""
    core = Core(upstream=[sys.executable, str(server)], link=False, capture=False)
    async with terminal_on(core, revision=LATEST) as (pilot, app):
        await until(lambda: app.state == "ready" and app.tools)
        yield pilot, app


def process(app: WorkbenchApp) -> int:
    """Return the process of the server, which its tool is named after."""
    return int(app.tools[0]["name"].partition("-")[2])


async def test_a_killed_server_is_shown_as_ended_and_its_calls_and_questions_end(server: Path) -> None:
    async with working(server) as (_, app):
        run = app.workspace.call(app.tools[0]["name"], {})
        await until(lambda: app.workspace.questions.waiting)
        os.kill(process(app), signal.SIGKILL)
        await until(lambda: app.state == "server lost")
        await until(lambda: run.status is not RunStatus.RUNNING)
        assert "was killed by SIGKILL" in run.error
        assert not app.workspace.questions.waiting
        await until(lambda: "✗ server gone – restart in 3600 s · f5 now · shift+f5 stops this" in screen_text(app))
        assert "The server was killed by SIGKILL." in screen_text(app).splitlines()[0]
        await until(lambda: "✗ The server was killed by SIGKILL: brewing." in screen_text(app).splitlines()[-2])
        assert "It is restarted by itself: f5 restarts it now, shift+f5 stops this." in toasts(app)
        later = app.workspace.call("anything", {})
        assert "Press f5 to restart it" in later.error


async def test_a_lost_server_is_started_again_with_a_new_session_and_its_new_tools(server: Path) -> None:
    async with working(server) as (pilot, app):
        first, session = process(app), app.workspace.session
        os.kill(first, signal.SIGTERM)
        await until(lambda: app.state == "server lost")
        await pilot.press("f5")
        await until(lambda: app.state == "ready")
        assert process(app) != first
        assert app.workspace.session is not session
        await until(lambda: "Connected to the server again." in toasts(app))
        await until(lambda: f"The server changed its lists  + process-{process(app)}  - process-{first}" in toasts(app))


async def test_a_server_that_cannot_be_restarted_stays_lost_with_the_reason(server: Path) -> None:
    async with working(server) as (pilot, app):
        server.write_text("import sys; sys.exit('out of beans')")
        os.kill(process(app), signal.SIGKILL)
        await until(lambda: app.state == "server lost")
        await pilot.press("f5")
        await until(lambda: "exit code 1" in app.workspace.server_lost)
        await until(lambda: app.state == "server lost")
        server.write_text(SERVER)
        await pilot.press("f5")
        await until(lambda: app.state == "ready")


async def test_a_server_that_cannot_be_started_at_all_is_no_loss_of_the_core(server: Path) -> None:
    server.write_text("import sys; sys.exit('out of beans')")
    core = Core(upstream=[sys.executable, str(server)], link=False, capture=False)
    async with terminal_on(core, revision=LATEST) as (pilot, app):
        await until(lambda: app.screen.is_modal)
        await until(lambda: "The server cannot be started" in screen_text(app))
        assert "exit code 1" in screen_text(app)
        assert "out of beans" in screen_text(app)
        assert app.state == "server lost"
        server.write_text(SERVER)
        await pilot.press("r")
        await until(lambda: app.state == "ready")
        assert app.tools


ENDS_AFTER_ITS_FIRST_ANSWER = """
import sys
for line in sys.stdin:
    if "initialize" in line:
        id = __import__("json").loads(line)["id"]
        print('{"jsonrpc": "2.0", "id": %s, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},'
              ' "serverInfo": {"name": "brewer", "version": "1"}}}' % id, flush=True)
        sys.exit("out of milk")
"""


@pytest.mark.parametrize("program", ["import sys; sys.exit('out of milk')", ENDS_AFTER_ITS_FIRST_ANSWER])
async def test_a_server_that_ends_at_once_stays_on_the_screen_with_its_reason_and_the_key_that_starts_it(
    server: Path, program: str
) -> None:
    server.write_text(program)
    core = Core(upstream=[sys.executable, str(server)], link=False, capture=False)
    async with terminal_on(core, revision=LATEST) as (pilot, app):
        await until(lambda: "The server cannot be started" in screen_text(app))
        await pilot.press("l")
        await until(lambda: not app.screen.is_modal)
        await pilot.pause()
        text = screen_text(app)
        assert "Starting the core" not in text
        for part in ("exit code 1", "out of milk", "Press f5 to restart it"):
            assert part in text
        server.write_text(SERVER)
        await pilot.press("f5")
        await until(lambda: app.state == "ready" and "process-" in screen_text(app))


async def test_a_terminal_on_a_server_that_cannot_be_started_is_left_with_the_choices_for_the_core(
    server: Path,
) -> None:
    core = Core(upstream=["no-such-command-anywhere"], link=False, capture=False)
    async with terminal_on(core, revision=LATEST) as (pilot, app):
        await until(lambda: "The server cannot be started" in screen_text(app))
        assert "no-such-command-anywhere" in screen_text(app)
        await pilot.press("q")
        await until(lambda: "Quit the workbench" in screen_text(app))


async def test_after_a_server_that_cannot_be_started_its_command_can_be_corrected(server: Path) -> None:
    core = Core(upstream=["no-such-command-anywhere", "--x"], link=False, capture=False)
    async with terminal_on(core, revision=LATEST) as (pilot, app):
        await until(lambda: "The server cannot be started" in screen_text(app))
        await pilot.press("o")
        await until(lambda: isinstance(app.screen, StartScreen))
        await pilot.press("c")
        await until(lambda: isinstance(app.screen, PromptScreen) and app.screen.query(Input))
        assert app.screen.query_one(Input).value == "no-such-command-anywhere --x"


async def test_a_running_server_is_restarted_on_demand(server: Path) -> None:
    async with working(server) as (pilot, app):
        first = process(app)
        await pilot.press("f5")
        await until(lambda: app.state == "ready" and process(app) != first)
        assert "gone" not in toasts(app)


async def test_a_lost_server_is_restarted_by_itself_and_this_is_reported(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_pauses(monkeypatch, 0.01)
    async with working(server) as (_, app):
        first = process(app)
        os.kill(first, signal.SIGKILL)
        await until(lambda: app.state == "ready" and process(app) != first)
        await until(lambda: "Connected to the server again. The server was killed by SIGKILL." in toasts(app))
        assert "brewing" not in toasts(app)


async def test_a_server_that_ends_at_each_start_is_given_up_until_the_user_restarts_it(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_pauses(monkeypatch, 0.01)
    monkeypatch.setattr(restart_schedule, "MAX_IN_VAIN", 2)
    async with working(server) as (pilot, app):
        first = process(app)
        server.write_text("import sys; sys.exit('out of beans')")
        os.kill(first, signal.SIGKILL)
        await until(lambda: "✗ server gone after 2 restarts – f5 restarts it" in screen_text(app))
        assert "out of beans" in toasts(app)
        server.write_text(SERVER)
        await pilot.press("f5")
        await until(lambda: app.state == "ready" and process(app) != first)


async def test_a_restart_that_is_due_can_be_stopped(server: Path) -> None:
    async with working(server) as (pilot, app):
        await pilot.press("f17")
        assert "No restart of the server is due." in toasts(app)
        os.kill(process(app), signal.SIGKILL)
        await until(lambda: "restart in" in screen_text(app))
        await pilot.press("f17")
        await until(lambda: "✗ server gone – f5 restarts it" in screen_text(app))
        assert app.workspace.restarts.seconds_left is None


async def test_a_restart_that_fails_is_followed_by_others(server: Path) -> None:
    async with working(server) as (pilot, app):
        server.write_text("import sys; sys.exit('out of beans')")
        os.kill(process(app), signal.SIGKILL)
        await until(lambda: app.workspace.restarts.seconds_left is not None)
        await pilot.press("f5")
        await until(lambda: "out of beans" in app.workspace.server_lost)
        await until(lambda: app.state == "server lost" and app.workspace.restarts.seconds_left is not None)


async def test_a_server_that_was_never_reached_is_not_restarted_by_itself(server: Path) -> None:
    server.write_text("import sys; sys.exit('out of beans')")
    core = Core(upstream=[sys.executable, str(server)], link=False, capture=False)
    async with terminal_on(core, revision=LATEST) as (pilot, app):
        await until(lambda: "The server cannot be started" in screen_text(app))
        await pilot.press("r")
        await until(lambda: app.state == "server lost" and not app.screen.is_modal)
        assert app.workspace.restarts.seconds_left is None


@pytest.mark.parametrize("width", [60, 80, 120, 170, 240])
async def test_the_time_until_the_restart_and_its_key_are_shown_at_every_width(server: Path, width: int) -> None:
    async with working(server) as (pilot, app):
        await pilot.resize_terminal(width, 24)
        os.kill(process(app), signal.SIGKILL)
        await until(lambda: "✗ server gone – restart in 3600 s · f5 now" in screen_text(app).splitlines()[0])


async def test_a_server_over_http_that_goes_away_is_reached_again_when_it_returns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_pauses(monkeypatch, 0.05)
    monkeypatch.setattr(restart_schedule, "MAX_IN_VAIN", 1)
    server = CuttingServer()
    async with AsyncExitStack() as stack:
        async with server.running():
            core = Core(upstream=f"http://127.0.0.1:{server.port}/mcp", link=False, capture=False)
            _, app = await stack.enter_async_context(terminal_on(core, revision=LATEST))
            await until(lambda: app.state == "ready")
        # The end of a server over HTTP is noticed with the next request at the latest.
        run = app.workspace.call("brew", {})
        await until(lambda: app.state == "server lost" and app.workspace.restarts.seconds_left is not None)
        await until(lambda: run.status is not RunStatus.RUNNING)
        # However often it is tried in vain: others may restart the server much later.
        await until(lambda: app.workspace.restarts._schedule.in_vain > 3)
        async with server.running():
            await until(lambda: app.state == "ready")


async def test_a_server_that_hangs_at_its_start_is_explained_and_can_be_left(
    server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.write_text("import sys; sys.stdin.read()")
    monkeypatch.setattr(body, "SLOW_S", 0.05)
    core = Core(upstream=[sys.executable, str(server)], link=False, capture=False)
    await core.start()

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        workspace = Workspace(LocalLink(core), revision=LATEST)
        try:
            await workspace.open()
        finally:
            await workspace.close()
        return workspace

    app = WorkbenchApp(open_workspace)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: "The core does not answer yet." in screen_text(app))
            await pilot.press("q")
            await until(lambda: app.return_value == 0)
    finally:
        await core.stop()
