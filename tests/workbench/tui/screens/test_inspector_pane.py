"""The inspector on a fixed conversation: the list, the filter, the detail."""

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from server_core.records.tap import Direction, Kind
from tests.waiting import until
from tests.workbench.tui.driving import opened, screen_text, settled, toasts
from tests.workbench.tui.fakes import FakeLink, conversation, opener, record
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.inspector_pane import InspectorPane


@asynccontextmanager
async def inspecting(
    link: FakeLink | None = None, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[Any], InspectorPane]]:
    """Open the inspector on the fixed conversation."""
    app = WorkbenchApp(opener(link or FakeLink(conversation())), place="inspector")
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "inspector")
        await settled(pilot)
        pane = app.pane
        assert isinstance(pane, InspectorPane)
        yield pilot, pane


def shown(pane: InspectorPane) -> list[int]:
    """The numbers of the messages in the list."""
    return [entry.seq for entry in (pane.traffic.view[row] for row in range(len(pane.traffic.view)))]


def text(pane: InspectorPane) -> str:
    app = pane.workbench
    return screen_text(app)


async def test_every_record_is_a_row_with_its_direction_in_words() -> None:
    async with inspecting() as (_, pane):
        assert shown(pane) == list(range(1, 17))
        rows = text(pane)
        for part in ("→ in  request", "← out result", "stdout", "stderr", "broken", "http", "core", "notify"):
            assert part in rows


async def test_a_request_and_its_response_show_status_and_duration() -> None:
    async with inspecting() as (_, pane):
        rows = text(pane).splitlines()
        greet = [row for row in rows if "tools/call greet" in row]
        assert len(greet) == 2
        assert all("✓ ok" in row and "750 ms" in row for row in greet)
        assert "✗ tool" in next(row for row in rows if "tools/call fail" in row)
        assert "… waits" in next(row for row in rows if "tools/call roast" in row)


async def test_messages_during_a_call_are_listed_under_the_call() -> None:
    async with inspecting() as (_, pane):
        stdout = next(row for row in text(pane).splitlines() if "greeting Ada" in row)
        assert "   greeting Ada" in stdout


async def test_control_characters_of_a_message_never_reach_the_terminal() -> None:
    async with inspecting() as (_, pane):
        assert "\\x1b[31m" in text(pane)
        assert "\x1b" not in text(pane)


async def test_the_detail_shows_both_halves_of_a_call() -> None:
    async with inspecting() as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(4)
        await until(lambda: '"greet"' in text(pane))
        await pilot.pause()
        assert "→ in request #5" in text(pane)
        assert "← out result #8" in text(pane)
        assert '"text": "Hello, Ada!"' in text(pane)


async def test_the_message_under_the_cursor_is_first_and_is_explained() -> None:
    async with inspecting() as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(9)
        await until(lambda: "Check the name and the arguments." in text(pane))
        await pilot.pause()
        shown = text(pane)
        assert shown.index("← out error #10") < shown.index("Answers: calls a tool") < shown.index("→ in request #9")


async def test_a_key_shows_the_call_of_a_message_alone() -> None:
    async with inspecting() as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(6)
        await pilot.press("c")
        await settled(pilot)
        assert [pane.traffic.view[row].seq for row in range(len(pane.traffic.view))] == [5, 6, 7, 8]
        await pilot.press("escape")
        pane.traffic.move_to(0)
        await pilot.press("c")
        await until(lambda: "belongs to no call" in toasts(pane.workbench))


async def test_a_key_moves_the_focus_to_the_other_half_and_back() -> None:
    async with inspecting() as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(4)
        await pilot.press("equals_sign")
        assert pane.traffic.entry is not None
        assert pane.traffic.entry.seq == 8
        await pilot.press("equals_sign")
        assert pane.traffic.entry.seq == 5


async def test_a_message_without_another_half_shows_a_note() -> None:
    async with inspecting() as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(0)
        await pilot.press("equals_sign")
        await until(lambda: "have a counterpart" in toasts(pane.workbench))


async def test_the_newest_message_is_followed_until_the_cursor_moves_away() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        assert pane.traffic.cursor == 15
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more")])
        await settled(pilot)
        assert pane.traffic.cursor == 16
        await pilot.press("k")
        link.arrive([record(18, Kind.STDERR, Direction.NONE, b"more")])
        await settled(pilot)
        assert pane.traffic.cursor == 15
        await pilot.press("f")
        assert pane.traffic.cursor == 17


async def test_a_paused_list_does_not_change_and_counts_the_new_messages() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        await pilot.press("p")
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more"), record(18, Kind.STDERR, Direction.NONE, b"x")])
        await settled(pilot)
        assert len(shown(pane)) == 16
        assert "paused, 2 new" in text(pane)
        await pilot.press("p")
        assert len(shown(pane)) == 18
        assert "paused" not in text(pane)


@pytest.mark.parametrize(
    ("typed", "seqs"),
    [
        ("tool:greet", [5, 6, 7, 8]),
        ("status:err", [9, 10, 11, 13, 14, 15]),
        ("method:initialize", [2, 3]),
        ("id:2 dir:out", [10]),
        ("kind:stderr", [12]),
        ("Hello", [8]),
    ],
)
async def test_a_filter_hides_the_others_while_it_is_typed(typed: str, seqs: list[int]) -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("slash")
        pane.query_one("#filter", Input).value = typed
        await pilot.pause()
        matching = shown(pane)
        assert set(seqs) <= set(matching)
        assert len(matching) < 16
        assert f"{len(matching)} of 16" in text(pane)


async def test_an_invalid_filter_shows_its_problem_and_position() -> None:
    async with inspecting() as (pilot, pane):
        pane.query_one("#filter", Input).value = "tool:greet status:maybe"
        await pilot.pause()
        line = next(row for row in text(pane).splitlines() if "^" in row and "status:" in row)
        assert line.index("^") == 3 + len("tool:greet ")
        pane.query_one("#filter", Input).value = "tool:greet"
        await pilot.pause()
        assert "^ " not in text(pane).splitlines()[3]


async def test_matches_can_be_shown_among_all_messages_and_stepped_through() -> None:
    async with inspecting() as (pilot, pane):
        pane.query_one("#filter", Input).value = "status:err"
        await pilot.pause()
        matching = shown(pane)
        pane.traffic.focus()
        await pilot.press("v", "g", "n")
        assert len(shown(pane)) == 16
        assert pane.traffic.entry is not None
        assert pane.traffic.entry.seq == matching[0]
        await pilot.press("n")
        assert pane.traffic.entry.seq == matching[1]
        await pilot.press("N")
        assert pane.traffic.entry.seq == matching[0]
        await pilot.press("v")
        assert shown(pane) == matching


async def test_stepping_without_a_filter_shows_a_hint() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("n")
        await until(lambda: "press / to enter one" in toasts(pane.workbench))


async def test_a_filter_keeps_the_cursor_on_its_message() -> None:
    async with inspecting() as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(7)
        pane.query_one("#filter", Input).value = "tool:greet"
        await pilot.pause()
        assert pane.traffic.entry is not None
        assert pane.traffic.entry.seq == 8
        pane.query_one("#filter", Input).value = ""
        await pilot.pause()
        assert pane.traffic.entry.seq == 8


async def test_escape_leaves_the_filter_then_empties_it() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("slash")
        pane.query_one("#filter", Input).value = "tool:greet"
        await pilot.press("escape")
        assert pane.traffic.has_focus
        assert pane.query_one("#filter", Input).value == "tool:greet"
        await pilot.press("escape")
        assert pane.query_one("#filter", Input).value == ""
        assert len(shown(pane)) == 16


async def test_clearing_hides_the_messages_so_far_and_shows_them_again() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        await pilot.press("z")
        assert shown(pane) == []
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more")])
        await settled(pilot)
        assert shown(pane) == [17]
        await pilot.press("z")
        assert len(shown(pane)) == 17


async def test_on_a_narrow_terminal_the_detail_opens_below_and_closes_again() -> None:
    async with inspecting(size=(80, 24)) as (pilot, pane):
        assert not pane.detail.display
        await pilot.press("enter")
        await until(lambda: '"roast"' in text(pane))
        assert pane.detail.has_focus
        assert pane.detail.region.y > pane.traffic.region.y
        await pilot.press("escape")
        assert pane.traffic.has_focus
        assert not pane.detail.display


async def test_on_a_wide_terminal_the_detail_is_at_the_right() -> None:
    async with inspecting(size=(120, 40)) as (_, pane):
        assert pane.detail.display
        assert pane.detail.region.x > pane.traffic.region.right - 1


async def test_a_dropped_body_is_requested_from_the_core() -> None:
    link = FakeLink(conversation())
    link.stored = {item.seq: item for item in conversation()}
    async with inspecting(link) as (_pilot, pane):
        for entry in pane.workspace.timeline:
            entry.release()
        pane.traffic.is_following = False
        pane.traffic.move_to(4)
        await until(lambda: '"Ada"' in text(pane))
        assert ("records/get", {"seqs": [5]}) in link.asked


async def test_a_body_that_the_core_no_longer_has_is_reported_as_dropped() -> None:
    async with inspecting() as (_pilot, pane):
        for entry in pane.workspace.timeline:
            entry.release()
        pane.traffic.is_following = False
        pane.traffic.move_to(11)
        await until(lambda: "no longer in memory" in text(pane))


async def test_the_message_is_copied_as_json_through_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    async with inspecting() as (pilot, pane):
        written: list[str] = []
        assert pane.app._driver is not None
        monkeypatch.setattr(pane.app._driver, "write", written.append)
        pane.traffic.is_following = False
        pane.traffic.move_to(4)
        await pilot.press("y")
        await until(lambda: any("\x1b]52;c;" in chunk for chunk in written))
        sequence = next(chunk for chunk in written if "\x1b]52;c;" in chunk)
        copied = base64.b64decode(sequence.removeprefix("\x1b]52;c;").rstrip("\a"))
        assert json.loads(copied)["params"]["name"] == "greet"


async def test_nothing_can_be_copied_where_there_is_nothing() -> None:
    async with inspecting(FakeLink()) as (pilot, pane):
        await pilot.press("y")
        await until(lambda: "No message is selected" in toasts(pane.workbench))


async def test_digits_typed_into_the_filter_do_not_change_the_pane() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("slash", "6", "q")
        assert pane.query_one("#filter", Input).value == "6q"
        assert pane.workbench.place == "inspector"


async def test_records_that_came_while_another_pane_was_shown_are_there_afterwards() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        await pilot.press("5")
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more")])
        await settled(pilot)
        await pilot.press("2")
        assert shown(pane)[-1] == 17
