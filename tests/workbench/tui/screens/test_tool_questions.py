"""The question of the call in view: when it opens, when it has the focus, and how one goes there and back."""

from types import SimpleNamespace
from typing import Any

import pytest
from textual.widget import Widget
from textual.widgets import Button, Static

from tests.waiting import until
from tests.workbench.client.test_questions import Asked
from tests.workbench.tui.driving import Driven, screen_text, toasts
from tests.workbench.tui.fakes import FakeLink
from tests.workbench.tui.kitchen import ADDRESS, DESSERT, GREET, KITCHEN, PING, SAMPLING, ask, kitchen_link, text_result
from tests.workbench.tui.screens.requests_pane import ELICIT, SAMPLE, answers
from tests.workbench.tui.screens.tools_pane import called, choose, fill, tools
from workbench.model.history import CallRun
from workbench.tui.screens import answer_guard, tool_questions
from workbench.tui.screens.answer_guard import AnswerGuard
from workbench.tui.screens.question_column import QuestionColumn
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.outcome import Outcome
from workbench.tui.widgets.questions.question_view import QuestionView
from workbench.tui.widgets.steady import DropDown

VISIT = {"mode": "url", "url": "https://example.org/visit", "message": "Log in first.", "elicitationId": "v1"}
NARROW, MIDDLE, WIDE = (80, 24), (120, 40), (180, 40)
all_widths = pytest.mark.parametrize("size", [(60, 15), NARROW, MIDDLE, WIDE], ids=str)
beside_the_form = pytest.mark.parametrize("size", [MIDDLE, WIDE], ids=str)


async def call(driven: Driven, link: FakeLink, tool: str = "ping") -> CallRun:
    """Call a tool, which waits."""
    pilot, app = driven
    before = len(called(link))
    await choose(pilot, app, tool)
    await pilot.press("ctrl+j")
    await until(lambda: len(called(link)) > before)
    run = app.query_one(Outcome).run
    assert run is not None
    return run


async def opened(driven: Driven) -> QuestionColumn:
    """Wait until a question is open."""
    column = driven[1].query_one(QuestionColumn)
    await until(lambda: column.question is not None and column.size.width > 0)
    await until(lambda: column.query(QuestionView) and column.query(QuestionView).first().is_mounted)
    await driven[0].pause()
    return column


async def focused_in(driven: Driven, widget: Widget) -> None:
    """Wait until the focus is in a widget, and not on a placeholder."""
    await until(lambda: widget.has_focus_within and driven[1].focused is not widget)


@beside_the_form
async def test_the_question_of_the_call_in_view_opens_without_the_focus(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as driven:
        pilot, app = driven
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        before = app.focused
        assert isinstance(before, LineEditor)
        ask(link, "q1", ELICIT, DESSERT)
        await opened(driven)
        assert app.focused is before
        assert "Which dessert may we bring?" in screen_text(app)
        assert "^g to answer" in screen_text(app)
        assert toasts(app) == ""
        await pilot.press("x")
        assert before.value.endswith("x")


@beside_the_form
async def test_after_the_answer_the_focus_returns_to_where_it_was(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as driven:
        pilot, app = driven
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        before = app.focused
        for number in (1, 2):
            ask(link, f"q{number}", ELICIT, DESSERT)
            column = await opened(driven)
            await pilot.press("ctrl+g")
            await focused_in(driven, column)
            await pilot.press("ctrl+d")
            await until(lambda number=number: len(answers(link)) == number)
            await until(lambda: app.focused is before)
            assert app.place == "tools"
            assert column.question is None


@all_widths
async def test_a_question_takes_the_focus_where_the_user_waits_for_the_outcome(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
    link = kitchen_link()
    async with tools(link, size) as driven:
        pilot, app = driven
        await call(driven, link)
        outcome = app.query_one(Outcome)
        app.set_focus(outcome.front)
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        await focused_in(driven, column)
        assert "Which dessert may we bring?" in screen_text(app)
        await pilot.press("ctrl+d")
        await until(lambda: answers(link))
        await until(lambda: outcome.front.has_focus)
        await until(lambda: outcome.front.size.width > 0)


async def test_the_key_stays_at_a_question_that_has_taken_the_focus_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
    link = kitchen_link()
    async with tools(link, NARROW) as driven:
        pilot, app = driven
        await call(driven, link)
        app.set_focus(app.query_one(Outcome).front)
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        await focused_in(driven, column)
        await pilot.press("ctrl+g")
        assert column.has_focus_within
        await pilot.press("ctrl+g")
        await until(lambda: not column.has_focus_within)


async def test_keys_pressed_when_a_question_takes_the_focus_do_not_answer_or_leave_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = kitchen_link()
    monkeypatch.setattr(answer_guard, "GUARD_S", 1000.0)
    async with tools(link, NARROW) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}})
        column = await opened(driven)
        await focused_in(driven, column)
        await pilot.press("ctrl+j")
        await until(lambda: "This request has just been opened" in toasts(app))
        assert not answers(link)
        await pilot.press("ctrl+g")
        assert column.has_focus_within
        monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
        await pilot.press("ctrl+j")
        await until(lambda: answers(link))


@all_widths
async def test_the_key_goes_to_the_question_and_back(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as driven:
        pilot, app = driven
        await call(driven, link)
        await choose(pilot, app, "ping")
        before = app.focused
        ask(link, "q1", ELICIT, DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        for _ in range(2):
            await pilot.press("ctrl+g")
            column = await opened(driven)
            await focused_in(driven, column)
            await pilot.press("ctrl+g")
            await until(lambda: app.focused is before)
        assert app.workspace.questions.waiting
        assert not answers(link)


@beside_the_form
async def test_running_again_goes_first_to_the_question_that_the_call_waits_for(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as driven:
        pilot, app = driven
        await call(driven, link)
        before = app.focused
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        await until(lambda: " ^g answer  ^j run" in screen_text(app))
        assert "^g to answer" in screen_text(app)
        assert "Accept ^j" not in screen_text(app)
        await pilot.press("ctrl+j")
        await focused_in(driven, column)
        assert "Its call waits for this answer. esc, then ^j calls it once more." in toasts(app)
        await until(lambda: "Accept ^j" in screen_text(app))
        assert len(called(link)) == 1
        await pilot.press("escape")
        await until(lambda: app.focused is before)
        await until(lambda: "Accept ^j" not in screen_text(app))
        assert toasts(app) == ""
        await pilot.press("ctrl+j")
        await until(lambda: len(called(link)) == 2)
        assert not answers(link)


@pytest.mark.parametrize("key", ["r", "f8"], ids=("again", "as a task"))
async def test_every_key_that_calls_goes_first_to_the_question_that_the_call_waits_for(key: str) -> None:
    link = kitchen_link()
    ping = PING | {"execution": {"taskSupport": "optional"}}
    link.answers["catalog/get"] = KITCHEN | {"tools": [GREET, ping]}
    async with tools(link, WIDE) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        app.screen.set_focus(app.query_one(Outcome).front)
        await pilot.press(key)
        await focused_in(driven, column)
        assert f"esc, then {key} calls it once more." in toasts(app)
        assert len(called(link)) == 1
        await pilot.press("escape")
        await until(lambda: not column.has_focus_within)
        await pilot.press(key)
        await until(lambda: len(called(link)) == 2)


@all_widths
async def test_escape_leaves_a_question_open_and_its_call_running(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as driven:
        pilot, app = driven
        run = await call(driven, link)
        await choose(pilot, app, "ping")
        ask(link, "q1", ELICIT, DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("ctrl+g")
        column = await opened(driven)
        await focused_in(driven, column)
        for _ in range(5):
            await pilot.press("escape")
            await pilot.pause()
        assert not column.has_focus_within
        assert run.is_running
        assert app.workspace.questions.waiting
        assert not answers(link)


async def test_the_outcome_behind_a_question_is_shown_by_escape() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, DESSERT)
        await opened(driven)
        assert "Result  Log  Raw" not in screen_text(app)
        await pilot.press("ctrl+g")
        await focused_in(driven, app.query_one(QuestionColumn))
        await pilot.press("escape")
        await until(lambda: "Result  Log  Raw" in screen_text(app))
        assert "ping #1 asks: ^g answers" in screen_text(app)


async def test_what_is_typed_is_kept_while_the_question_is_put_aside_and_on_the_requests_screen() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        editor = next(editor for editor in column.query(LineEditor) if editor.value == "1")
        editor.focus()
        editor.value = "7"
        await pilot.press("escape", "alt+3")
        await until(lambda: app.place == "requests" and app.pane is not None)
        pane = app.pane
        assert pane is not None
        await until(lambda: any(editor.value == "7" for editor in pane.query(LineEditor)))
        other = next(editor for editor in pane.query(LineEditor) if editor.value == "7")
        other.value = "5"
        await pilot.press("alt+1")
        await until(lambda: editor.value == "5")


async def test_a_question_of_another_call_is_announced_in_one_line_and_leaves_the_screen_as_it_is() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        ask(link, "q1", ELICIT, ADDRESS)
        await until(lambda: "requests a visit to a URL" in toasts(app))
        before = app.focused
        assert "kitchen requests a visit to a URL: Please confirm the payment. – ^g answers." in toasts(app)
        assert "3 Requests (1)" in screen_text(app)
        assert app.query_one(QuestionColumn).question is None
        await pilot.press("ctrl+g")
        column = await opened(driven)
        await focused_in(driven, column)
        await pilot.press("ctrl+d")
        await until(lambda: answers(link))
        await until(lambda: app.focused is before)
        assert "answers." not in toasts(app)


async def test_the_question_of_the_call_in_view_comes_before_older_ones() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        ask(link, "q1", SAMPLE, SAMPLING)
        await until(lambda: app.workspace.questions.waiting)
        await call(driven, link)
        ask(link, "q2", ELICIT, DESSERT)
        column = await opened(driven)
        assert "Request 2 of 2" in screen_text(app)
        await pilot.press("ctrl+g")
        await focused_in(driven, column)
        await pilot.press("ctrl+d")
        await until(lambda: answers(link))
        assert [answer["id"] for answer in answers(link)] == ["q2"]


async def test_beside_a_call_without_a_known_question_the_key_opens_the_last_announced_one() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        ask(link, "q1", ELICIT, ADDRESS)
        await until(lambda: app.workspace.questions.waiting)
        ask(link, "q2", ELICIT, DESSERT)
        await until(lambda: len(app.workspace.questions.waiting) == 2)
        note = app.query_one("#waiting", Static)
        await until(lambda: "asks: ^g answers · 1 other request waits" in str(note.content))
        await pilot.press("ctrl+g")
        column = await opened(driven)
        await until(lambda: "Which dessert may we bring?" in screen_text(app))
        assert "Request 2 of 2 · alt+n next" in screen_text(app)
        await focused_in(driven, column)


async def test_a_key_goes_from_one_open_request_to_the_next_and_keeps_what_was_entered() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        before = app.focused
        ask(link, "q1", ELICIT, DESSERT)
        ask(link, "q2", ELICIT, ADDRESS)
        await until(lambda: len(app.workspace.questions.waiting) == 2)
        await pilot.press("ctrl+g")
        column = await opened(driven)
        await focused_in(driven, column)
        await until(lambda: "alt+n next" in screen_text(app))
        column.query(LineEditor).first().value = "2"
        await pilot.press("alt+n")
        await until(lambda: "Request 2 of 2" in screen_text(app) and "A URL to open" in screen_text(app))
        await focused_in(driven, column)
        await pilot.press("alt+n")
        await until(lambda: "Request 1 of 2" in screen_text(app))
        assert column.query(LineEditor).first().value == "2"
        await pilot.press("ctrl+g")
        await until(lambda: app.focused is before)
        assert not answers(link)


async def test_the_key_answers_from_every_screen_and_returns_there() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        await app.show("problems")
        ask(link, "q1", ELICIT, DESSERT)
        await until(lambda: "ping #1 asks: Which dessert may we bring? – ^g answers." in toasts(app))
        await pilot.press("ctrl+g")
        await until(lambda: app.place == "tools")
        await focused_in(driven, await opened(driven))
        await pilot.press("ctrl+d")
        await until(lambda: app.place == "problems")
        assert answers(link)


async def test_a_question_that_is_withdrawn_gives_the_focus_back() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        await choose(pilot, app, "ping")
        before = app.focused
        ask(link, "q1", ELICIT, DESSERT)
        await opened(driven)
        await pilot.press("ctrl+g")
        await focused_in(driven, app.query_one(QuestionColumn))
        link.server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q1"}})
        await until(lambda: app.focused is before)
        assert "The server no longer waits for this answer." in toasts(app)


async def test_letters_are_no_commands_while_a_question_has_the_focus() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, ADDRESS)
        await opened(driven)
        await pilot.press("ctrl+g")
        column = app.query_one(QuestionColumn)
        await focused_in(driven, column)
        await pilot.press("h", "r", "e", "slash", "O", "E")
        assert column.has_focus_within
        assert len(called(link)) == 1


async def test_the_question_closes_when_another_call_comes_into_view() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        await choose(pilot, app, "thirty")
        await until(lambda: column.question is None)
        await choose(pilot, app, "ping")
        await until(lambda: column.question is not None)
        assert app.query(DropDown)


async def test_the_next_question_of_a_call_gets_the_focus_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    link = kitchen_link()
    monkeypatch.setattr(tool_questions, "NEXT_S", 1000.0)
    monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        before = app.focused
        request = await link.server.message("tools/call")
        for number in (1, 2, 3):
            ask(link, f"q{number}", ELICIT, DESSERT)
            column = await opened(driven)
            if number == 1:
                await pilot.press("ctrl+g")
            await focused_in(driven, column)
            await pilot.press(*["ctrl+d"] * min(number, 2))
            await until(lambda number=number: len(answers(link)) == number)
            assert column.has_focus_within
        link.server.answer(request, text_result("Served."))
        await until(lambda: app.focused is before)
        await until(lambda: "Served." in screen_text(app))


@pytest.mark.parametrize(("between", "count"), [([], 1), (["tab"], 2)])
async def test_a_key_that_has_ended_a_question_does_not_end_the_next_until_the_user_has_used_that(
    between: list[str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = kitchen_link()
    monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        for number in (1, 2):
            ask(link, f"q{number}", ELICIT, DESSERT)
        await until(lambda: len(app.workspace.questions.waiting) == 2)
        column = await opened(driven)
        await pilot.press("ctrl+g")
        await focused_in(driven, column)
        await pilot.press("ctrl+d")
        await until(lambda: len(answers(link)) == 1 and column.question in app.workspace.questions.waiting)
        await focused_in(driven, column)
        await pilot.press(*between, "ctrl+d")
        if count == 1:
            await until(lambda: "This is the next request; press ^d again to decline it." in toasts(app))
            assert len(answers(link)) == 1
            await pilot.press("ctrl+d")
        await until(lambda: len(answers(link)) == 2)
        await until(lambda: not app.workspace.questions.waiting)


def test_a_key_pressed_before_the_next_question_was_visible_for_a_moment_does_not_count_as_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answer_guard, "GUARD_S", 1000.0)
    guard, question = AnswerGuard(), Asked("elicitation").question
    guard.start(question, is_next=True)
    guard.note_key()
    monkeypatch.setattr(answer_guard, "GUARD_S", 0.0)
    assert guard.objection(question) == "This is the next request"
    assert not guard.objection(question)


def test_a_key_that_is_held_down_never_ends_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(answer_guard, "time", SimpleNamespace(monotonic=lambda: now))
    guard, question = AnswerGuard(), Asked("elicitation").question
    guard.start(question, is_next=True)
    for _ in range(100):
        now += 0.05
        assert guard.objection(question) == "This is the next request"
    now += 2 * answer_guard.READING_S
    assert not guard.objection(question)


async def test_the_focus_returns_if_the_call_asks_nothing_else_for_a_moment() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        run = await call(driven, link)
        before = app.focused
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        await pilot.press("ctrl+g")
        await focused_in(driven, column)
        await pilot.press("ctrl+d")
        await until(lambda: app.focused is before)
        assert run.is_running
        assert not column.can_focus


async def test_what_was_typed_for_a_withdrawn_question_is_kept_for_the_next_one_like_it() -> None:
    link = kitchen_link()
    async with tools(link) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, DESSERT | {"elicitationId": "1"})
        column = await opened(driven)
        editor = next(editor for editor in column.query(LineEditor) if editor.value == "1")
        editor.value = "7"
        await pilot.pause()
        link.server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q1"}})
        await until(lambda: "What you have entered is kept for the next request like it." in toasts(app))
        ask(link, "q2", ELICIT, DESSERT | {"elicitationId": "2"})
        await until(lambda: any(editor.value == "7" for editor in column.query(LineEditor)))


@pytest.mark.parametrize("question", [DESSERT, VISIT], ids=("form", "url"))
async def test_every_button_of_a_question_can_be_read_in_the_narrowest_column(question: dict[str, Any]) -> None:
    link = kitchen_link()
    async with tools(link, MIDDLE) as driven:
        pilot, app = driven
        await call(driven, link)
        ask(link, "q1", ELICIT, question)
        column = await opened(driven)
        for _ in range(10):
            await pilot.press("alt+right")
            await pilot.pause()
        await pilot.press("ctrl+g")
        await focused_in(driven, column)
        await pilot.pause()
        await until(lambda: column.size.width < 20)
        for button in column.query(".buttons > Button").results(Button):
            assert column.content_region.contains_region(button.region)
            assert str(button.label) in screen_text(app)


@all_widths
async def test_a_question_that_takes_the_focus_by_itself_shows_the_keys_of_its_buttons(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as driven:
        _, app = driven
        await call(driven, link)
        app.screen.set_focus(app.query_one(Outcome).front)
        ask(link, "q1", ELICIT, DESSERT)
        column = await opened(driven)
        await focused_in(driven, column)
        await until(lambda: "Accept ^j" in screen_text(app))
        assert "Dismiss alt+d" in screen_text(app)
