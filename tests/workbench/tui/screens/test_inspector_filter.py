"""The filter of the inspector: which messages it hides, its problems and its matches."""

import pytest
from textual.widgets import Input

from tests.waiting import until
from tests.workbench.tui.driving import toasts
from tests.workbench.tui.screens.inspector_pane import inspecting, shown, text
from workbench.workspace.saved_filters import written_out


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


async def test_an_invalid_filter_shows_its_problem_and_position_and_hides_nothing() -> None:
    async with inspecting() as (pilot, pane):
        pane.query_one("#filter", Input).value = "tool:greet status:ok"
        await until(lambda: len(shown(pane)) < 16)
        pane.query_one("#filter", Input).value = "tool:greet status:maybe"
        await until(lambda: len(shown(pane)) == 16)
        await pilot.pause()
        line = next(row for row in text(pane).splitlines() if "^" in row and "status:" in row)
        assert line.index("^") == 3 + len("tool:greet ")
        pane.query_one("#filter", Input).value = "tool:greet"
        await pilot.pause()
        assert "^ " not in text(pane).splitlines()[3]


async def test_a_word_that_resembles_a_field_is_searched_as_a_text_with_a_hint() -> None:
    async with inspecting() as (pilot, pane):
        pane.query_one("#filter", Input).value = "tol:greet"
        await pilot.pause()
        assert "tol: is searched as a text; did you mean tool: ?" in text(pane)
        pane.query_one("#filter", Input).value = "https://example.org"
        await pilot.pause()
        assert "did you mean" not in text(pane)


async def test_without_a_match_the_tool_that_was_probably_meant_is_proposed() -> None:
    async with inspecting() as (_, pane):
        pane.query_one("#filter", Input).value = "tool:gret"
        await until(lambda: "No message matches: did you mean tool:greet?" in text(pane))


async def test_without_a_match_no_message_is_shown_beside_the_list() -> None:
    async with inspecting(size=(160, 40)) as (pilot, pane):
        pane.traffic.focus()
        await pilot.press("g")
        await until(lambda: pane.detail.text)
        pane.query_one("#filter", Input).value = "nothing of the kind"
        await until(lambda: not pane.detail.text)
        assert "No message matches the filter" in text(pane)
        pane.query_one("#filter", Input).value = ""
        await until(lambda: pane.detail.text)


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


async def test_digits_typed_into_the_filter_do_not_change_the_pane() -> None:
    async with inspecting() as (pilot, pane):
        await pilot.press("slash", "6", "q")
        assert pane.query_one("#filter", Input).value == "6q"
        assert pane.workbench.place == "inspector"


async def test_a_value_of_a_message_is_added_to_the_filter() -> None:
    async with inspecting(size=(160, 40)) as (pilot, pane):
        pane.query_one("#filter", Input).value = "tool:greet | tool:add"
        pane.traffic.focus()
        await pilot.press("g")
        assert pane.why_not("filter_value")
        await pilot.press("enter")
        await until(lambda: pane.detail.has_focus and not pane.detail.is_empty)
        await until(lambda: '"method"' in pane.detail.text)
        while pane.detail.path != "$.params.name":
            await pilot.press("down")
        await pilot.press("a")
        value = pane.query_one("#filter", Input).value
        assert value == '(tool:greet | tool:add) $.params.name == "greet"'
        assert {pane.workspace.timeline.by_seq(seq).name for seq in shown(pane)} == {"greet"}
        assert pane.detail.has_focus


async def test_the_filter_is_completed_and_earlier_filters_come_back_with_the_arrows() -> None:
    async with inspecting() as (pilot, pane):
        filter = pane.query_one("#filter", Input)
        await pilot.press("slash", *"tool:gr")
        await until(lambda: filter._suggestion == "tool:greet")
        await pilot.press("right")
        assert filter.value == "tool:greet"
        await pilot.press("enter", "slash")
        filter.value = "id:2"
        await pilot.press("enter", "slash", "up", "up")
        await until(lambda: filter.value == "tool:greet" and 10 not in shown(pane))
        await pilot.press("down")
        await until(lambda: filter.value == "id:2" and 10 in shown(pane))
        # Esc returns to what was typed; the list has the focus again.
        await pilot.press("up", "escape")
        await until(lambda: filter.value == "id:2" and pane.traffic.has_focus)


async def test_a_filter_that_was_saved_is_completed_and_applied_by_its_name() -> None:
    async with inspecting() as (pilot, pane):
        assert "no valid filter" in (pane.why_not("save_filter") or "")
        filter = pane.query_one("#filter", Input)
        await pilot.press("slash", *"tool:greet")
        await until(lambda: 1 < len(shown(pane)) < 16)
        matching = shown(pane)
        await pilot.press("ctrl+s")
        await until(lambda: pane.app.screen.is_modal)
        await pilot.press(*"two words", "enter")
        await until(lambda: "A name has letters" in text(pane))
        pane.app.screen.query_one(Input).value = "mine"
        await pilot.press("enter")
        await until(lambda: "@mine is saved in" in toasts(pane.workbench))
        filter.value = "!@mi"
        await until(lambda: filter._suggestion == "!@mine")
        filter.value = "@mine"
        await until(lambda: shown(pane) == matching)
        # A core does not know the name.
        assert written_out("@mine dir:in") == "tool:greet dir:in"


async def test_all_problems_of_a_filter_are_shown_at_once() -> None:
    async with inspecting() as (_, pane):
        pane.query_one("#filter", Input).value = "tol:greet status:maybe"
        await until(lambda: "did you mean tool:" in text(pane) and "status: is one of" in text(pane))
