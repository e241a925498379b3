"""The app: the first paint, the keys of the panes, the palette, records and messages."""

import asyncio

import pytest

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import CATALOG, FakeLink, conversation, open_fixed_workspace, opener
from workbench.tui.app import WorkbenchApp
from workbench.workspace.open_request import StartChoice
from workbench.workspace.workspace import Workspace

SIZE = (120, 40)


async def test_the_frame_is_painted_before_the_workspace_is_open() -> None:
    gate = asyncio.Event()

    async def open_workspace(wanted: StartChoice | None = None) -> Workspace:
        await gate.wait()
        return await open_fixed_workspace(FakeLink())

    app = WorkbenchApp(open_workspace, place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        text = screen_text(app)
        assert "… connecting" in text
        assert "1 Tools" in text
        assert "Starting the core" in text
        # Which keys of the pane apply is unknown before it is there.
        assert text.splitlines()[-1].split() == ["?", "help", "^p", "palette"]
        gate.set()
        await until(lambda: app.state == "ready")
        await opened(pilot, "inspector")


@pytest.mark.parametrize(
    ("key", "place"),
    [("2", "inspector"), ("4", "secrets"), ("5", "problems"), ("6", "sessions"), ("3", "requests"), ("1", "tools")],
)
async def test_each_pane_has_its_number_as_its_key(key: str, place: str) -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems" if place != "problems" else "sessions")
        await pilot.press(key)
        assert app.place == place
        assert [pane.id for pane in app.query("#body > *") if pane.display] == [place]


async def test_the_pane_requested_last_is_shown_in_whichever_order_they_are_created() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "problems")
        await asyncio.gather(app.show("sessions"), app.show("secrets"))
        assert [pane.id for pane in app.query("#body > *") if pane.display] == ["secrets"]
        await until(lambda: app.focused is not None and app.focused.id == "secret-table")


async def test_escape_never_quits() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        for _ in range(3):
            await pilot.press("escape")
        assert app.is_running
        assert app.return_value is None


async def test_records_that_arrive_are_counted_without_a_key() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await until(lambda: "0 messages" in screen_text(app))
        link.arrive(conversation())
        await until(lambda: "16 messages" in screen_text(app))


async def test_a_reload_is_reported_over_every_pane_and_once() -> None:
    link = FakeLink()
    app = WorkbenchApp(opener(link), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        assert toasts(app) == ""
        link.answers["catalog/get"] = {**CATALOG, "generation": 3}
        await app.workspace.core.refresh("catalog")
        await app.workspace.core.refresh("catalog")
        await until(lambda: toasts(app))
        await pilot.pause()
        assert toasts(app).count("Reloaded in 42 ms") == 1


async def test_the_palette_shows_panes_and_does_their_actions() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector")
    async with app.run_test(size=SIZE) as pilot:
        await opened(pilot, "inspector")
        await app.action_do("sessions", "copy_http_url")
        assert app.place == "sessions"
        await until(lambda: "press H" in toasts(app))


async def test_a_message_that_is_shown_already_is_not_shown_twice_and_escape_dismisses_it() -> None:
    app = WorkbenchApp(opener(FakeLink()), place="tools")
    async with app.run_test(size=SIZE) as pilot:
        for place in ("tools", "secrets"):
            await opened(pilot, place)
            for message in ("It is late.", "It is late.", "It is later."):
                app.notify(message, severity="warning")
            await until(lambda: toasts(app) == "It is late.\nIt is later.")
            await pilot.press("escape")
            await until(lambda: toasts(app) == "")
