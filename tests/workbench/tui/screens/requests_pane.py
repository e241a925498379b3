"""Steps that the tests of the requests pane share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual.css.query import DOMQuery
from textual.pilot import Pilot
from textual.widget import Widget

from tests.waiting import until
from tests.workbench.tui.driving import opened
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import ask, kitchen_app
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.requests_pane import RequestsPane
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.result import ResultView

ELICIT, SAMPLE = "elicitation/create", "sampling/createMessage"


@asynccontextmanager
async def requests(
    link: FakeLink, *questions: tuple[str, dict[str, Any]], size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[Any], WorkbenchApp]]:
    app = kitchen_app(link, "requests")
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "requests")
        app.workspace.questions.ask_roots = True
        for number, (method, params) in enumerate(questions, start=1):
            ask(link, f"q{number}", method, params)
        await until(lambda: len(app.workspace.questions.waiting) == len(questions))
        await app.show("requests")
        if questions:
            await until(lambda: app.query(QuestionView) and app.query(QuestionView).first().is_mounted)
            await until(lambda: all(view.size.width for view in app.query(ResultView)))
            await until(lambda: not app.query_one(RequestsPane)._wants_focus)
        await pilot.pause()
        yield pilot, app


def shown(app: WorkbenchApp) -> Widget:
    """Return the pane in front."""
    assert app.pane is not None
    return app.pane


def fields(app: WorkbenchApp) -> DOMQuery[LineEditor]:
    """Return the text fields of the pane in front."""
    return shown(app).query(LineEditor)


def answers(link: FakeLink) -> list[dict[str, Any]]:
    return [message for message in link.server.received if str(message.get("id")).startswith("q")]
