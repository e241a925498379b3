"""The inspector on a fixed conversation: the list and the detail."""

import base64
import json
from pathlib import Path

import pytest
from textual.widgets import Input

from server_core.records.tap import Direction, Kind
from tests.waiting import until
from tests.workbench.model.records import drop_bodies
from tests.workbench.tui.driving import settled, toasts
from tests.workbench.tui.fakes import FakeLink, conversation, record
from tests.workbench.tui.screens.inspector_pane import inspecting, shown, text
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.screens import list_sorting
from workbench.tui.screens.composer import Composer
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.filter_bar import FilterBar
from workbench.tui.widgets.form.json_area import JsonArea


async def test_every_record_is_a_row_with_its_direction_in_words() -> None:
    async with inspecting(size=(170, 48)) as (_, pane):
        assert shown(pane) == list(range(1, 17))
        rows = text(pane)
        for part in ("→ in  request", "← out result", "stdout", "stderr", "broken", "http", "core", "notify"):
            assert part in rows


async def test_a_request_and_its_response_show_status_and_duration() -> None:
    async with inspecting() as (_, pane):
        rows = text(pane).splitlines()
        greet = [row for row in rows if "tools/call greet" in row or "greet: Hello, Ada!" in row]
        assert len(greet) == 2
        assert all("✓ ok" in row for row in greet)
        assert ["750 ms" in row for row in greet] == [False, True]
        assert "✗ tool" in next(row for row in rows if "tools/call fail" in row)
        assert "… waits" in next(row for row in rows if "tools/call roast" in row)


async def test_a_call_is_one_row_with_its_answer_until_a_key_shows_each_message() -> None:
    link = FakeLink(conversation())
    async with inspecting(link, size=(220, 48), by_call=True) as (pilot, pane):
        assert shown(pane) == [1, 2, 4, 5, 9, 11, 12, 13, 14, 16]
        row = next(row for row in text(pane).splitlines() if "greet {" in row)
        for part in ("call", "→ Hello, Ada!", "✓ ok", "750 ms"):
            assert part in row
        assert "roast {}  " in text(pane)
        assert "Calls" in text(pane)
        # The newest row is the pending call, whose response adds no row.
        await until(lambda: "→ in request #16" in text(pane))
        answer = {"jsonrpc": "2.0", "id": "a", "result": {"content": [{"type": "text", "text": "Dark."}]}}
        link.arrive([record(17, Kind.RESPONSE, Direction.OUT, answer)])
        await until(lambda: "roast {} → Dark." in text(pane))
        await until(lambda: "← out result #17" in text(pane))
        await pilot.press("k", "m")
        assert (shown(pane), pane.traffic.entry.seq) == (list(range(1, 18)), 14)


async def test_a_key_goes_from_the_request_of_a_call_to_its_answer_and_back() -> None:
    async with inspecting(size=(80, 24), by_call=True) as (pilot, pane):
        pane.open_call(14)
        await pilot.press("equals_sign")
        heading = lambda: "" if pane.detail.section is None else pane.detail.section.heading  # noqa: E731
        await until(lambda: heading().startswith("← out result"))
        assert pane.detail.has_focus
        await until(lambda: pane.detail.scroll_offset.y == pane.detail.cursor)
        await pilot.press("equals_sign")
        await until(lambda: heading().startswith("→ in request"))
        assert pane.detail.cursor == 0


async def test_the_time_of_day_is_shown_from_80_columns_on() -> None:
    for size in ((80, 24), (120, 40), (170, 48)):
        async with inspecting(size=size) as (_, pane):
            assert any(" time " in row for row in text(pane).splitlines()), size


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
        pane.query_one(FilterBar).input.value = "kind:stderr"
        await until(lambda: "of 18 rows · paused, 2 new" in text(pane))
        assert max(shown(pane)) < 17
        await pilot.press("v")
        await until(lambda: "16 rows · filter off · paused, 2 new" in text(pane))
        await pilot.press("escape", "p")
        await until(lambda: "paused" not in text(pane))
        assert len(shown(pane)) == 18


async def test_the_message_that_is_read_in_the_detail_stays() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        await pilot.press("f", "enter")
        await until(lambda: "→ in request #16" in text(pane) and "following" not in text(pane))
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more")])
        await until(lambda: "17 rows" in text(pane))
        assert "→ in request #16" in text(pane)


async def test_clearing_hides_the_messages_so_far_and_shows_them_again() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        await pilot.press("z")
        assert shown(pane) == []
        assert "z shows them" in text(pane)
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more")])
        await settled(pilot)
        assert shown(pane) == [17]
        await pilot.press("z")
        assert len(shown(pane)) == 17


async def test_a_terminal_that_is_made_wider_shows_the_detail() -> None:
    async with inspecting(size=(80, 24)) as (pilot, pane):
        assert not pane.detail.display
        await pilot.resize_terminal(130, 40)
        await until(lambda: pane.detail.line_count)


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
        drop_bodies(pane.workspace.timeline)
        pane.traffic.is_following = False
        pane.traffic.move_to(4)
        await until(lambda: '"Ada"' in text(pane))
        assert ("records/get", {"seqs": [5]}) in link.asked


async def test_a_body_that_the_core_no_longer_has_is_reported_as_dropped() -> None:
    async with inspecting() as (_pilot, pane):
        drop_bodies(pane.workspace.timeline)
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


async def test_records_that_came_while_another_pane_was_shown_are_there_afterwards() -> None:
    link = FakeLink(conversation())
    async with inspecting(link) as (pilot, pane):
        await pilot.press("5")
        link.arrive([record(17, Kind.STDERR, Direction.NONE, b"more")])
        await settled(pilot)
        await pilot.press("2")
        assert shown(pane)[-1] == 17


async def test_the_messages_shown_are_exported_to_a_file(tmp_path: Path) -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("slash", *"tool:greet", "enter", "x")
        await until(lambda: "as shown; secrets are masked." in text(pane))
        await pilot.press("j")
        await until(lambda: isinstance(pane.app.focused, Input) and pane.app.screen.is_modal)
        assert isinstance(pane.app.focused, Input)
        pane.app.focused.value = str(tmp_path / "greet.jsonl")
        await pilot.press("enter")
        await until((tmp_path / "greet.jsonl").exists)
        lines = (tmp_path / "greet.jsonl").read_text().splitlines()
        assert [json.loads(line)["seq"] for line in lines] == shown(pane)


async def test_the_statistics_are_sorted_by_a_column_and_lead_to_the_calls() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("S")
        await until(lambda: "Statistics of 5 requests, 2 errors" in text(pane))
        await pilot.press("right")
        await until(lambda: "by errors; " in text(pane))
        await pilot.press("enter")
        await until(lambda: shown(pane) == [9, 10])


async def test_what_is_typed_in_the_composer_replaces_the_message_that_it_begins_with() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("C")
        await until(lambda: isinstance(pane.app.screen, Composer))
        composer = pane.app.screen
        assert isinstance(composer, Composer)
        assert composer.area.selected_text == composer.area.text != ""
        await pilot.press("1")
        assert composer.area.text == "1"
        # What was written is kept, and nothing of it is selected.
        await pilot.press("escape", "C")
        await until(lambda: isinstance(pane.app.screen, Composer) and pane.app.screen is not composer)
        kept = pane.app.screen.query_one(JsonArea)
        assert (kept.text, kept.selected_text) == ("1", "")


async def test_the_last_line_has_the_calls_in_view_their_errors_and_times() -> None:
    async with inspecting(by_call=True) as (_, pane):
        await until(lambda: "5 calls · 3 errors · p50 250 ms · p95 750 ms" in text(pane))
        pane.query_one("#filter", Input).value = "tool:greet"
        await until(lambda: "1 call · 0 errors · p50 750 ms · p95 750 ms" in text(pane))
        pane.query_one("#filter", Input).value = ""
        await until(lambda: "5 calls" in text(pane))


async def test_a_call_is_unfolded_to_a_tree_with_relative_times_and_folded_again() -> None:
    async with inspecting(size=(100, 30), by_call=True) as (pilot, pane):
        traffic = pane.traffic
        traffic.is_following = False
        traffic.move_to(3)
        await pilot.press("right")
        await until(lambda: "▾ greet {" in text(pane) and "├ tools/call greet" in text(pane))
        rows = text(pane).splitlines()
        assert "+250 ms" in next(row for row in rows if "├ greeting Ada" in row)
        assert "+750 ms" in next(row for row in rows if "└ greet: Hello, Ada!" in row)
        # Again, it goes to the first record, whose message the detail shows; the cursor stays there.
        await pilot.press("right", "down", "down", "down", "enter")
        await until(lambda: "← out result #8" in pane.detail.text or "← out result #8" in text(pane))
        await pilot.press("escape", "left")
        await until(lambda: "├ tools/call greet" not in text(pane) and traffic.cursor == 3)
        await pilot.press("space")
        await until(lambda: "├ tools/call greet" in text(pane))
        await pilot.press("space")
        await until(lambda: "├ tools/call greet" not in text(pane))


async def test_in_a_narrow_terminal_an_unfolded_call_has_its_times_before_the_messages() -> None:
    async with inspecting(size=(60, 24), by_call=True) as (pilot, pane):
        pane.traffic.is_following = False
        pane.traffic.move_to(3)
        await pilot.press("l")
        await until(lambda: "├ +250 ms greeting Ada" in text(pane))


async def test_the_cursor_stays_on_its_message_when_an_unfolded_call_above_grows() -> None:
    link = FakeLink(conversation())
    async with inspecting(link, size=(100, 30), by_call=True) as (pilot, pane):
        traffic = pane.traffic
        traffic.is_following = False
        traffic.move_to(9)
        await pilot.press("space", "right")
        await until(lambda: traffic.cursor == 10)
        answer = {"jsonrpc": "2.0", "id": "a", "result": {"content": [{"type": "text", "text": "Dark."}]}}
        link.arrive([record(17, Kind.RESPONSE, Direction.OUT, answer)])
        await until(lambda: "└ roast: Dark." in text(pane))
        assert traffic.cursor == 10


async def test_the_list_is_sorted_by_duration_and_follows_what_arrives() -> None:
    link = FakeLink(conversation())
    async with inspecting(link, size=(100, 30), by_call=True) as (pilot, pane):
        await pilot.press("o")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press("d")
        await until(lambda: "took ↓" in text(pane) and "sorted by took" in text(pane))
        await until(lambda: listed(pane)[0] == 5 and pane.traffic.cursor == 0)
        answer = {"jsonrpc": "2.0", "id": "a", "result": {"content": []}}
        link.arrive([record(18, Kind.RESPONSE, Direction.OUT, answer)])
        await until(lambda: listed(pane)[1] == 16 or listed(pane)[0] == 16)
        await pilot.press("o")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press("t")
        await until(lambda: listed(pane) == sorted(listed(pane)) and "sorted by" not in text(pane))


async def test_more_rows_than_are_sorted_stay_in_the_order_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_sorting, "MAX_SORTED", 5)
    async with inspecting(size=(100, 30), by_call=True) as (pilot, pane):
        await pilot.press("o")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press("d")
        await until(lambda: "over 5, not sorted" in text(pane))
        assert listed(pane) == sorted(listed(pane))
        pane.query_one("#filter", Input).value = "tool:greet | tool:fail"
        await until(lambda: "sorted by took" in text(pane) and listed(pane) == [5, 14])


async def test_a_large_list_is_sorted_on_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_sorting, "_FEW", 0)
    async with inspecting(size=(100, 30), by_call=True) as (pilot, pane):
        await pilot.press("o")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press("s")
        await until(lambda: listed(pane)[0] == 5)


async def test_a_column_is_hidden_in_the_dialog_and_stays_hidden() -> None:
    async with inspecting(size=(100, 30), by_call=True) as (pilot, pane):
        assert " kind " in text(pane)
        await pilot.press("O")
        await until(lambda: "[x] kind" in text(pane))
        await pilot.press("down", "space", "escape")
        await until(lambda: not pane.app.screen.is_modal and " kind " not in text(pane))
        memory = TerminalMemory()
        pane.remember(memory)
        assert TerminalMemory.from_json(memory.to_json()).columns.hidden == {"kind"}


async def test_a_wide_list_has_a_bar_for_each_call() -> None:
    async with inspecting(size=(260, 40), by_call=True) as (_, pane):
        await until(lambda: "waterfall" in text(pane))
        assert "━" in next(row for row in text(pane).splitlines() if "greet {" in row)


def listed(pane: InspectorPane) -> list[int]:
    """The numbers of the rows, in the order of the list."""
    return [pane.traffic.rows.entry(row).seq for row in range(len(pane.traffic.rows))]
