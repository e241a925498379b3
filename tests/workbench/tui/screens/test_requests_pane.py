"""The list of open requests of the server: its order, its keys, and requests that are withdrawn."""

import asyncio

import pytest
from textual.widgets import Input, Select, TextArea

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, settled, toasts
from tests.workbench.tui.fakes import NOON
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, SAMPLING, ask, kitchen_link
from tests.workbench.tui.screens.requests_pane import ELICIT, SAMPLE, answers, fields, requests, shown
from workbench.tui.screens import answer_guard
from workbench.tui.screens.requests_pane import RequestsPane
from workbench.tui.widgets.form.segments import Segments
from workbench.tui.widgets.questions.question_list import QuestionList


async def test_an_empty_queue_explains_itself() -> None:
    async with requests(kitchen_link()) as (pilot, app):
        assert "No open requests." in screen_text(app)
        await pilot.press("ctrl+j")
        assert "There is no open request." in toasts(app)


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


async def test_the_key_that_ends_a_request_does_not_end_the_next_one() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, ADDRESS), (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        questions = app.query_one(QuestionList)
        await pilot.press("ctrl+d")
        await until(lambda: len(answers(link)) == 1)
        await until(lambda: questions.has_focus and "A URL to open" in screen_text(app))
        await pilot.press("ctrl+d")
        assert not questions.has_focus
        assert "Press ^d again to decline it." in toasts(app)
        assert len(answers(link)) == 1


async def test_a_second_click_does_not_answer_the_request_that_has_come_under_the_pointer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_guard, "GUARD_S", 1000.0)
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        await pilot.click("#decline")
        await until(lambda: len(answers(link)) == 1)
        await until(lambda: len(app.query("#decline")) == 1 and app.query_one("#decline").size.width > 0)
        await pilot.pause()
        await pilot.click("#decline")
        assert "This request has just been opened; press ^d again to decline it." in toasts(app)
        assert len(answers(link)) == 1
        monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
        # The notice moves the button.
        await settled(pilot)
        await pilot.click("#decline")
        await until(lambda: len(answers(link)) == 2)


async def test_a_key_goes_to_the_next_of_several_requests() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, ADDRESS)) as (pilot, app):
        await pilot.press("alt+n")
        await until(lambda: "A URL to open" in screen_text(app))
        await until(lambda: not app.query_one(QuestionList).has_focus)
        await pilot.press("alt+n")
        await until(lambda: "Which dessert may we bring?" in screen_text(app))
        await pilot.press("ctrl+d")
        await until(lambda: len(answers(link)) == 1)
        assert answers(link)[0]["id"] == "q1"
        await pilot.press("alt+n")
        assert "There is no other open request." in toasts(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
async def test_a_row_shows_what_is_asked_and_for_how_long(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (SAMPLE, SAMPLING), ("roots/list", {}), size=size) as (pilot, app):
        for question in app.workspace.questions.waiting:
            question.asked = app.workspace.clock() - 180
        pane = app.query_one(RequestsPane)
        pane.show_time_left()
        await pilot.pause()
        rows = [row for row in screen_text(app).splitlines() if " old" in row]
        assert [row.count("3 min old") for row in rows] == [1, 1, 1]
        assert "? form  Which dessert" in rows[0]
        assert "? model Name a dish" in rows[1]
        app.workspace.clock = lambda: NOON + 3600
        pane.show_time_left()
        await until(lambda: "1 h old" in screen_text(app))


async def test_a_request_that_ends_while_it_is_filled_in_leaves_the_focus_in_the_list() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, DESSERT)) as (pilot, app):
        await until(lambda: fields(app))
        fields(app).first().focus()
        await pilot.press("2")
        link.server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q1"}})
        await until(lambda: app.query_one(QuestionList).has_focus)
        assert len(app.workspace.questions.waiting) == 1


async def test_a_small_terminal_shows_the_list_first_where_several_wait() -> None:
    link = kitchen_link()
    async with requests(link, (ELICIT, DESSERT), (ELICIT, ADDRESS), size=(80, 24)) as (pilot, app):
        await until(lambda: "asked by" not in screen_text(app))
        await pilot.press("j", "enter")
        await until(lambda: "Requests › A URL to open" in screen_text(app))
        await pilot.press("escape")
        await until(lambda: "? form" in screen_text(app))


async def test_keys_for_forms_show_why_they_are_not_available_elsewhere() -> None:
    async with requests(kitchen_link(), (ELICIT, ADDRESS)) as (pilot, app):
        await pilot.press("ctrl+t")
        assert "This request has no form." in toasts(app)
        await pilot.press("alt+o")
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
        pane.focus_question()
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


TOOLS = [{"name": "look_up", "description": "Look a dish up.", "inputSchema": {"properties": {"dish": {}}}}]


async def test_the_tools_that_a_sampling_request_offers_are_shown_and_can_be_used() -> None:
    link = kitchen_link()
    async with requests(link, (SAMPLE, SAMPLING | {"tools": TOOLS}), size=(120, 60)) as (pilot, app):
        await until(lambda: "Look a dish up." in screen_text(app))
        assert "1 tool offered" in screen_text(app)
        assert "Parameters: dish" in screen_text(app)
        shown(app).query_one(TextArea).text = '@look_up {"dish": "soup"}'
        shown(app).query_one("#model", Input).value = "my-model"
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        result = answers(link)[0]["result"]
        assert result["content"] == [{"type": "tool_use", "id": "use-1", "name": "look_up", "input": {"dish": "soup"}}]
        assert (result["model"], result["stopReason"]) == ("my-model", "toolUse")


async def test_an_earlier_answer_is_offered_again() -> None:
    link = kitchen_link()
    async with requests(link, (SAMPLE, SAMPLING)) as (pilot, app):
        shown(app).query_one(TextArea).text = "Leek soup."
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))
        ask(link, "q2", SAMPLE, SAMPLING)
        await until(lambda: shown(app).query(Select))
        options = [str(prompt) for prompt, _ in shown(app).query_one(Select)._options]
        assert "Leek soup." in options
