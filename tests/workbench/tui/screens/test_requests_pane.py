"""The queue of questions: each is answered, declined or withdrawn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.css.query import DOMQuery
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Select, TextArea
from textual.widgets.input import Selection

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, SAMPLING, ask, kitchen_app, kitchen_link
from workbench.tui import url_opening
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.requests_pane import RequestsPane
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.question_list import QuestionList
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


async def test_an_empty_queue_explains_itself() -> None:
    async with requests(kitchen_link()) as (pilot, app):
        assert "No open requests." in screen_text(app)
        await pilot.press("ctrl+j")
        assert "There is no open request." in toasts(app)


async def test_a_form_has_its_defaults_filled_in_and_sends_its_values() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        assert "Which dessert may we bring?" in screen_text(app)
        form = shown(app).query_one(FormEditor).form
        assert form is not None
        assert form.value() == {"spoons": 1, "gift": False}
        form.set_value(("dessert",), "fruit")
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        content = {"dessert": "fruit", "spoons": 1, "gift": False}
        assert answers(link)[0]["result"] == {"action": "accept", "content": content}
        await until(lambda: "No open requests." in screen_text(app))


@pytest.mark.parametrize("is_at_once", [True, False])
async def test_typing_replaces_a_default(is_at_once: bool) -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        spoons = fields(app).first()
        app.screen.set_focus(spoons)
        if not is_at_once:
            await until(lambda: spoons.selection == Selection(0, 1))
        for key in "25":
            app.post_message(events.Key(key, key))
        await until(lambda: spoons.value == "25")
        app.screen.set_focus(None)
        app.screen.set_focus(spoons)
        await pilot.press("6")
        assert spoons.value == "256"


async def test_the_key_that_sends_goes_from_the_list_to_the_answer_first() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        form = shown(app).query_one(FormEditor).form
        assert form is not None
        form.set_value(("dessert",), "fruit")
        await pilot.press("escape")
        assert app.query_one(QuestionList).has_focus
        await pilot.press("ctrl+j")
        await until(lambda: "Press ^j again to send" in toasts(app))
        assert answers(link) == []
        assert not app.query_one(QuestionList).has_focus
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))


async def test_a_form_with_a_problem_cannot_be_accepted() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        for _ in range(2):
            await pilot.press("ctrl+j")
        await until(lambda: "✗ required" in screen_text(app))
        assert "1 problem to fix first" in screen_text(app)
        assert answers(link) == []


@pytest.mark.parametrize(("key", "action"), [("ctrl+d", "decline"), ("ctrl+x", "cancel")])
@pytest.mark.parametrize("params", [DESSERT, ADDRESS], ids=["form", "url"])
async def test_an_elicitation_is_declined_and_cancelled(key: str, action: str, params: dict[str, Any]) -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, params)) as (pilot, _):
        await pilot.press(key)
        await until(lambda: answers(link))
        assert answers(link)[0]["result"] == {"action": action}


async def test_the_buttons_answer_too() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, _):
        await pilot.click("#decline")
        await until(lambda: answers(link))
        assert answers(link)[0]["result"] == {"action": "decline"}


async def test_a_url_is_shown_in_full_and_opens_only_by_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(url_opening.webbrowser, "open", seen.append)
    monkeypatch.setenv("DISPLAY", ":0")
    link = kitchen_link()
    async with requests(link, (ELICIT, ADDRESS)) as (pilot, app):
        text = screen_text(app)
        assert ADDRESS["url"] in text
        assert "host     pay.example.com" in text
        await pilot.press("enter", "y")
        assert app.clipboard == ADDRESS["url"]
        assert (seen, answers(link)) == ([], [])
        await pilot.press("o")
        assert seen == [ADDRESS["url"]]
        assert answers(link) == []
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        assert answers(link)[0]["result"] == {"action": "accept"}
        assert seen == [ADDRESS["url"]]


async def test_a_sampling_request_shows_its_messages_and_accepts_a_written_answer() -> None:
    link = kitchen_link()
    async with requests(link, (SAMPLE, SAMPLING)) as (pilot, app):
        parts = ("You write the menu", "Name a dish of leek", "at most 30 tokens", "claude-sonnet")
        await until(lambda: all(part in screen_text(app) for part in parts))
        await pilot.press("ctrl+j")
        await until(lambda: "Write an answer, or pick one." in screen_text(app))
        app.query_one("SamplingView > TextArea", TextArea).text = "Vichyssoise"
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        assert answers(link)[0]["result"]["content"] == {"type": "text", "text": "Vichyssoise"}


async def test_a_canned_answer_is_picked_even_if_it_is_empty() -> None:
    link = kitchen_link()
    async with requests(link, (SAMPLE, SAMPLING)) as (pilot, app):
        select: Select[int] = app.query_one(Select)
        select.value = 0
        await pilot.pause()
        assert app.query_one("SamplingView > TextArea", TextArea).text == "Name a dish of leek and potato."
        select.value = 5
        await pilot.pause()
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        assert answers(link)[0]["result"]["content"]["text"] == ""


async def test_a_sampling_request_is_refused() -> None:
    link = kitchen_link()
    async with requests(link, (SAMPLE, SAMPLING)) as (pilot, _):
        await pilot.press("ctrl+d")
        await until(lambda: answers(link))
        assert answers(link)[0]["error"]["code"] == -1


async def test_roots_are_answered_with_the_edited_list() -> None:
    link = kitchen_link()
    link.info["project"] = "/home/ada/demo"
    async with requests(link, ("roots/list", {})) as (pilot, app):
        area = app.query_one("RootsView > TextArea", TextArea)
        assert area.text == "/home/ada/demo"
        area.text = "/home/ada/demo\nnot a path"
        await pilot.press("ctrl+j")
        assert "Line 2 is neither an absolute path" in screen_text(app)
        area.text = "/home/ada/my demo\nfile:///srv/data"
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        assert answers(link)[0]["result"]["roots"] == [
            {"uri": "file:///home/ada/my%20demo", "name": "my demo"},
            {"uri": "file:///srv/data", "name": "data"},
        ]


async def test_roots_wait_for_the_user_only_if_that_is_enabled() -> None:
    link = kitchen_link()
    async with requests(link) as (pilot, app):
        await pilot.press("a")
        assert "Roots are answered with" in screen_text(app)
        ask(link, "q1", "roots/list", {})
        await until(lambda: answers(link))
        assert answers(link)[0]["result"] == {"roots": []}


async def test_the_queue_shows_all_kinds_and_keeps_the_input_of_each() -> None:
    link = kitchen_link()
    everything = ((ELICIT, DESSERT), (ELICIT, ADDRESS), (SAMPLE, SAMPLING), ("roots/list", {}))
    async with requests(link, *everything) as (_, app):
        text = screen_text(app)
        assert all(word in text for word in ("? form", "? URL", "? model", "? roots", "(4)"))
        await until(lambda: fields(app))
        fields(app).first().value = "3"
        questions = app.query_one(QuestionList)
        questions.move_to(2)
        await until(lambda: "You write the menu" in screen_text(app))
        questions.move_to(0)
        await until(lambda: "Which dessert" in screen_text(app))
        assert fields(app).first().value == "3"


async def test_a_question_that_the_server_withdraws_is_removed_with_a_message() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, ADDRESS)) as (_, app):
        link.server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q1"}})
        await until(lambda: "A URL to open" in screen_text(app))
        await until(lambda: "The server no longer waits for this answer." in toasts(app))


async def test_a_later_question_does_not_disturb_the_current_question() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        field = fields(app).first()
        field.focus()
        await pilot.press("2")
        ask(link, "q2", ELICIT, ADDRESS)
        await until(lambda: "? URL" in screen_text(app))
        assert field.has_focus
        assert "Which dessert" in screen_text(app)


async def test_a_small_terminal_shows_the_list_first_where_several_wait() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, ADDRESS), size=(80, 24)) as (pilot, app):
        assert "Which dessert" not in screen_text(app)
        await pilot.press("j", "enter")
        await until(lambda: "Requests › A URL to open" in screen_text(app))
        await pilot.press("escape")
        assert "? form" in screen_text(app)


async def test_keys_for_forms_show_why_they_are_not_available_elsewhere() -> None:
    async with requests(kitchen_link(), (ELICIT, ADDRESS)) as (pilot, app):
        await pilot.press("ctrl+t", "ctrl+o")
        assert "This request has no form." in toasts(app)
        assert "Select a field of the form first." in toasts(app)


async def test_the_form_of_a_question_is_answered_as_json_too() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: shown(app).query(Segments))
        await pilot.press("ctrl+t")
        shown(app).query_one("#json > TextArea", TextArea).text = '{"dessert": "sorbet"}'
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        assert answers(link)[0]["result"]["content"] == {"dessert": "sorbet"}


async def test_a_question_that_is_still_being_mounted_accepts_no_answer() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT)) as (pilot, app):
        pane = shown(app)
        assert isinstance(pane, RequestsPane)
        [question] = app.workspace.questions.waiting
        await pane._stack._views.pop(question).remove()
        pane._show(question)
        for action in ("accept", "toggle_json", "omit", "set_null", "remove_item"):
            await pane.action_act(action)
        await until(lambda: "still loading" in toasts(app))
        assert not answers(link)
        await until(lambda: pane._stack._views[question].is_mounted)
        await pilot.press("ctrl+d")
        await until(lambda: answers(link))


async def test_a_question_may_be_withdrawn_at_any_moment_while_it_is_mounted() -> None:
    async with requests(kitchen_link(), (ELICIT, DESSERT)) as (pilot, app):
        pane = shown(app)
        assert isinstance(pane, RequestsPane)
        [question] = app.workspace.questions.waiting
        for turns in range(12):
            await pane._stack._views.pop(question).remove()
            pane._show(question)
            for _ in range(turns):
                await asyncio.sleep(0)
            await pane._stack._views.pop(question).remove()
            pane._show(question)
            await until(lambda: pane._stack._views[question].is_mounted)
            await pilot.pause()
            assert "Which dessert may we bring?" in screen_text(app), turns
