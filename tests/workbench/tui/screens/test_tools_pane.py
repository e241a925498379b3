"""The tools pane: from the tree to the form, and the head of the form."""

import re

import pytest
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.fakes import ACCOUNTS, SECRETS
from tests.workbench.tui.kitchen import kitchen_link, text_result
from tests.workbench.tui.screens.tools_pane import (
    called,
    choose,
    fill,
    run,
    tools,
)
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.form.text import LineEditor, NumberEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree
from workbench.tui.widgets.result import ResultView


async def test_the_tree_shows_the_offers_of_the_server_and_the_first_form_is_open() -> None:
    async with tools(kitchen_link()) as (_, app):
        parts = ("Tools  6", "Resources  2", "Prompts  1", "dish  demo://dishes", "Greet a guest by name.", "read-only")
        await until(lambda: all(part in screen_text(app) for part in parts))


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


async def test_escape_leads_from_the_result_to_where_the_user_was_before() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        for widget in (app.query_one(OfferTree), app.query_one(LineEditor)):
            widget.focus()
            await pilot.pause()
            app.query_one(ResultView).focus()
            await pilot.pause()
            await pilot.press("escape")
            await until(lambda widget=widget: widget.has_focus)


async def test_a_slash_in_an_empty_field_of_a_number_is_the_key_of_the_search() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "order_beans")
        await until(lambda: isinstance(app.focused, NumberEditor))
        assert "esc back, then / search" in screen_text(app)
        await pilot.press("slash", *"pi")
        await until(lambda: app.query_one("#search > Input", Input).value == "pi")
        assert app.query_one(OfferForm).editor.form.value() == {}


async def test_a_long_search_takes_the_room_of_its_count() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await pilot.press("slash")
        search = app.query_one("#search > Input", Input)
        search.value = "bea"
        await until(lambda: "/9" in screen_text(app))
        search.value = "trigger-long-running-ope"
        await until(lambda: "/9" not in screen_text(app) and search.value in screen_text(app))


async def test_the_search_finds_by_words_of_name_and_description_and_esc_shows_all_again() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await pilot.press("slash")
        app.query_one("#search > Input", Input).value = "eight guests"
        await until(lambda: app.query_one(OfferTree).line_count == 1)
        assert "1/9" in screen_text(app)
        await pilot.press("enter", "enter")
        await until(lambda: "Book a table for up to eight guests." in screen_text(app))
        await pilot.press("escape")
        assert app.query_one(OfferTree).has_focus
        await pilot.press("escape")
        assert app.query_one(OfferTree).line_count == 12


async def test_the_offers_are_sorted_by_name_with_a_key() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        tree = app.query_one(OfferTree)

        def first_tool() -> str:
            return offer.name if (offer := tree.offer_at(1)) is not None else ""

        assert first_tool() == "greet"
        tree.focus()
        await pilot.press("O")
        await until(lambda: first_tool() == "[bold]evil[/bold]\x1b[31m")
        assert tree.offer is not None
        assert tree.offer.name == "greet"
        await pilot.press("O")
        await until(lambda: first_tool() == "greet")


async def test_the_list_marks_tools_and_the_help_explains_the_signs() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        assert re.search(r"greet +○", screen_text(app))
        assert re.search(r"order_beans +\*", screen_text(app))
        app.query_one(OfferTree).focus()
        await pilot.press("question_mark")
        await until(lambda: "Needs a secret that is not set" in screen_text(app))


async def test_a_secret_that_is_set_elsewhere_is_no_longer_missing() -> None:
    link = kitchen_link()
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "order_beans")
        await until(lambda: "needs SUPPLIER_KEY" in screen_text(app))
        link.answers["secrets/list"] = {"secrets": [secret | {"is_set": True} for secret in SECRETS]}
        app.app_focus = False
        app.app_focus = True
        await until(lambda: "needs SUPPLIER_KEY" not in screen_text(app))
        assert not re.search(r"order_beans +\*", screen_text(app))


async def test_the_form_follows_the_search() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await pilot.press("slash")
        app.query_one("#search > Input", Input).value = "beans"
        await until(lambda: "Order coffee beans" in screen_text(app))


async def test_the_palette_opens_the_form_of_a_tool() -> None:
    async with tools(kitchen_link()) as (_, app):
        await app.show("requests")
        await app.open_tool("book_table")
        await until(lambda: "Book a table for up to eight guests." in screen_text(app))
        offer = app.query_one(OfferTree).offer
        assert offer is not None
        assert offer.name == "book_table"


async def test_a_search_ends_when_an_offer_is_opened_that_does_not_match_it() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        tree, search = app.query_one(OfferTree), app.query_one("#search > Input", Input)
        await pilot.press("slash", *"beans")
        await until(lambda: tree.offer is not None and tree.offer.name == "order_beans")
        # One that matches leaves the search as it is.
        await app.open_tool("order_beans")
        assert search.value == "beans"
        await app.open_tool("book_table")
        await until(lambda: "Book a table for up to eight guests." in screen_text(app))
        await until(lambda: not search.value)
        assert tree.offer is not None
        assert tree.offer.name == "book_table"


async def test_after_a_search_without_matches_the_cursor_returns_to_its_offer() -> None:
    async with tools(kitchen_link()) as (pilot, app):
        await choose(pilot, app, "order_beans")
        await pilot.press("escape", "slash", *"zzzz")
        tree = app.query_one(OfferTree)
        await until(lambda: tree.line_count == 0)
        await pilot.press("escape")
        await until(lambda: tree.offer is not None and tree.offer.name == "order_beans")


async def test_without_a_match_nothing_is_run() -> None:
    link = kitchen_link()
    link.server.replies["tools/call"] = text_result("pong")
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "ping")
        await pilot.press("escape", "slash", *"zzzz", "ctrl+j")
        await until(lambda: "The search has no match: nothing was run." in toasts(app))
        assert not called(link)


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
        await app.workspace.core.refresh("secrets")
        await until(lambda: "! needs SUPPLIER_KEY" not in screen_text(app))


async def test_a_resource_is_read_and_shown() -> None:
    link = kitchen_link()
    contents = [{"uri": "demo://menu", "mimeType": "text/markdown", "text": "# Menu\n- soup"}]
    link.server.replies["resources/read"] = {"contents": contents}
    async with tools(link) as (pilot, app):
        await choose(pilot, app, "demo://menu")
        await pilot.press("enter")
        await until(lambda: "• soup" in screen_text(app))
        assert called(link, "resources/read") == [{"uri": "demo://menu"}]


async def test_a_template_becomes_a_uri_by_its_form() -> None:
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
    # A server proposes no file or secret of this machine, which it would get.
    proposed = ["@/etc/hosts", "birthday", "${secret:PATH}", "wedding"]
    link.server.replies["completion/complete"] = {"completion": {"values": proposed}}
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
        await run(pilot, app, "[bold]evil[/bold]\x1b[31m", "done")
        text = screen_text(app)
        assert "\x1b" not in text
        assert "[bold]\\x1b]0;owned\\x07 done" in text
        assert "Looks [red]harmless[/red].\\x1b[2J" in text


def form_text(app: WorkbenchApp) -> str:
    """The text of the middle column, on a single line."""
    region = app.query_one(OfferForm).region
    rows = screen_text(app).splitlines()[region.y : region.bottom]
    return " ".join(row[region.x : region.right].strip(" │┃") for row in rows)


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
