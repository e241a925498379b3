"""The causes of notices: one that is no longer true is replaced, or ends."""

from server_core.errors import WorkbenchError
from tests.waiting import until
from tests.workbench.tui.driving import terminal, toasts
from tests.workbench.tui.fakes import FakeLink
from workbench.model.notices import UNAVAILABLE


async def test_the_reason_why_a_request_was_refused_ends_with_the_next_that_succeeds() -> None:
    link = FakeLink()
    link.answers["core/reload"] = WorkbenchError("The files cannot be read.")
    async with terminal(link, pane="problems") as (pilot, app):
        await pilot.press("R")
        await until(lambda: "The files cannot be read." in toasts(app))
        link.answers["core/reload"] = {}
        await pilot.press("R")
        await until(lambda: toasts(app) == "")


async def test_what_was_copied_last_replaces_what_was_copied_before() -> None:
    async with terminal(FakeLink(), pane="inspector") as (_, app):
        app.notify("Message 1 is in the clipboard.", title="clipboard")
        app.notify("The URL is in the clipboard.", title="clipboard")
        assert toasts(app) == "The URL is in the clipboard."


async def test_a_hint_ends_with_the_next_action() -> None:
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        app.notify("No further match in this direction.", title=UNAVAILABLE)
        await pilot.press("alt+2")
        await until(lambda: toasts(app) == "")
