"""The questions of the calls in the tools pane: whose is first, and how long it waits."""

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.fakes import NOON
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, ask, kitchen_link
from tests.workbench.tui.screens.tools_pane import called, choose, fill, tools
from workbench.tui.screens.question_column import QuestionColumn
from workbench.tui.screens.tools_pane import ToolsPane


async def test_a_question_names_its_call_with_the_arguments() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("ctrl+g")
        await until(lambda: "asked by greet #1" in screen_text(app) and '"Ada"}' in screen_text(app))


async def test_the_question_of_the_call_in_view_is_shown_first() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        # Asked before any call: its sender is the server.
        ask(link, "q1", "elicitation/create", ADDRESS)
        await until(lambda: app.workspace.questions.waiting)
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        ask(link, "q2", "elicitation/create", DESSERT)
        await until(lambda: len(app.workspace.questions.waiting) == 2)
        await pilot.press("ctrl+g")
        await until(lambda: "asked by ping #1" in screen_text(app))


async def test_the_time_until_the_timeout_of_the_tool_is_counted_down() -> None:
    link = kitchen_link()
    for tool in link.answers["catalog/get"]["tools"]:
        tool["timeout"] = 20.0
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: "20 s left to answer · alt+e adds 60 s" in screen_text(app))
        await pilot.press("ctrl+g", "escape")
        await until(lambda: "ping #1 asks: ^g answers · 20 s left" in screen_text(app))
        app.workspace.clock = lambda: NOON + 12
        app.query_one(ToolsPane)._questions.count_down()
        assert "A tool waits for your answer 8 s more: ^g answers, alt+e there adds 60 s." in toasts(app)
        await pilot.press("ctrl+g")
        app.query_one(QuestionColumn).show_time_left()
        await until(lambda: "8 s left to answer" in screen_text(app))
        await pilot.press("ctrl+d")
        await until(lambda: "s more." not in toasts(app))


async def test_without_a_limit_there_is_no_countdown() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: "Which dessert" in screen_text(app))
        assert "s left" not in screen_text(app)
