"""Choices are searched in the list of proposals, in every kind of field that has choices."""

from typing import Any

import pytest
from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.waiting import until
from tests.workbench.tui.driving import screen_text
from tests.workbench.tui.hosting import FormHost, hosted, objects
from workbench.tui.app import WorkbenchApp
from workbench.tui.widgets.form.beside_cursor import cursor_of, offset_beside
from workbench.tui.widgets.form.calendar import CalendarScreen
from workbench.tui.widgets.form.field_search_screen import FieldSearch
from workbench.tui.widgets.form.proposal_screen import ProposalScreen
from workbench.tui.workers import start_worker


async def propose(app: FormHost) -> None:
    """Open the list of proposals for the field in focus."""
    start_worker(app, app.editor.propose, "proposals")
    await until(lambda: isinstance(app.screen, ProposalScreen) and app.screen.is_mounted and app.screen.focused)


async def propose_in(app: WorkbenchApp) -> None:
    """Open the list of proposals in the whole terminal."""
    await app.action_do("tools", "propose")
    await until(lambda: isinstance(app.screen, ProposalScreen) and app.screen.is_mounted)


async def choose(pilot: Pilot[Any], app: FormHost, *keys: str) -> None:
    app.row("a").focus_editor()
    await propose(app)
    await pilot.press(*keys, "enter")
    await until(lambda: not isinstance(app.screen, ProposalScreen))


@pytest.mark.parametrize(
    ("schema", "keys", "value"),
    [
        ({"type": "boolean"}, "f", False),
        ({"enum": ["plain", "warm"]}, "w", "warm"),
        ({"enum": [f"value-{number}" for number in range(500)]}, "437", "value-437"),
        ({"enum": [f"value-{number}" for number in range(500)]}, "v499", "value-499"),
        ({"type": "array", "items": {"enum": ["flowers", "cake", "music"]}}, "mu", ["music"]),
        ({"anyOf": [objects(b={"default": 1, "type": "integer"}), {"type": "array"}]}, "li", []),
    ],
)
async def test_a_choice_is_searched_by_its_letters(schema: dict[str, Any], keys: str, value: Any) -> None:
    async with hosted(objects(a=schema)) as (pilot, app):
        await choose(pilot, app, *keys)
        if value == []:
            await until(lambda: app.form.field(("a",)).variant == 1)
        else:
            await until(lambda: app.form.value() == {"a": value})


async def test_the_best_match_is_first_and_its_letters_are_marked() -> None:
    names = [f"a rather long entry {number}" for number in range(9)] + ["bare"]
    async with hosted(objects(a={"enum": names})) as (pilot, app):
        app.row("a").focus_editor()
        await propose(app)
        await pilot.press(*"bar")
        options = app.screen.query_one(OptionList)
        await until(lambda: options.option_count == 1)
        content: Any = options.get_option_at_index(0).prompt
        assert [(span.start, span.end) for span in content.spans] == [(0, 1), (1, 2), (2, 3)]
        await pilot.press("x")
        await until(lambda: "no match" in screen_text(app))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("window", "opened_by"),
    [(ProposalScreen, "propose"), (CalendarScreen, "propose"), (FieldSearch, "find_field")],
)
async def test_a_double_click_beside_a_window_over_the_form_closes_it_once(
    window: type[ProposalScreen | CalendarScreen | FieldSearch], opened_by: str
) -> None:
    schema = {"type": "string", "format": "date"} if window is CalendarScreen else {"type": "boolean"}
    async with hosted(objects(a=schema)) as (_, app):
        app.row("a").focus_editor()
        start_worker(app, getattr(app.editor, opened_by), "proposals")
        await until(lambda: isinstance(app.screen, window) and app.screen.is_mounted and app.screen.focused)
        shown = app.screen
        assert isinstance(shown, window)
        click = events.Click(shown, 70, 40, 0, 0, 1, shift=False, meta=False, ctrl=False)
        # Both in one go, as on a busy machine: the second one finds the window closed.
        shown.on_click(click)
        shown.on_click(click)
        await until(lambda: shown not in app.screen_stack)
        assert len(app.screen_stack) == 1
        assert app.form.value() == {}


def is_beside(app: FormHost) -> bool:
    """Whether the window in front is where it would be opened now."""
    window, editor = app.screen.focused, app.row("a").query("Segments, Input").first()
    assert window is not None
    return window.region.offset == offset_beside(cursor_of(editor, Offset(-1, -1)), window.region.size, app.size)


@pytest.mark.parametrize("schema", [{"type": "boolean"}, {"type": "string", "format": "date"}])
async def test_a_window_at_the_cursor_follows_its_field_when_the_terminal_is_resized(schema: dict[str, Any]) -> None:
    async with hosted(objects(a=schema)) as (pilot, app):
        app.row("a").focus_editor()
        start_worker(app, app.editor.propose, "proposals")
        await until(lambda: isinstance(app.screen, ProposalScreen | CalendarScreen) and app.screen.focused)
        for width in (30, 120):
            # Labels are above the editors in a narrow form.
            await pilot.resize_terminal(width, 40)
            await until(lambda width=width: app.editor.region.width == width)
            await until(lambda: is_beside(app))
