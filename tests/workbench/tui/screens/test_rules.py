"""Rules in the terminal: made from an answer, listed, switched off, and named where they have answered."""

from pathlib import Path

import pytest
from textual.widgets import Input

from server_core.core import Core
from tests.small_project import small_project
from tests.waiting import until
from tests.workbench.cli.test_call_rules import TOOLS
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.working import terminal_on
from workbench.tui.screens.dialogs import Choices
from workbench.tui.screens.rule_screen import RuleScreen
from workbench.tui.screens.rules_screen import RulesScreen


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "asking.py").write_text(TOOLS)
    return small_project(tmp_path)


def rules_text(project: Path) -> str:
    file = project / "workbench.yaml"
    return file.read_text() if file.exists() else ""


async def test_an_answer_becomes_a_rule_that_answers_from_then_on(project: Path) -> None:
    async with terminal_on(Core(project=project, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        first = app.workspace.call("order", {})
        await until(lambda: app.workspace.questions.waiting)
        (question,) = app.workspace.questions.waiting
        question.accept({"cups": 2})
        await until(lambda: not first.is_running)
        await pilot.press("alt+r")
        await until(lambda: isinstance(app.screen, RuleScreen) and "this answer" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: "cups: 2" in rules_text(project))
        await until(lambda: not app.screen.is_modal)
        second = app.workspace.call("order", {})
        await until(lambda: not second.is_running)
        assert second.result is not None
        assert "cups=2" in str(second.result["content"])
        await until(lambda: "answered by rule" in toasts(app))
        await until(lambda: any(entry.method == "question_answered_by_rule" for entry in app.workspace.timeline))


async def test_a_rule_for_an_open_question_answers_it(project: Path) -> None:
    async with terminal_on(Core(project=project, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        run = app.workspace.call("order", {})
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("alt+r")
        await until(lambda: isinstance(app.screen, RuleScreen) and "decline" in screen_text(app))
        await until(lambda: app.screen.query("#name"))
        name = app.screen.query_one("#name", Input)
        name.value = ""
        await pilot.press("enter")
        await until(lambda: "Enter a name." in screen_text(app))
        name.value = "no"
        app.screen.query_one("#match", Input).value = "tool:"
        await pilot.press("enter")
        await until(lambda: "The filter is invalid" in screen_text(app))
        app.screen.query_one("#match", Input).value = "tool:order"
        app.screen.query_one(Choices).focus()
        await pilot.press("2")
        await until(lambda: "answer: decline" in rules_text(project))
        await until(lambda: not run.is_running)


async def test_rules_are_listed_and_switched_off_and_a_mistake_is_shown(project: Path) -> None:
    (project / "workbench.yaml").write_text("rules:\n  no: {answer: decline}\n  bad: {answer: x}\n")
    async with terminal_on(Core(project=project, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        await until(lambda: "workbench.yaml: line 3: bad: answer is one of" in toasts(app))
        await pilot.press("alt+w")
        await until(lambda: isinstance(app.screen, RulesScreen) and "declines" in screen_text(app))
        await until(lambda: "line 3: bad" in screen_text(app))
        (project / "workbench.yaml").write_text("rules:\n  no:\n    answer: decline\n")
        await pilot.press("space")
        await until(lambda: app.workspace.rules.rules and app.workspace.rules.rules[0].off)
        await pilot.press("delete")
        await until(lambda: "Delete the rule?" in screen_text(app))
        await pilot.press("d")
        await until(lambda: not app.workspace.rules.rules)
        await until(lambda: "There are no rules." in screen_text(app))


async def test_without_a_question_there_is_nothing_to_make_a_rule_of(project: Path) -> None:
    async with terminal_on(Core(project=project, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        await pilot.press("alt+r")
        await until(lambda: "there is none, and none was answered" in toasts(app))


async def test_a_model_is_asked_only_with_consent_and_without_it_the_user_answers(project: Path) -> None:
    rule = "{model: m-1, api: openai, url: 'http://127.0.0.1:9', off: false}"
    (project / "workbench.yaml").write_text(f"rules:\n  poet: {rule}\n")
    async with terminal_on(Core(project=project, link=False)) as (pilot, app):
        await until(lambda: app.tools)
        app.workspace.call("order", {})
        await until(lambda: "Rule poet: ask the model?" in screen_text(app))
        await until(lambda: "Sent to m-1 at http://127.0.0.1:9." in screen_text(app))
        assert not app.workspace.questions.waiting
        await pilot.press("k")
        await until(lambda: app.workspace.questions.waiting)
        await until(lambda: "you did not allow it to ask the model" in toasts(app))
        app.workspace.questions.waiting[0].decline()
