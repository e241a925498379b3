"""Calls from the tools pane: what is sent and when, the result, the history, and the questions of a call."""

import pytest
from textual.widgets import Button, TextArea

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.kitchen import DESSERT, ask, kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import called, choose, fill, run, tools, type_at_once
from workbench.model.bursts import READING_S
from workbench.tui.screens.dialogs import ChoiceScreen
from workbench.tui.screens.tools_pane import ToolsPane
from workbench.tui.widgets import offer_form
from workbench.tui.widgets.diff_view import DiffView
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.tui.widgets.result import ResultView
from workbench.tui.widgets.steady import DropDown


class Clock:
    """A clock that only a test moves."""

    now = 0.0


async def test_a_call_sends_the_values_of_the_form_and_shows_the_result_with_its_latency() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello, Ada!", structuredContent={"result": "Hello, Ada!"})
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada", times="2")
        await pilot.press("ctrl+j")
        await until(lambda: "✓ ok" in screen_text(app))
        text = screen_text(app)
        assert called(link)[0]["arguments"] == {"name": "Ada", "times": 2}
        assert all(
            part in text for part in ("Hello, Ada!", "text and structured content", "0.0 ms", "greet · ✓ ok", "  #1")
        )


async def test_the_offer_under_the_cursor_is_called_while_the_form_is_still_that_of_another() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        tree = app.query_one(OfferTree)
        at = tree.cursor
        tree.focus()
        tree.move_to(1)
        await until(lambda: (offer := app.query_one(OfferForm).offer) is not None and offer.name != "ping")
        await pilot.pause()
        type_at_once(app, *["j"] * (at - 1), "ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["name"] == "ping"


async def test_the_button_calls_too() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        app.query_one("#run", Button).press()
        await until(lambda: "pong" in screen_text(app))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that decides whether the user can have read the problems of a form."""
    clock = Clock()
    monkeypatch.setattr(offer_form, "monotonic", lambda: clock.now)
    return clock


async def test_problems_are_shown_first_and_a_second_key_sends_them(clock: Clock) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Who?")
    async with tools(link) as (pilot, app):
        await run(pilot, app, "greet", "✗ required")
        assert called(link) == []
        assert "1 problem in the form. Run again to send it anyway." in toasts(app)
        await pilot.pause()
        clock.now += READING_S
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {}


@pytest.mark.parametrize("is_json", [False, True], ids=("fields", "JSON"))
async def test_the_notice_about_the_problems_of_a_value_ends_when_the_value_is_changed(is_json: bool) -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*["ctrl+t"] * is_json, "ctrl+j")
        await until(lambda: "1 problem in the form." in toasts(app))
        if is_json:
            app.query_one("#json TextArea", TextArea).text = '{"name": "Ada"}'
        else:
            await pilot.press(*"Ada")
        await until(lambda: toasts(app) == "")


async def test_consent_to_send_the_problems_of_one_tool_is_none_for_those_of_another(clock: Clock) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await run(pilot, app, "greet", "✗ required")
        await pilot.pause()
        clock.now += READING_S
        await run(pilot, app, "order_beans", "✗ required")
        await pilot.pause()
        assert called(link) == []


@pytest.mark.parametrize("keys", [("alt+2", "alt+1"), ("up",)], ids=("another pane", "another key"))
async def test_another_key_withdraws_the_question_whether_to_send_the_problems(
    clock: Clock, keys: tuple[str, ...]
) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await run(pilot, app, "greet", "✗ required")
        await until(lambda: "1 problem in the form." in toasts(app))
        await pilot.press(*keys)
        await until(lambda: toasts(app) == "")
        clock.now += READING_S
        await pilot.press("ctrl+j")
        await until(lambda: "1 problem in the form." in toasts(app))
        assert called(link) == []


async def test_a_key_pressed_before_the_problems_can_be_read_is_no_consent_to_send_them(clock: Clock) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Who?")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, "ctrl+j", "ctrl+j")
        await until(lambda: "✗ required" in screen_text(app))
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert called(link) == []
        clock.now += READING_S
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        await pilot.pause()
        assert len(called(link)) == 1


async def test_the_key_that_calls_takes_the_marked_value_of_an_open_choice_and_never_a_text_without_a_match(
    clock: Clock,
) -> None:
    link = kitchen_link()
    seat = {"enum": [f"the seat number {number}" for number in range(12)]}
    schema = {"type": "object", "properties": {"seat": seat}, "required": ["seat"]}
    link.answers["catalog/get"]["tools"].append({"name": "pick", "inputSchema": schema})
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "pick")
        await until(lambda: app.query(DropDown))
        drop_down: DropDown[int] = app.query_one(DropDown)
        form = app.query_one(OfferForm).editor.form
        assert form is not None
        app.screen.set_focus(drop_down)
        type_at_once(app, "enter", "ctrl+j")
        await until(lambda: len(called(link)) == 1)
        assert called(link)[0]["arguments"] == {"seat": "the seat number 0"}
        assert not drop_down.expanded
        await pilot.press("escape", "enter")
        assert form.value() == {"seat": "the seat number 0"}
        app.screen.set_focus(drop_down)
        type_at_once(app, "enter", *"sofa", "ctrl+j")
        await until(lambda: "sofa" in screen_text(app) and "choose one of the seat number 0" in screen_text(app))
        assert len(called(link)) == 1
        assert not drop_down.expanded
        # What is sent all the same is what the field shows.
        await pilot.pause()
        clock.now += READING_S
        await pilot.press("ctrl+j")
        await until(lambda: len(called(link)) == 2)
        assert called(link)[1]["arguments"] == {"seat": "sofa"}


async def test_editing_revokes_the_permission_to_send_problems() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+j")
        await until(lambda: toasts(app))
        await fill(pilot, app, name="A")
        await pilot.press("ctrl+j")
        await pilot.pause()
        assert called(link) == []


async def test_json_that_cannot_be_read_is_not_sent() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+t")
        app.query_one("#json > TextArea", TextArea).text = "{"
        await pilot.pause()
        await pilot.press("ctrl+j")
        await until(lambda: "Correct it, undo (^z)" in screen_text(app))
        assert called(link) == []


async def test_the_view_belongs_to_each_tool_and_broken_json_stays_with_its_tool() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        editor = app.query_one(FormEditor)
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+t")
        editor.query_one("#json > TextArea", TextArea).text = "soup{}"
        await pilot.press("escape")
        await choose(pilot, app, "ping")
        assert not editor.is_json
        await choose(pilot, app, "greet")
        assert editor.is_json
        assert editor.query_one("#json > TextArea", TextArea).text == "soup{}"
        assert "✗ not JSON" in screen_text(app)


async def test_a_running_call_shows_its_progress_and_is_cancelled() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        token = called(link)[0]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": 3, "total": 5, "message": "Cup 3 of 5"}
        link.server.write({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        await until(lambda: "3/5 Cup 3 of 5" in screen_text(app))
        assert "… running" in screen_text(app)
        await pilot.press("ctrl+x")
        await until(lambda: "cancelled" in screen_text(app) and "Cup 3 of 5" not in screen_text(app))
        assert called(link, "notifications/cancelled")


async def test_a_failed_call_shows_its_kind_and_its_hint() -> None:
    link = kitchen_link()
    meta = {"arcade": {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True, "additionalPromptContent": "Try soup."}}
    link.server.replies["tools/call"] = text_result("There is no cheesecake left.", isError=True, _meta=meta)
    async with tools(link) as (pilot, app):
        await run(pilot, app, "ping", "✗ tool error")
        text = screen_text(app)
        assert all(part in text for part in ("✗ TOOL_RUNTIME_RETRY", "There is no cheesecake left.", "Try soup."))


async def test_an_error_of_the_protocol_is_shown_as_no_result() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        call_id = next(message["id"] for message in link.server.received if message.get("method") == "tools/call")
        link.server.write(
            {"jsonrpc": "2.0", "id": call_id, "error": {"code": -32602, "message": "Unknown tool: 'ping'"}}
        )
        await until(lambda: "✗ error" in screen_text(app))
        assert "Unknown tool: 'ping'" in screen_text(app)


async def test_the_history_shows_earlier_results_runs_them_again_and_puts_them_into_the_form() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = lambda params: text_result(f"Hello, {params['arguments']['name']}!")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        for name in ("Ada", "Bo"):
            await fill(pilot, app, name=name)
            await pilot.press("ctrl+j")
            await until(lambda name=name: f"Hello, {name}!" in screen_text(app))
        app.query_one(ToolsPane).action_toggle_history()
        await pilot.pause()
        await pilot.press("j")
        await until(lambda: "Hello, Ada!" in screen_text(app))
        await pilot.press("r")
        await until(lambda: len(called(link)) == 3)
        assert called(link)[2]["arguments"] == {"name": "Ada"}
        await until(lambda: "greet · ✓ ok" in screen_text(app) and "  #3" in screen_text(app))
        await pilot.press("e")
        await until(lambda: app.query(LineEditor).first().value == "Ada")


async def test_arguments_that_do_not_fit_their_fields_are_put_into_a_form_that_is_not_open() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("No.", isError=True)
    async with tools(link) as (pilot, app):
        arguments = {"name": ["Ada"], "style": {"of": "old"}, "times": "often", "loud": None, "extra": [1]}
        run = app.workspace.call("greet", arguments)
        await until(lambda: not run.is_running)
        await choose(pilot, app, "book_table")
        await pilot.press("escape", "h", "e")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == arguments)
        await until(lambda: "often" in screen_text(app))


async def test_without_a_call_there_is_nothing_to_run_again_and_the_reason_is_shown() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        app.query_one(OfferTree).focus()
        await pilot.press("r")
        assert "There are no calls yet." in toasts(app)
        app.query_one(ResultView).focus()
        await pilot.press("y")
        await until(lambda: "There is nothing to copy here." in toasts(app))


async def test_each_form_keeps_its_values_and_each_tool_its_last_result() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello, Ada!")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: "Hello, Ada!" in screen_text(app))
        await choose(pilot, app, "ping")
        assert "No result yet." in screen_text(app)
        assert "^j     runs the tool in the form" in screen_text(app)
        await choose(pilot, app, "greet")
        await until(lambda: app.query(LineEditor) and app.query(LineEditor).first().value == "Ada")
        assert "Hello, Ada!" in screen_text(app)


async def test_the_message_about_problems_of_a_form_is_removed_when_another_tool_is_opened() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "greet")
        app.query_one(OfferForm).value_to_send()
        await until(lambda: toasts(app))
        other = next(tool["name"] for tool in app.tools if tool["name"] != "greet")
        await choose(pilot, app, other)
        await until(lambda: toasts(app) == "")


async def test_the_key_that_cancels_a_call_does_not_dismiss_a_question_of_the_list() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await app.show("requests")
        await until(lambda: "asked by ping #1" in screen_text(app))
        await pilot.press("ctrl+x")
        await pilot.pause()
        assert app.workspace.questions.waiting
        await pilot.press("alt+d")
        await until(lambda: not app.workspace.questions.waiting)
        await pilot.press("alt+1", "ctrl+x")
        await until(lambda: not next(iter(app.workspace.history)).is_running)


async def test_a_result_is_copied_as_json() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await run(pilot, app, "ping", "pong")
        app.query_one(ResultView).focus()
        await pilot.press("y")
        await until(lambda: isinstance(app.screen, ChoiceScreen))
        await pilot.press("y")
        await until(lambda: '"text": "pong"' in app.clipboard)


async def test_the_lists_and_views_beside_the_result_copy_what_they_show() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await run(pilot, app, "ping", "pong")
        await run(pilot, app, "ping", "pong")
        app.query_one(OfferTree).focus()
        await pilot.press("y")
        await until(lambda: "The name of the tool ping is in the clipboard." in toasts(app))
        assert app.clipboard == "ping"
        await pilot.press("h", "y")
        await until(lambda: "Call #2 of ping, as JSON, is in the clipboard." in toasts(app))
        assert app.clipboard == '{\n  "name": "ping"\n}'
        await app.action_do("tools", "show_diff")
        app.query_one(DiffView).focus()
        await pilot.press("y")
        await until(lambda: "The difference from the previous call is in the clipboard." in toasts(app))
        assert app.clipboard.startswith("Against #1")
        assert app.clipboard.endswith("Result  the same as #1")


async def test_the_value_under_the_cursor_and_its_path_are_copied() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result('{"dish": {"name": "so\\nup"}}')
    async with tools(link) as (pilot, app):
        await run(pilot, app, "ping", "dish")
        app.query_one(ResultView).focus()
        await pilot.press("j", "j", "j")
        for key, text in (("v", "so\nup"), ("t", '"so\\nup"'), ("p", "$.dish.name")):
            await pilot.press("y")
            await until(lambda: isinstance(app.screen, ChoiceScreen))
            await pilot.press(key)
            await until(lambda text=text: app.clipboard == text)  # type: ignore[misc]


async def test_a_key_that_sends_shows_that_the_core_is_lost_also_over_the_dialog_about_that() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        link.closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("ctrl+j")
        await until(lambda: not app.screen.is_modal)
        assert "The core is lost: press f5 to restart it." in toasts(app)
        await pilot.press("ctrl+j")
        await until(lambda: "The core is lost. Press f5" in screen_text(app))
        assert not called(link)
        await choose(pilot, app, "demo://menu")
        await pilot.press("ctrl+j")
        await until(lambda: len(app.workspace.history) == 2)
        text = "The core is lost. Press f5 to restart it."
        await until(lambda: all(run.error == text for run in app.workspace.history))
