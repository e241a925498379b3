"""The line of notices above the footer, and the log behind it."""

from pathlib import Path

import pytest

from server_core.link.descriptor import Descriptor
from server_core.runtime.version import VERSION
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import FakeLink, opener
from workbench.link import core_match
from workbench.tui.app import WorkbenchApp

SIZES = [(60, 20), (80, 24), (170, 50)]


def footer(app: WorkbenchApp) -> str:
    return screen_text(app).splitlines()[-1]


def line(app: WorkbenchApp) -> str:
    """Return the row above the footer."""
    return screen_text(app).splitlines()[-2]


@pytest.mark.parametrize("size", SIZES)
async def test_a_notice_has_a_line_of_its_own_and_covers_neither_content_nor_keys(size: tuple[int, int]) -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "problems")
        before, height = screen_text(app).splitlines(), app.query_one("#body").size.height
        app.notify(f"The server \x1b[31m refused it: {'because ' * 40}", severity="error", markup=False)
        await until(lambda: "refused it" in line(app))
        assert app.query_one("#body").size.height == height - 1
        assert footer(app) == before[-1]
        assert line(app).startswith(" ✗ The server")
        assert "\x1b" not in line(app)
        assert "…" in line(app)
        assert line(app).endswith("f3 more")
        await pilot.press("escape")
        await until(lambda: screen_text(app).splitlines() == before)


async def test_a_notice_stays_while_keys_are_pressed_until_escape() -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "problems")
        app.notify("It is broken.", severity="error")
        await until(lambda: line(app) == " ✗ It is broken.")
        await pilot.press("down")
        assert line(app) == " ✗ It is broken."
        await pilot.press("escape")
        await until(lambda: "It is broken." not in screen_text(app))


async def test_a_terminal_that_is_too_small_shows_no_notice() -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(50, 12)) as pilot:
        await opened(pilot, "problems")
        app.notify("It is broken.", severity="error")
        await pilot.pause()
        assert "It is broken." not in screen_text(app)


async def test_the_reason_why_a_key_did_nothing_ends_with_the_next_key_that_does_something() -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "inspector")
        await pilot.press("c")
        await until(lambda: "belongs to no call" in toasts(app))
        await pilot.press("f")
        await until(lambda: toasts(app) == "")


async def test_a_confirmation_ends_by_itself() -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot, "problems")
        app.notify("Copied.", timeout=0.01)
        await until(lambda: app.notices.log and app.notices.current is None)
        await until(lambda: "Copied." not in screen_text(app))


async def test_the_log_has_every_notice_in_full_with_the_newest_first() -> None:
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "problems")
        await pilot.press("f3")
        await until(lambda: "There are no notices yet." in screen_text(app))
        await pilot.press("f3")
        app.notify("First [b]words[/b]", markup=False)
        app.notify(f"It ended.\n{'words ' * 30}last", severity="error", markup=False)
        await pilot.press("f3")
        await until(lambda: "last" in screen_text(app))
        text = screen_text(app)
        assert text.index("✗ It ended.") < text.index("• First [b]words[/b]")
        await pilot.press("escape")
        assert not app.screen.is_modal
        assert "It ended." in toasts(app)


async def test_a_notice_that_stays_gives_the_keys_of_the_footer_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.model.notices.LINE_S", 0.05)
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, "problems")
        keys = footer(app)
        app.notify("It is broken.", severity="error")
        await until(lambda: footer(app).split() == ["✗", "f3", *keys.split()])
        await pilot.press("escape")
        await until(lambda: footer(app) == keys)


@pytest.mark.parametrize("width", [60, 80])
async def test_the_line_about_the_core_that_was_joined_fits(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    core = Descriptor(
        "k7x2", 1, VERSION, "/p", "project", 0.0, "", "", purpose="link", options=core_match.environment_digest()
    )
    monkeypatch.setattr(core_match, "list_cores", lambda _: [core])
    app = WorkbenchApp(opener(FakeLink()))
    async with app.run_test(size=(width, 20)) as pilot:
        await opened(pilot, "problems")
        app.notify(core_match.find_joinable(Path("/p")).notice, markup=False)
        await until(lambda: "Joined the core k7x2, since" in line(app))
        assert ("workbench --fresh" in line(app)) == (width == 80)
