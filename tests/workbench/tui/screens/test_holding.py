"""Holding messages from the inspector: the filter, the list with its countdowns, and a key for each verb."""

from typing import Any

import pytest
from textual.widgets import Input

from server_core.errors import RemoteError
from server_core.records.tap import Direction, Kind
from tests.waiting import until
from tests.workbench.tui.driving import screen_text, toasts
from tests.workbench.tui.fakes import NOON, FakeLink, record
from tests.workbench.tui.screens.held_messages import MESSAGE, REQUEST, event, hold, holding, listing
from tests.workbench.tui.screens.inspector_pane import inspecting
from workbench.tui.screens.composer import Composer
from workbench.tui.screens.held_screen import HeldScreen
from workbench.tui.screens.inspector_pane import InspectorPane


def asked(link: FakeLink, verb: str) -> dict[str, Any] | None:
    """Return the params of the last request for a verb; None before it."""
    return next((params for method, params in reversed(link.asked) if method == f"hold/{verb}"), None)


async def test_a_filter_is_entered_that_begins_with_the_filter_in_view() -> None:
    async with holding() as (pilot, pane, link):
        pane.open_messages("tool:greet")
        await pilot.press("i")
        await until(lambda: isinstance(pane.app.focused, Input) and pane.app.focused.value == "tool:greet")
        await pilot.press("end", "space", *"dir:in", "enter")
        await until(lambda: asked(link, "set"))
        params = asked(link, "set")
        assert (params["filter"], params["client_timeout"]) == ("tool:greet dir:in", 60.0)
        await until(lambda: "‖ hold" in screen_text(pane.app))


async def test_a_mistake_in_the_filter_is_explained_and_nothing_is_held() -> None:
    async with holding() as (pilot, pane, link):
        await pilot.press("i", "enter")
        await until(lambda: "seq>0 holds every message" in screen_text(pane.app))
        await pilot.press(*"(tool:x", "enter")
        await until(lambda: "This bracket is not closed" in screen_text(pane.app))
        assert asked(link, "set") is None


async def test_an_empty_filter_ends_the_hold() -> None:
    async with holding(MESSAGE) as (pilot, pane, link):
        await pilot.press("i")
        await until(lambda: isinstance(pane.app.focused, Input) and pane.app.focused.value == "tool:greet")
        assert isinstance(pane.app.focused, Input)
        pane.app.focused.value = ""
        await pilot.press("enter")
        await until(lambda: asked(link, "clear") is not None)


async def test_a_held_message_is_announced_and_counted() -> None:
    async with holding(MESSAGE) as (_, pane, link):
        await until(lambda: "tools/call greet is held: I in the Inspector decides." in toasts(pane.workbench))
        assert "‖ 1 message held" in screen_text(pane.app)
        assert "I held" in screen_text(pane.app)
        link.answers["hold/list"] = hold(MESSAGE, MESSAGE | {"id": 20})
        link.arrive([event(19, "message_held")])
        await until(lambda: "2 messages are held" in toasts(pane.workbench))
        link.answers["hold/list"] = hold(MESSAGE)
        link.arrive([event(20, "message_dropped")])
        await until(lambda: "2 messages are held" not in toasts(pane.workbench))
        assert "greet is held" in toasts(pane.workbench)
        link.answers["hold/list"] = hold()
        link.arrive([event(21, "message_released")])
        await until(lambda: "is held" not in toasts(pane.workbench))
        assert "message held" not in screen_text(pane.app)


async def test_without_a_hold_the_list_is_not_shown() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("I")
        await until(lambda: "press i and enter a filter" in toasts(pane.workbench))


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ({}, "42 s"),
        ({"seconds_left": -1.0}, "timeout over"),
        ({"seconds_left": None}, "no limit"),
        ({"cancelled": True}, "gave up"),
        ({"release_at": NOON + 7, "state": "delayed"}, "sent in"),
    ],
)
async def test_the_list_counts_down_to_the_timeout_of_the_client(facts: dict[str, Any], shown: str) -> None:
    async with listing(MESSAGE | facts) as (_, pane, _):
        await until(lambda: shown in screen_text(pane.app))


@pytest.mark.parametrize(("key", "verb"), [("r", "release"), ("d", "drop"), ("t", "duplicate"), ("R", "release")])
async def test_a_key_acts_on_the_message_under_the_cursor(key: str, verb: str) -> None:
    async with listing(MESSAGE) as (pilot, _, link):
        await pilot.press(key)
        await until(lambda: asked(link, verb) == {"id": 17})


async def test_a_message_is_delivered_later() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        await pilot.press("w")
        await until(lambda: isinstance(pane.app.focused, Input))
        await pilot.press("backspace", "x", "enter")
        await until(lambda: "Enter seconds from 0 to 3600" in screen_text(pane.app))
        await pilot.press("backspace", "2", "enter")
        await until(lambda: asked(link, "delay") == {"id": 17, "ms": 2000.0})


def logged(pane: InspectorPane) -> str:
    """Return the commands of the command log, a line each."""
    return "\n".join(command.text for command in pane.workbench.commands.commands)


async def test_a_message_is_edited_in_the_composer_and_delivered() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        await pilot.press("e")
        await until(lambda: isinstance(pane.app.screen, Composer))
        composer = pane.app.screen
        assert isinstance(composer, Composer)
        assert '"greet"' in composer.area.text
        composer.area.load_text(composer.area.text.replace("greet", "wave"))
        await pilot.press("ctrl+j")
        await until(lambda: asked(link, "edit"))
        params = asked(link, "edit")
        assert params is not None
        assert (params["raw"], '"name":"wave"' in params["text"].replace(" ", "")) == (False, True)
        await until(lambda: "workbench hold edit 17" in logged(pane))


async def test_a_text_that_is_no_message_is_delivered_when_the_key_is_pressed_again() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        await pilot.press("e")
        await until(lambda: isinstance(pane.app.screen, Composer))
        composer = pane.app.screen
        assert isinstance(composer, Composer)
        composer.area.load_text("{oops")
        await pilot.press("ctrl+j")
        await until(lambda: "again to send it all the same" in screen_text(pane.app))
        await pilot.press("ctrl+j")
        await until(lambda: asked(link, "edit") == {"id": 17, "text": "{oops", "raw": True})
        await until(lambda: "workbench hold edit 17 --raw" in logged(pane))


async def test_an_edited_text_is_kept_when_another_operator_was_faster() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        link.answers["hold/edit"] = RemoteError(-32004, "Message 17 no longer waits: it was dropped 3.0 s ago.")
        await pilot.press("e")
        await until(lambda: isinstance(pane.app.screen, Composer))
        await pilot.press("ctrl+j")
        await until(lambda: "it was dropped 3.0 s ago" in screen_text(pane.app))


async def test_a_request_is_answered_by_hand() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        await pilot.press("a")
        await until(lambda: isinstance(pane.app.screen, Composer))
        composer = pane.app.screen
        assert isinstance(composer, Composer)
        composer.area.load_text('{"jsonrpc": "2.0", "id": 4, "method": "ping"}')
        await pilot.press("ctrl+j")
        await until(lambda: "An answer is a response" in screen_text(pane.app))
        await pilot.press("a")
        await until(lambda: isinstance(pane.app.screen, Composer))
        composer = pane.app.screen
        assert isinstance(composer, Composer)
        # The text is kept.
        assert "ping" in composer.area.text
        composer.area.load_text('{"jsonrpc": "2.0", "id": 4, "error": {"code": 7, "message": "no"}}')
        await pilot.press("ctrl+j")
        await until(lambda: asked(link, "answer") == {"id": 17, "error": {"code": 7, "message": "no"}})


async def test_the_composer_checks_an_answer_as_the_revision_of_its_request_requires(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    envelope = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    monkeypatch.setitem(REQUEST, "params", {"name": "greet", "arguments": {}, "_meta": envelope})
    async with listing(MESSAGE) as (pilot, pane, link):
        assert "tools/call greet {}" in screen_text(pane.app)
        await pilot.press("a")
        await until(lambda: isinstance(pane.app.screen, Composer))
        composer = pane.app.screen
        assert isinstance(composer, Composer)
        await until(lambda: "resultType" in composer.area.text)
        assert "✗" not in screen_text(pane.app)
        composer.area.load_text('{"jsonrpc": "2.0", "id": 4, "result": {}}')
        await until(lambda: "resultType" in screen_text(pane.app))
        await pilot.press("ctrl+j")
        assert asked(link, "answer") is None


async def test_only_requests_are_answered() -> None:
    async with listing(MESSAGE | {"kind": "response", "direction": "out", "answerable": False}) as (pilot, pane, link):
        await pilot.press("a")
        await until(lambda: "Message 17 is a response; only requests can be answered." in screen_text(pane.app))
        assert asked(link, "answer") is None


async def test_the_name_of_a_masked_secret_is_delivered_only_on_purpose() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        masked = REQUEST | {"params": {"name": "greet", "arguments": {"key": "<secret KEY>"}}}
        link.stored[17] = record(17, Kind.REQUEST, Direction.IN, masked)
        for key in ("b", "s"):
            await pilot.press("e")
            await until(lambda: isinstance(pane.app.screen, Composer))
            await pilot.press("ctrl+j")
            await until(lambda: "Deliver the name of a secret?" in screen_text(pane.app))
            assert asked(link, "edit") is None
            await pilot.press(key)
            await until(lambda: isinstance(pane.app.screen, HeldScreen))
        await until(lambda: (asked(link, "edit") or {}).get("raw") is True)


async def test_the_list_follows_what_other_operators_do() -> None:
    async with listing(MESSAGE) as (_, pane, link):
        link.answers["hold/list"] = hold()
        link.arrive([event(19, "message_released")])
        await until(lambda: "No message is held." in screen_text(pane.app))


async def test_a_key_ends_the_hold() -> None:
    async with listing(MESSAGE) as (pilot, pane, link):
        await pilot.press("x")
        await until(lambda: asked(link, "clear") is not None and "no filter is set" in screen_text(pane.app))
