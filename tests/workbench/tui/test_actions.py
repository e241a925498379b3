"""The table of actions: complete, and without conflicting keys."""

from importlib import import_module

import pytest

from tests.workbench.tui.driving import terminal, toasts
from tests.workbench.tui.fakes import FakeLink
from workbench.tui.actions import ACTIONS, EVERYWHERE, PLACES, actions_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.body import make_pane
from workbench.tui.header import hint_items
from workbench.tui.key_bindings import bindings, key_label
from workbench.tui.pane import Pane

WHERE = [EVERYWHERE, *PLACES]


def owner(place: str) -> type:
    return type(make_pane(place)) if place else WorkbenchApp


def keys_of(place: str) -> list[str]:
    return [key for action in actions_of(place) for key in action.keys.split(",")]


def test_every_action_has_a_place() -> None:
    assert {action.place for action in ACTIONS} <= {*WHERE}


@pytest.mark.parametrize("place", WHERE)
def test_every_action_has_a_method_a_help_text_and_keys_of_its_own(place: str) -> None:
    for action in actions_of(place):
        assert callable(getattr(owner(place), f"action_{action.id}", None)), action.id
        assert action.help[0].isupper(), action.id
        assert not action.help.endswith("."), action.id
    keys = keys_of(place)
    if place != EVERYWHERE:
        keys += keys_of(EVERYWHERE)
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("place", PLACES)
def test_a_narrow_footer_has_at_most_six_hints_and_no_key_that_types_while_the_user_types(place: str) -> None:
    left, right = hint_items(place)
    # Hints with a weight are left out first; the palette is one of the six all the same. Actions with the same title
    # are hinted in turn, whichever fits the focus.
    kept = {item.text for item in (*left, *right)[1::2] if item.weight <= 2}
    assert 2 < len(kept) <= 6
    left, right = hint_items(place, is_writing=True)
    keys = [item.text.strip() for item in (*left, *right)][::2]
    assert {"f1", "^p"} <= {*keys}
    assert all(len(key) > 1 for key in keys)


@pytest.mark.parametrize("place", PLACES)
def test_each_place_has_its_pane_with_its_keys(place: str) -> None:
    pane = make_pane(place)
    assert isinstance(pane, Pane)
    assert pane.id == pane.PLACE == place
    assert bindings(place) == type(pane).BINDINGS
    assert import_module(f"workbench.tui.screens.{place}_pane").__doc__


def test_keys_have_short_labels() -> None:
    assert [key_label(key) for key in ("ctrl+p", "question_mark", "f", "escape", "equals_sign")] == [
        "^p",
        "?",
        "f",
        "esc",
        "=",
    ]


async def test_the_keys_of_a_pane_that_is_still_being_created_do_nothing() -> None:
    async with terminal(FakeLink(), pane="problems") as (_, app):
        await app.query("#problems").remove()
        for place in PLACES:
            pane = make_pane(place)
            made = app.query_one("#body").mount(pane)
            for action in actions_of(place):
                pane.check_action("act", (action.id,))
                await pane.action_act(action.id)
            await made
            assert not app.screen.is_modal
            assert toasts(app) == ""
