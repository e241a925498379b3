"""The pane, the tool, the values and the filter that the next terminal on a project restores."""

import threading
from itertools import pairwise
from typing import Any

import pytest
from textual.widgets import Input

from tests.waiting import LIMIT, until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.fakes import opener
from tests.workbench.tui.kitchen import kitchen_link
from workbench.model.terminal_memory import TerminalMemory
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.columns import Columns
from workbench.tui.widgets.form.json_area import JsonArea
from workbench.tui.widgets.form.text import LineEditor
from workbench.tui.widgets.offer_form import OfferForm
from workbench.tui.widgets.offer_tree import OfferTree

SIZE = (120, 40)


async def work() -> None:
    """Fill in a field, filter the messages, and leave."""
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.pane is not None)
        await until(lambda: app.query(OfferForm) and app.query_one(OfferForm).offer)
        await app.open_tool("greet")
        form = app.query_one(OfferForm)
        await until(lambda: form.offer and form.offer.name == "greet" and form.query(LineEditor))
        await pilot.press("A", "d", "a")
        await until(lambda: form.editor.form and form.editor.form.value().get("name") == "Ada")
        await app.show("inspector")
        await until(lambda: app.query("#filter"))
        app.query_one("#filter", Input).value = "tool:greet"
        await pilot.pause()
        app.exit(0)


async def test_the_next_terminal_on_a_project_continues_where_the_last_has_ended() -> None:
    await work()
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE):
        await until(lambda: app.pane is not None and app.place == "inspector")
        await until(lambda: app.query("#filter") and app.query_one("#filter", Input).value == "tool:greet")
        await until(lambda: isinstance(app.pane, InspectorPane) and app.pane._filter.filter.text == "tool:greet")
        await app.show("tools")
        await until(lambda: app.query(OfferForm) and app.query_one(OfferForm).offer)
        form = app.query_one(OfferForm)
        await until(lambda: form.offer is not None and form.offer.name == "greet")
        assert form.editor.form is not None
        assert form.editor.form.value()["name"] == "Ada"


async def test_states_are_stored_beside_the_event_loop_in_their_order_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored: list[tuple[dict[str, Any], bool]] = []
    begun, free = threading.Event(), threading.Event()

    def save(project: str, state: dict[str, Any]) -> None:
        begun.set()
        free.wait(LIMIT)
        stored.append((state, threading.current_thread() is threading.main_thread()))

    monkeypatch.setattr("workbench.workspace.memory_file.save_memory", save)
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE):
        await until(lambda: app.pane is not None and app.pane.is_ready)
        await app.show("inspector")
        await until(begun.is_set)
        # While the disk is slow, the terminal goes on.
        await app.show("secrets")
        await app.show("problems")
        free.set()
        app.exit(0)
    states = [state for state, _ in stored]
    places = [state["place"] for state in states]
    assert places == sorted(places, key=["tools", "inspector", "secrets", "problems"].index)
    assert places[-1] == "problems"
    # Nothing is written twice; a pane may have another state, such as another tool.
    assert all(before != after for before, after in pairwise(states))
    assert not stored[0][1]


async def test_a_terminal_that_failed_hands_its_state_to_the_next() -> None:
    memory = TerminalMemory("tools", "greet", {"greet": {"name": "Ada", "gone": 1}}, step="form")
    app = WorkbenchApp(opener(kitchen_link()), memory=memory)
    async with app.run_test(size=SIZE):
        await until(lambda: app.query(OfferForm) and app.query_one(OfferForm).offer)
        form = app.query_one(OfferForm)
        await until(lambda: form.offer is not None and form.offer.name == "greet")
        assert form.editor.form is not None
        assert form.editor.form.value() == {"name": "Ada"}
        await until(lambda: app.focused is not None and form in app.focused.ancestors)


async def test_a_text_that_cannot_be_read_comes_back_as_it_was_typed() -> None:
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.query(OfferForm) and app.query_one(OfferForm).offer)
        await app.open_tool("book_table")
        form = app.query_one(OfferForm)
        await until(lambda: form.offer and form.offer.name == "book_table" and form.editor.form)
        assert form.editor.form is not None
        form.editor.form.set_text(("hour",), "2]")
        await app.open_tool("greet")
        await until(lambda: form.offer and form.offer.name == "greet" and form.query(LineEditor))
        await pilot.press("ctrl+t")
        await until(lambda: form.editor.is_json)
        form.query_one(JsonArea).load_text('{"name": ')
        app.exit(0)
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE):
        await until(lambda: app.query(OfferForm) and app.query_one(OfferForm).offer)
        form = app.query_one(OfferForm)
        await until(lambda: form.editor.is_json and form.query_one(JsonArea).text == '{"name": ')
        assert form.editor.settle() is not None
        await app.open_tool("book_table")
        await until(lambda: form.offer and form.offer.name == "book_table" and form.editor.form)
        assert form.editor.form is not None
        hour = form.editor.form.field(("hour",))
        assert (hour.kind, hour.text) == ("integer", "2]")


async def arrange() -> dict[str, int]:
    """Move a line between columns, sort the list, close a group, use the palette, and leave; return the shares."""
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.query(OfferTree) and app.query_one(OfferTree).line_count > 3)
        tree, columns = app.query_one(OfferTree), app.query_one(Columns)
        await until(lambda: tree.has_focus and columns.has_lines)
        await pilot.press("alt+right")
        await until(lambda: columns.shares)
        await pilot.press("O", "g", "enter")
        await until(lambda: app.arrangement.is_sorted and app.arrangement.closed_groups)
        await pilot.press("ctrl+p", *"theme: nord")
        await until(lambda: "Theme: nord" in screen_text(app))
        await pilot.press("enter")
        await until(lambda: app.arrangement.recent)
        shares = dict(columns.shares)
        app.exit(0)
    return shares


async def test_the_next_terminal_has_the_columns_the_order_and_the_groups_of_the_last() -> None:
    shares = await arrange()
    app = WorkbenchApp(opener(kitchen_link()))
    async with app.run_test(size=SIZE) as pilot:
        await until(lambda: app.query(OfferTree) and app.query_one(OfferTree).line_count > 1)
        tree, columns = app.query_one(OfferTree), app.query_one(Columns)
        assert columns.shares == shares
        await until(lambda: app.query_one("#offers").outer_size.width == shares["offers"])
        assert tree.is_sorted
        assert "▸ Tools" in screen_text(app)
        assert app.arrangement.recent == ["Theme: nord"]
        # Another class of widths has its own columns.
        await pilot.resize_terminal(180, 40)
        await until(lambda: not columns.shares and app.query_one("#offers").outer_size.width == 44)
        await pilot.resize_terminal(*SIZE)
        await until(lambda: columns.shares == shares)
