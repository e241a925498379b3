"""The table of actions: complete, and without conflicting keys."""

from importlib import import_module

import pytest

from tests.workbench.tui.driving import opened, toasts
from tests.workbench.tui.fakes import FakeLink, opener
from workbench.tui.actions import ACTIONS, EVERYWHERE, PLACES, actions_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.body import make_pane
from workbench.tui.header import hint_items
from workbench.tui.key_bindings import bindings, key_label
from workbench.tui.pane import Pane

WHERE = [EVERYWHERE, *PLACES]


def owner(place: str) -> type:
    return type(make_pane(place)) if place else WorkbenchApp


def test_every_action_has_a_place() -> None:
    assert {action.place for action in ACTIONS} <= {*WHERE}


@pytest.mark.parametrize("place", WHERE)
def test_every_action_has_a_method_and_a_help_text(place: str) -> None:
    for action in actions_of(place):
        assert callable(getattr(owner(place), f"action_{action.id}", None)), action.id
        assert action.help[0].isupper(), action.id
        assert not action.help.endswith("."), action.id


@pytest.mark.parametrize("place", WHERE)
def test_no_key_has_two_actions_in_a_place(place: str) -> None:
    keys = [key for action in actions_of(place) for key in action.keys.split(",")]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("place", PLACES)
def test_no_pane_overrides_a_global_key(place: str) -> None:
    everywhere = {key for action in actions_of(EVERYWHERE) for key in action.keys.split(",")}
    assert not everywhere & {key for action in actions_of(place) for key in action.keys.split(",")}


@pytest.mark.parametrize("place", PLACES)
def test_the_footer_has_at_most_six_hints(place: str) -> None:
    # Actions with the same title are hinted in turn, whichever fits the focus.
    hints = {action.title for action in (*actions_of(place), *actions_of(EVERYWHERE)) if action.in_footer}
    assert 2 < len(hints) <= 6


@pytest.mark.parametrize("place", PLACES)
def test_the_footer_advertises_no_key_that_types_while_the_user_types(place: str) -> None:
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


@pytest.mark.parametrize("place", PLACES)
async def test_the_keys_of_a_pane_that_is_still_being_created_do_nothing(place: str) -> None:
    app = WorkbenchApp(opener(FakeLink()), place="inspector" if place != "inspector" else "problems")
    async with app.run_test() as pilot:
        await opened(pilot, app.place)
        pane = make_pane(place)
        made = app.query_one("#body").mount(pane)
        for action in actions_of(place):
            pane.check_action("act", (action.id,))
            await pane.action_act(action.id)
        await made
        assert not app.screen.is_modal
        assert toasts(app) == ""
