"""Requests of the server, by kind: how each is answered, declined and cancelled."""

from typing import Any

import pytest
from textual import events
from textual.widgets import Select, TextArea
from textual.widgets.input import Selection

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, SAMPLING, ask, kitchen_link
from tests.workbench.tui.screens.requests_pane import ELICIT, SAMPLE, answers, fields, requests, shown
from workbench.tui import url_opening
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.questions.question_list import QuestionList


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
async def test_typing_replaces_a_default_and_later_what_was_typed(is_at_once: bool) -> None:
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
        assert spoons.value == "6"


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


@pytest.mark.parametrize(("key", "action"), [("ctrl+d", "decline"), ("alt+d", "cancel")])
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
        await until(lambda: "Line 2 is neither an absolute path" in screen_text(app))
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


@pytest.mark.parametrize("request_", [(ELICIT, DESSERT), (ELICIT, ADDRESS), (SAMPLE, SAMPLING), ("roots/list", {})])
@pytest.mark.parametrize("height", [15, 16, 24])
async def test_the_buttons_of_a_request_are_in_view_in_a_small_terminal(
    request_: tuple[str, dict[str, Any]], height: int
) -> None:
    async with requests(kitchen_link(), request_, size=(60, height)) as (pilot, app):
        await pilot.press("enter")
        await until(lambda: shown(app).query("#decline"))
        await until(lambda: shown(app).query_one("#decline").region.bottom in range(1, height))
        assert shown(app).query_one("#accept").region.height == 1
