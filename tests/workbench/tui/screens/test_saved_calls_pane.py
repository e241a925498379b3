"""Saved calls in the list: open, run, save, replace, rename and delete them."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import choose, tools
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.dialogs import ChoiceScreen, PromptScreen
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree

TEXT = """\
calls:
  greet Ada:  # the first
    tool: greet
    arguments: {name: Ada}
  gone:
    tool: no_such_tool
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The saved calls of the fixed project, whose folder is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "workbench.yaml"
    path.write_text(TEXT)
    return path


def names(app: WorkbenchApp) -> list[str]:
    return [call.name for call in app.workspace.saved_calls.last_read.calls]


async def on_call(app: WorkbenchApp, name: str) -> OfferTree:
    """Put the cursor on a saved call."""
    await until(lambda: name in names(app))
    tree = app.query_one(OfferTree)
    await until(lambda: tree.line_count > 3)
    tree.focus()
    tree.move_to(1 + names(app).index(name))
    await until(lambda: tree.saved_call is not None and tree.saved_call.name == name and tree.has_focus)
    return tree


def value(app: WorkbenchApp) -> Any:
    form = app.query_one(OfferForm).editor.form
    return None if form is None else form.value()


async def enter(pilot: Pilot[Any], app: WorkbenchApp, text: str) -> None:
    """Enter a text in a dialog."""
    await until(lambda: isinstance(app.screen, PromptScreen) and app.screen.query(Input))
    field = app.screen.query_one(Input)
    field.value = text
    await pilot.press("enter")


async def test_saved_calls_are_a_group_of_the_list_and_enter_opens_the_form_with_the_values() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await on_call(app, "greet Ada")
        await until(lambda: "▾ Saved calls  2" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: value(app) == {"name": "Ada"})
        form = app.query_one(OfferForm)
        await until(lambda: app.focused is not None and form in app.focused.ancestors)


async def test_a_saved_call_runs_from_the_list() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello!")
    async with tools(link) as (pilot, app):
        await on_call(app, "greet Ada")
        await pilot.press("ctrl+j")
        await until(lambda: len(app.workspace.history) == 1)
        (run,) = app.workspace.history
        assert (run.tool, run.arguments) == ("greet", {"name": "Ada"})


async def test_a_saved_call_of_a_tool_that_is_gone_is_not_opened() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await on_call(app, "gone")
        await pilot.press("enter")
        await until(lambda: "The server does not have the tool no_such_tool." in toasts(app))


async def test_the_call_in_the_form_is_saved_under_a_name(file: Path) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "greet")
        form = app.query_one(OfferForm)
        await until(lambda: form.offer is not None and form.offer.name == "greet")
        form.load(form.offer, {"name": "${secret:NAME}"})  # type: ignore[arg-type]
        await pilot.press("ctrl+s")
        await enter(pilot, app, "greet someone")
        await until(lambda: "greet someone" in names(app))
        await until(lambda: "greet someone is saved in workbench.yaml." in toasts(app))
        assert (
            file.read_text() == TEXT + "  greet someone:\n    tool: greet\n    arguments:\n      name: ${secret:NAME}\n"
        )
        assert form.editor.form is not None
        form.editor.form.set_text(("name",), "@name.txt")
        await pilot.press("ctrl+s")
        await enter(pilot, app, "greet Bo")
        await until(lambda: "greet Bo" in names(app))
        assert app.workspace.saved_calls.last_read.calls[-1].arguments == {"name": "@name.txt"}


async def test_another_call_is_replaced_only_after_a_question(file: Path) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await on_call(app, "greet Ada")
        await choose(pilot, app, "greet")
        for key, text in (("k", TEXT), ("r", TEXT.replace("\n    arguments: {name: Ada}", ""))):
            await pilot.press("ctrl+s")
            await enter(pilot, app, "greet Ada")
            await until(lambda: isinstance(app.screen, ChoiceScreen))
            await pilot.press(key)
            await until(lambda text=text: file.read_text() == text)  # type: ignore[misc]
            await until(lambda: len(app.screen_stack) == 1)


async def test_a_saved_call_is_renamed_and_deleted_in_the_list(file: Path) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await on_call(app, "greet Ada")
        await pilot.press("R")
        await enter(pilot, app, "gone")
        await until(lambda: "There is a saved call of this name already." in screen_text(app))
        await enter(pilot, app, "hello")
        await until(lambda: names(app) == ["hello", "gone"])
        await on_call(app, "gone")
        await pilot.press("delete")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("d")
        await until(lambda: names(app) == ["hello"])
    assert file.read_text() == TEXT.replace("greet Ada", "hello").partition("  gone")[0]


async def test_the_keys_of_saved_calls_need_one_under_the_cursor() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        tree = await on_call(app, "gone")
        tree.move_to_first_offer()
        await pilot.press("R")
        await until(lambda: "Select a saved call in the list first." in toasts(app))


async def test_literal_secrets_are_not_saved(file: Path) -> None:
    link = kitchen_link()
    text = {"type": "string"}
    login = {"type": "object", "properties": {"user": text, "pin": {**text, "format": "password"}}}
    logins = {"type": "array", "items": login}
    properties = {"city": text, "api_key": text, "token": text, "logins": logins}
    tool = {"name": "weather", "inputSchema": {"type": "object", "properties": properties}}
    link.answers["catalog/get"]["tools"].append(tool)
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "weather")
        form = app.query_one(OfferForm)
        await until(lambda: form.offer is not None and form.offer.name == "weather")
        pins = [{"user": "ada", "pin": "${secret:P}"}, {"user": "bo", "pin": "k-1"}]
        arguments = {"city": "Rome", "api_key": "k-1", "token": "${secret:T}", "logins": pins}
        form.load(form.offer, arguments)  # type: ignore[arg-type]
        await pilot.press("ctrl+s")
        await enter(pilot, app, "rain")
        await until(lambda: "It has no api_key, logins[1].pin: write ${secret:NAME} for a secret." in toasts(app))
    assert "k-1" not in file.read_text()
    assert "token: ${secret:T}" in file.read_text()


async def test_a_file_that_changes_is_read_again_and_its_mistakes_are_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tui.screens.saved_calls_pane._CHECK_S", 0.02)
    async with tools(kitchen_link()) as (_, app):
        await until(lambda: names(app) == ["greet Ada", "gone"])
        file.write_text(TEXT + "  bad: 5\n  new: {tool: greet}\n")
        await until(lambda: names(app) == ["greet Ada", "gone", "new"])
        await until(lambda: "workbench.yaml: line 7: bad: write `tool: NAME` below it, and" in toasts(app))
        file.unlink()
        await until(lambda: not names(app))
        await until(lambda: "workbench.yaml" not in toasts(app))
        await until(lambda: "Saved calls" not in screen_text(app))


async def test_a_change_that_is_refused_is_explained(file: Path) -> None:
    file.write_text("calls: {a: {tool: greet}}\n")
    async with tools(kitchen_link()) as (pilot, app):
        await on_call(app, "a")
        await pilot.press("delete")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("d")
        await until(lambda: "is not changed: calls is written in braces" in toasts(app))


async def test_the_search_finds_saved_calls_by_name_and_target() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        tree = await on_call(app, "gone")
        await pilot.press("slash", *"no_such")
        await until(lambda: tree.line_count == 1 and tree.saved_call is not None)
        await pilot.press("escape")
        await until(lambda: tree.line_count > 3)


async def test_the_palette_finds_saved_calls() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await on_call(app, "greet Ada")
        await pilot.press("ctrl+p", *"saved ada")
        await until(lambda: "Saved call: greet Ada" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: value(app) == {"name": "Ada"})
