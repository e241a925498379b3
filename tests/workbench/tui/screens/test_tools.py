"""The tools pane: from the tree to the form, the result and the history."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Button, Input, TextArea

from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, toasts
from tests.workbench.tui.fakes import ACCOUNTS, SECRETS, FakeLink, open_fixed_workspace
from tests.workbench.tui.kitchen import BOOK, DESSERT, GREET, KITCHEN, PING, ask, kitchen_app, kitchen_link, text_result
from workbench.model.bursts import READING_S
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.tools import ToolsPane
from workbench.tui.widgets import offer_form
from workbench.tui.widgets.form.editor import FormEditor
from workbench.tui.widgets.form.groups import GroupHead
from workbench.tui.widgets.form.row import FieldRow
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.tui.widgets.result import ResultView
from workbench.workspace.open_request import Wanted
from workbench.workspace.workspace import Workspace

Driven = tuple[Pilot[Any], WorkbenchApp]


@asynccontextmanager
async def tools(link: FakeLink, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Driven]:
    app = kitchen_app(link)
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        yield pilot, app


async def choose(pilot: Pilot[Any], app: WorkbenchApp, name: str) -> None:
    """Go to the form of an offer."""
    tree = app.query_one(OfferTree)
    index = next(at for at in range(tree.line_count) if (offer := tree.offer_at(at)) and offer.name == name)
    tree.focus()
    tree.move_to(index)
    tree.action_select()
    form = app.query_one(OfferForm)
    await until(lambda: form.offer is not None and form.offer.name == name)
    await pilot.pause()


async def fill(pilot: Pilot[Any], app: WorkbenchApp, **texts: str) -> None:
    """Type into text fields of the first level."""
    for name, text in texts.items():
        await until(lambda name=name: any(row.field.name == name for row in app.query("TextRow").results()))  # type: ignore[attr-defined]
        row = next(row for row in app.query("TextRow").results() if row.field.name == name)  # type: ignore[attr-defined]
        row.query_one(LineEditor).value = text
    await pilot.pause()


class Clock:
    """A clock that only a test moves."""

    now = 0.0


def type_at_once(app: WorkbenchApp, *keys: str) -> None:
    """Send keys at once, as from a program, or from a terminal without bracketed paste."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


def called(link: FakeLink, method: str = "tools/call") -> list[dict[str, Any]]:
    return [message["params"] for message in link.server.received if message.get("method") == method]


async def test_the_tree_shows_the_offers_of_the_server_and_the_first_form_is_open() -> None:
    async with tools(kitchen_link()) as (_, app):
        text = screen_text(app)
        assert all(part in text for part in ("Tools  6", "Resources  2", "Prompts  1", "demo://dishes/{dish}"))
        assert "Greet a guest by name." in text
        assert "read-only" in text


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
        assert all(part in text for part in ("Hello, Ada!", "structured content", '"result"', "0.0 ms", "greet  #1"))


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


async def test_problems_are_shown_first_and_sent_along_when_asked_again(clock: Clock) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Who?")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+j")
        await until(lambda: "✗ required" in screen_text(app))
        assert called(link) == []
        assert "1 problem in the form. Run again to send it anyway." in toasts(app)
        await pilot.pause()
        clock.now += READING_S
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {}


async def test_consent_to_send_the_problems_of_one_tool_is_none_for_those_of_another(clock: Clock) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+j")
        await until(lambda: "✗ required" in screen_text(app))
        await pilot.pause()
        clock.now += READING_S
        await choose(pilot, app, "order_beans")
        await pilot.press("ctrl+j")
        await until(lambda: "✗ required" in screen_text(app))
        await pilot.pause()
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


async def test_line_feeds_within_text_that_comes_at_once_are_new_lines_and_run_nothing() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, *"one", "ctrl+j", *"two", "ctrl+j", "ctrl+j", *"four")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "one\ntwo\n\nfour"})  # type: ignore[union-attr]
        await pilot.press("escape", "ctrl+j")
        await until(lambda: called(link))
        assert [call["arguments"] for call in called(link)] == [{"name": "one\ntwo\n\nfour"}]


async def test_the_line_feed_at_the_end_of_a_burst_runs_the_call_once_with_all_of_its_text() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        type_at_once(app, "a", "ctrl+j", "b", "ctrl+j", "ctrl+j")
        await until(lambda: called(link))
        await pilot.pause()
        assert [call["arguments"] for call in called(link)] == [{"name": "a\nb"}]


async def test_a_line_feed_within_a_number_is_a_space_that_its_field_reports() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, age=NUMBER)
        await until(lambda: [row.field.name for row in app.query("TextRow").results(FieldRow)] == ["age"])
        app.query_one(LineEditor).focus()
        await pilot.pause()
        type_at_once(app, "1", "ctrl+j", "2")
        await until(lambda: app.query_one(LineEditor).value == "1 2")
        await until(lambda: "✗" in screen_text(app))
        assert called(link) == []


@pytest.mark.parametrize(("item", "typed", "value"), [("string", "one,two", "one\ntwo"), ("integer", "1,2", "1 2")])
async def test_lines_typed_at_once_into_an_empty_list_are_its_first_item(item: str, typed: str, value: str) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, names={"type": "array", "items": {"type": item}})
        await until(lambda: app.query(GroupHead))
        app.query_one(GroupHead).focus()
        await pilot.pause()
        type_at_once(app, *("ctrl+j" if key == "," else key for key in typed))
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"names": [value]})  # type: ignore[union-attr]
        assert called(link) == []


async def test_lines_typed_at_once_into_the_json_are_its_lines() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("ctrl+t")
        app.query_one("#json > TextArea", TextArea).text = ""
        await pilot.pause()
        type_at_once(app, "{", "ctrl+j", *'"name":', "ctrl+j", *'"Ada"}')
        await until(lambda: app.query_one("#json > TextArea", TextArea).text == '{\n"name":\n"Ada"}')
        assert called(link) == []


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
        await until(lambda: "The JSON cannot be read" in toasts(app))
        assert called(link) == []


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
        await until(lambda: "cancelled" in screen_text(app))
        assert called(link, "notifications/cancelled")


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_escape_leads_back_to_the_list_and_cancels_no_call(size: tuple[int, int]) -> None:
    link = kitchen_link()
    async with tools(link, size) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        await pilot.press("escape", "escape", "escape")
        await until(lambda: app.query_one(OfferTree).has_focus)
        await pilot.press("2")
        await until(lambda: app.place == "inspector")
        assert next(iter(app.workspace.history)).is_running
        assert not called(link, "notifications/cancelled")


async def test_ctrl_x_cuts_text_while_nothing_runs() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        field = app.query(LineEditor).first()
        field.action_select_all()
        await pilot.press("ctrl+x")
        assert field.value == ""
        assert not toasts(app)


async def test_a_failed_call_shows_its_kind_and_its_hint() -> None:
    link = kitchen_link()
    meta = {"arcade": {"errorKind": "TOOL_RUNTIME_RETRY", "canRetry": True, "additionalPromptContent": "Try soup."}}
    link.server.replies["tools/call"] = text_result("There is no cheesecake left.", isError=True, _meta=meta)
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: "✗ tool error" in screen_text(app))
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
        await until(lambda: "greet  #3" in screen_text(app))
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
        await pilot.press("r", "y")
        assert "There are no calls yet." in toasts(app)
        assert "There is no result to copy." in toasts(app)


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
        await choose(pilot, app, "greet")
        await until(lambda: app.query(LineEditor) and app.query(LineEditor).first().value == "Ada")
        assert "Hello, Ada!" in screen_text(app)


async def test_the_search_finds_by_words_of_name_and_description_and_esc_shows_all_again() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await pilot.press("slash")
        app.query_one("OfferList > Input", Input).value = "eight guests"
        await until(lambda: app.query_one(OfferTree).line_count == 2)
        await pilot.press("enter", "enter")
        await until(lambda: "Book a table for up to eight guests." in screen_text(app))
        await pilot.press("escape")
        assert app.query_one(OfferTree).has_focus
        await pilot.press("escape")
        assert app.query_one(OfferTree).line_count == 12


async def test_the_form_follows_the_search() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await pilot.press("slash")
        app.query_one("OfferList > Input", Input).value = "beans"
        await until(lambda: "Order coffee beans" in screen_text(app))


async def test_the_palette_opens_the_form_of_a_tool() -> None:
    async with tools(kitchen_link()) as (_, app):
        await app.show("requests")
        await app.open_tool("book_table")
        await until(lambda: "Book a table for up to eight guests." in screen_text(app))
        offer = app.query_one(OfferTree).offer
        assert offer is not None
        assert offer.name == "book_table"


async def test_a_search_without_matches_shows_a_message() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await pilot.press("slash", "z", "z")
        await until(lambda: "There is no match." in screen_text(app))


async def test_a_missing_secret_is_shown_at_the_tool_until_it_is_set() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "order_beans")
        assert "! needs SUPPLIER_KEY" in screen_text(app)
        link.answers["secrets/list"] = {"secrets": [{**SECRETS[2], "is_set": True}]}
        await app.workspace.refresh("secrets")
        await until(lambda: "! needs SUPPLIER_KEY" not in screen_text(app))


async def test_a_resource_is_read_and_shown() -> None:
    link = kitchen_link()
    contents = [{"uri": "demo://menu", "mimeType": "text/markdown", "text": "# Menu\n- soup"}]
    link.server.replies["resources/read"] = {"contents": contents}
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "demo://menu")
        await pilot.press("enter")
        await until(lambda: "- soup" in screen_text(app))
        assert called(link, "resources/read") == [{"uri": "demo://menu"}]


async def test_a_template_becomes_an_address_by_its_form() -> None:
    link = kitchen_link()
    link.server.replies["resources/read"] = {"contents": [{"uri": "demo://dishes/leek%20pie", "text": "{}"}]}
    link.server.replies["completion/complete"] = {"completion": {"values": []}}
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "demo://dishes/{dish}")
        await fill(pilot, app, dish="leek pie")
        await pilot.press("ctrl+j")
        await until(lambda: called(link, "resources/read"))
        assert called(link, "resources/read") == [{"uri": "demo://dishes/leek%20pie"}]


async def test_a_prompt_proposes_values_and_shows_its_messages() -> None:
    link = kitchen_link()
    link.server.replies["completion/complete"] = {"completion": {"values": ["birthday", "wedding"]}}
    message = {"role": "user", "content": {"type": "text", "text": "Invite Ada, warmly."}}
    link.server.replies["prompts/get"] = {"messages": [message]}
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "invitation")
        await fill(pilot, app, guest="Ada")
        await pilot.press("tab")
        await until(
            lambda: any(asked["argument"]["name"] == "occasion" for asked in called(link, "completion/complete"))
        )
        await until(lambda: "birthday · wedding" in screen_text(app))
        asked = called(link, "completion/complete")[-1]
        assert asked["ref"] == {"type": "ref/prompt", "name": "invitation"}
        assert asked["context"] == {"arguments": {"guest": "Ada"}}
        await pilot.press("ctrl+j")
        await until(lambda: "Invite Ada, warmly." in screen_text(app))
        assert "user · text" in screen_text(app)


async def test_a_reload_keeps_the_values_where_the_schema_changed() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, name="Ada")
        schema = GREET["inputSchema"]
        assert isinstance(schema, dict)
        changed = {**schema, "properties": {**schema["properties"], "city": {"type": "string"}}}
        link.answers["catalog/get"] = {**KITCHEN, "tools": [{**GREET, "inputSchema": changed}]}
        await app.workspace.refresh("catalog")
        await until(lambda: "city" in screen_text(app))
        form = app.query_one(FormEditor).form
        assert form is not None
        assert form.value() == {"name": "Ada"}


async def test_a_removed_tool_leaves_no_form_to_run() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        link.answers["catalog/get"] = {**KITCHEN, "tools": [], "resources": [], "templates": [], "prompts": []}
        await app.workspace.refresh("catalog")
        await until(lambda: "Nothing is offered." in screen_text(app))
        assert "Nothing is selected." in screen_text(app)
        assert app.query_one(ToolsPane).why_not("run") == "Choose a tool, a resource or a prompt first."


async def test_the_message_about_problems_of_a_form_is_removed_when_another_tool_is_opened() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "greet")
        app.NOTIFICATION_TIMEOUT = 600
        app.query_one(OfferForm).value_to_send()
        await until(lambda: toasts(app))
        other = next(tool["name"] for tool in app.tools if tool["name"] != "greet")
        await choose(pilot, app, other)
        await until(lambda: toasts(app) == "")


async def test_a_question_is_announced_and_after_its_answer_the_person_is_back() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: "1 question to answer: ^g" in screen_text(app))
        await pilot.press("ctrl+g")
        await until(lambda: "asked by ping #1" in screen_text(app))
        await pilot.press("ctrl+d")
        await until(lambda: app.place == "tools")
        await until(lambda: "question for you" not in screen_text(app))


async def test_a_key_for_another_question_does_not_cancel_the_call_once_the_screen_has_changed_by_itself() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        ask(link, "q1", "elicitation/create", DESSERT)
        await until(lambda: app.workspace.questions.waiting)
        await pilot.press("ctrl+g")
        await until(lambda: "asked by ping #1" in screen_text(app))
        await pilot.press("ctrl+x")
        await until(lambda: app.place == "tools")
        await pilot.pause()
        await pilot.press("ctrl+x")
        await until(lambda: "press ^x again to cancel" in toasts(app))
        assert next(iter(app.workspace.history)).is_running
        await pilot.press("ctrl+x")
        await until(lambda: not next(iter(app.workspace.history)).is_running)


async def test_a_small_terminal_shows_a_single_step_with_the_way_back() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link, (80, 24)) as (pilot, app):
        assert "Run ^j" not in screen_text(app)
        await choose(pilot, app, "ping")
        assert "Tools › ping" in screen_text(app)
        assert "Tools  6" not in screen_text(app)
        await pilot.press("ctrl+j")
        await until(lambda: "Tools › ping › result" in screen_text(app))
        await until(lambda: "pong" in screen_text(app))
        await pilot.press("escape")
        assert "Tools › ping" in screen_text(app)
        await pilot.click("#crumbs", offset=(2, 0))
        await until(lambda: "Tools  6" in screen_text(app))
        await pilot.press("escape")
        assert app.is_running


async def test_hostile_names_and_results_are_shown_as_plain_text() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("[bold]\x1b]0;owned\x07 done")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "[bold]evil[/bold]\x1b[31m")
        await pilot.press("ctrl+j")
        await until(lambda: "done" in screen_text(app))
        text = screen_text(app)
        assert "\x1b" not in text
        assert "[bold]\\x1b]0;owned\\x07 done" in text
        assert "Looks [red]harmless[/red].\\x1b[2J" in text


async def test_a_result_is_copied_as_json() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("ctrl+j")
        await until(lambda: "pong" in screen_text(app))
        app.query_one(ResultView).focus()
        await pilot.press("y")
        assert '"text": "pong"' in app.clipboard


def form_text(app: WorkbenchApp) -> str:
    """The text of the middle column, on a single line."""
    return " ".join(part.strip() for row in screen_text(app).splitlines() for part in row.split("▕")[1:2])


async def test_the_head_of_a_form_shows_how_the_tool_is_run_and_missing_requirements() -> None:
    link = kitchen_link()
    (greet, *others) = link.answers["catalog/get"]["tools"]
    core_members = {"timeout": 2.0, "retries": 1, "account": "github", "metadata_keys": ["team"], "ui": "ui://x"}
    link.answers["catalog/get"]["tools"] = [{**greet, **core_members}, *others]
    link.answers["accounts/list"] = {"accounts": [ACCOUNTS[2] | {"account": "github"}]}
    async with tools(link) as (pilot, app):
        await choose(pilot, app, greet["name"])
        await until(lambda: "! uses the account github, needs consent" in form_text(app))
        assert "timeout 2 s · up to 1 retry" in form_text(app)
        assert "! needs team in _meta: f9" in form_text(app)


async def test_the_user_describes_the_caller_of_their_calls() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await pilot.press("f9")
        await until(lambda: app.screen.is_modal)
        field = app.screen.query_one(Input)
        field.value = "team"
        await pilot.press("enter")
        await until(lambda: "'team' has no value: write KEY=VALUE." in screen_text(app))
        field.value = "team=beans"
        await pilot.press("enter")
        await until(lambda: not app.screen.is_modal)
        assert app.workspace.caller == {"team": "beans"}
        await pilot.press("f9")
        await until(lambda: app.screen.is_modal and app.screen.query_one(Input).value == "team=beans")
        app.screen.query_one(Input).value = ""
        await pilot.press("enter")
        await until(lambda: app.workspace.caller == {})


async def test_the_examples_of_a_tool_are_filled_in_in_turn() -> None:
    link = kitchen_link()
    examples = [{"name": "Ada"}, {"name": "Grace", "polite": False}]
    (greet, *others) = link.answers["catalog/get"]["tools"]
    with_examples = {**greet, "inputSchema": {**greet["inputSchema"], "examples": [*examples, "no example"]}}
    link.answers["catalog/get"]["tools"] = [with_examples, *others]
    async with tools(link) as (pilot, app):
        await choose(pilot, app, greet["name"])
        await until(lambda: "2 examples: f4" in form_text(app))
        form = app.query_one(OfferForm).editor.form
        assert form is not None
        for example in (*examples, examples[0]):
            await pilot.press("f4")
            await until(lambda wanted=example: form.value() == wanted)
        await choose(pilot, app, "order_beans")
        await pilot.press("f4")
        await until(lambda: "It has no examples" in toasts(app))


PACK: dict[str, Any] = {
    "name": "pack",
    "description": "Pack a box.",
    "inputSchema": {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}, "weight": {"type": "number"}},
        "required": ["items", "weight"],
    },
    "secrets": [],
}


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_list_is_filled_in_from_the_tree_on_by_keys_alone(size: tuple[int, int]) -> None:
    link = kitchen_link()
    link.answers["catalog/get"] = KITCHEN | {"tools": [PACK, GREET, *KITCHEN["tools"][2:]]}
    link.server.replies["tools/call"] = text_result("Packed.")
    app = kitchen_app(link)
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await until(lambda: app.query_one(OfferForm).offer is not None)
        # All at once, as a slow connection delivers keys.
        for key in ("j", "k", "enter", "enter", *"tea", "enter", *"rye"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: [field.value for field in app.query(LineEditor)][:2] == ["tea", "rye"])
        await pilot.pause()
        await pilot.press("tab", "tab", *"2.5", "ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0] == called(link)[0] | {
            "name": "pack",
            "arguments": {"items": ["tea", "rye"], "weight": 2.5},
        }


@pytest.mark.parametrize("key", ["ctrl+l", "alt+enter"])
async def test_a_key_types_a_line_break_in_order_with_the_keys_around_it(key: str) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Hello.")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        for pressed in (*"Ada", key, *"Bo", key, "x"):
            app.post_message(events.Key(pressed, pressed if len(pressed) == 1 else None))
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Ada\nBo\nx"})  # type: ignore[union-attr]
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"name": "Ada\nBo\nx"}


async def reload(link: FakeLink, app: WorkbenchApp, **properties: Any) -> None:
    """Change the parameters of the tool `greet`."""
    greet = GREET | {"inputSchema": {"type": "object", "properties": properties}}
    link.answers["catalog/get"] = KITCHEN | {"tools": [greet, *KITCHEN["tools"][1:]]}
    await app.workspace.refresh("catalog")


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    "properties",
    [
        {"name": TEXT, "city": TEXT},
        {"city": TEXT, "name": TEXT | {"description": "The guest"}},
        {"times": NUMBER, "loud": {"type": "boolean"}, "name": TEXT},
    ],
)
async def test_a_reload_leaves_the_focus_the_cursor_and_the_text_in_the_field(properties: dict[str, Any]) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ad", "left")
        field = app.focused
        await reload(link, app, **properties)
        await pilot.press(*"reh2")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Areh2d"})  # type: ignore[union-attr]
        assert app.focused is field
        await until(lambda: [row.field.name for row in app.query(FieldRow)] == [*properties])
        rows = [row.region.y for row in app.query(FieldRow)]
        assert rows == sorted(rows)


@pytest.mark.parametrize(
    ("kind", "value"), [(NUMBER, 12), (TEXT | {"format": "date"}, "12"), ({}, '"1"2'), ({"type": "boolean"}, '"1"2')]
)
async def test_keys_go_to_the_field_that_replaces_another_on_reload(kind: Any, value: Any) -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("1")
        await pilot.pause()
        await reload(link, app, city=TEXT, name=kind)
        await pilot.press("2")
        await pilot.pause()
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": value})  # type: ignore[union-attr]
        assert app.place == "tools"


async def test_a_reload_that_removes_the_field_keeps_its_value_and_runs_no_command() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ada")
        await pilot.pause()
        await reload(link, app, city=TEXT)
        await pilot.press(*"2q")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Ada2q"})  # type: ignore[union-attr]
        assert app.place == "tools"
        assert not app.screen.is_modal


async def test_a_reload_that_removes_the_tool_leaves_the_focus_where_letters_are_ignored() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press(*"Ada")
        link.answers["catalog/get"] = KITCHEN | {"tools": KITCHEN["tools"][1:]}
        await app.workspace.refresh("catalog")
        await pilot.press(*"reh2q")
        await pilot.pause()
        assert app.place == "tools"
        assert not app.screen.is_modal
        assert app.focused is not None
        assert app.query_one(FormEditor) in app.focused.ancestors


async def test_a_reload_keeps_texts_and_json_that_cannot_be_read_yet() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await fill(pilot, app, times="1x")
        await reload(link, app, city=TEXT, times=NUMBER)
        await until(lambda: [field.value for field in app.query(LineEditor)] == ["", "1x"])
        await pilot.press("ctrl+t")
        area = app.query_one("#json > TextArea", TextArea)
        area.text = '{"city": "B'
        area.cursor_location = (0, 9)
        await reload(link, app, times=NUMBER, city=TEXT)
        await pilot.press("U")
        await until(lambda: area.text == '{"city": U"B')
        assert area.has_focus


async def offer(link: FakeLink, app: WorkbenchApp, *offered: dict[str, Any], **more: Any) -> None:
    """Change the offers of the server to these tools."""
    link.answers["catalog/get"] = {**KITCHEN, "tools": list(offered), "resources": [], "templates": [], "prompts": []}
    link.answers["catalog/get"] |= more
    await app.workspace.refresh("catalog")


@pytest.mark.parametrize("others", [[], [BOOK]])
@pytest.mark.parametrize("width", [120, 80])
async def test_a_tool_that_comes_back_has_the_focus_in_the_same_field_with_its_text(
    others: list[dict[str, Any]], width: int
) -> None:
    link = kitchen_link()
    async with tools(link, (width, 40)) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("A")
        next(row for row in app.query(FieldRow) if row.field.name == "times").focus_editor()
        await pilot.press("3")
        await pilot.pause()
        await offer(link, app, *others)
        await until(lambda: app.focused is not None and app.focused.region and not isinstance(app.focused, LineEditor))
        await offer(link, app, *others, PING)
        await offer(link, app, *others, PING, GREET)
        await pilot.press(*"2")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "A", "times": 32})  # type: ignore[union-attr]
        assert app.place == "tools"
        assert app.focused is not None
        assert app.focused.region


async def test_a_user_who_moved_after_a_tool_was_removed_stays_there_when_it_returns() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("A")
        await offer(link, app, BOOK, PING)
        await choose(pilot, app, "ping")
        await offer(link, app, BOOK, PING, GREET)
        await pilot.pause()
        assert app.query_one(OfferForm).offer.name == "ping"  # type: ignore[union-attr]


async def test_the_list_has_the_focus_where_nothing_is_offered() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await pilot.press("A")
        await offer(link, app)
        await until(lambda: app.focused is app.query_one(OfferTree))


async def test_a_core_that_was_started_again_leaves_the_focus_in_the_field_that_has_it() -> None:
    links = [kitchen_link(), kitchen_link()]
    links[1].answers["catalog/get"] = {"generation": 0, "tools": [], "problems": []}
    waiting = iter(links)

    async def open_workspace(wanted: Wanted | None = None) -> Workspace:
        return await open_fixed_workspace(next(waiting))

    app = WorkbenchApp(open_workspace)
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await until(lambda: app.query(LineEditor))
        await choose(pilot, app, "greet")
        await pilot.press("A")
        links[0].closed.set()
        await until(lambda: app.screen.is_modal)
        await pilot.press("r")
        await until(lambda: app.state == "loading" and not app.screen.is_modal)
        await pilot.press(*"e2")
        links[1].answers["catalog/get"] = KITCHEN
        await app.workspace.refresh("catalog")
        await pilot.press("r")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "Ae2r"})  # type: ignore[union-attr]
        assert app.place == "tools"


@pytest.mark.parametrize("kind", [TEXT, TEXT | {"format": "date"}])
async def test_a_reload_that_renames_the_parameter_keeps_its_text_editable_with_a_note(
    kind: dict[str, Any],
) -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("Who?")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "greet")
        await reload(link, app, name=kind)
        await pilot.press(*"EveQ")
        await pilot.pause()
        assert "not in the schema" not in screen_text(app)
        await reload(link, app, who=kind)
        await pilot.press(*"YZ")
        await until(lambda: [field.value for field in app.query(LineEditor)] == ["", "EveQYZ"])
        await until(lambda: "! not in the schema" in screen_text(app))
        assert '"EveQ' not in screen_text(app)
        await pilot.press("ctrl+j")
        await pilot.press("ctrl+j")
        await until(lambda: called(link))
        assert called(link)[0]["arguments"] == {"name": "EveQYZ"}
        await reload(link, app, name=kind)
        await until(lambda: "not in the schema" not in screen_text(app))
        await pilot.press("!")
        await until(lambda: app.query_one(OfferForm).editor.form.value() == {"name": "EveQYZ!"})  # type: ignore[union-attr]
