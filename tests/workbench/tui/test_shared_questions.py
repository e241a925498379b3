"""A terminal shows the question of another terminal on the same core, and answers it."""

from pathlib import Path

import pytest

from server_core.core import Core
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.working import terminal_on
from workbench.link.local import LocalLink
from workbench.workspace import shared_questions
from workbench.workspace.workspace import Workspace


async def test_a_question_of_another_terminal_is_announced_extended_and_answered_with_keys(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_questions, "PAUSE_S", 0.0)
    core = Core(project=project, link=False)
    async with terminal_on(core) as (pilot, app):
        await until(lambda: app.tools)
        other = Workspace(LocalLink(core))
        await other.open()
        run = other.call("choose_dessert", {})
        await until(lambda: f"choose_dessert id {run.request_id} in another terminal asks" in toasts(app))
        assert "Requests (1)" in screen_text(app)
        await pilot.press("ctrl+g")
        await until(lambda: "asked by choose_dessert id" in screen_text(app) and "^d decline" in screen_text(app))
        await until(lambda: "s left to answer" in screen_text(app))
        await pilot.press("alt+e")
        await until(lambda: "s left, 60 s added" in screen_text(app))
        await pilot.press("ctrl+d")
        await until(lambda: other.poll() is not None and not run.is_running)
        await until(lambda: "Requests (1)" not in screen_text(app))
        await other.close()
