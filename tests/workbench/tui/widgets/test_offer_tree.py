"""The tree of offers: the matches of a search, and its cursor."""

from collections.abc import AsyncIterator

import pytest
from textual.app import App, ComposeResult

from workbench.model.catalog import Offer, OfferKind
from workbench.tui.widgets.offer_tree import OfferTree

NAMES = ("add_later", "becomes_task", "Boom", "boom_fatal", "sweep", "task_asks")


class TreeApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.tree_ = OfferTree()

    def compose(self) -> ComposeResult:
        yield self.tree_


@pytest.fixture
async def tree() -> AsyncIterator[OfferTree]:
    app = TreeApp()
    async with app.run_test():
        about = {"sweep": "Clean up after a boom"}
        app.tree_.show([Offer(OfferKind.TOOL, name, name, about.get(name, ""), {}) for name in NAMES])
        yield app.tree_


@pytest.mark.parametrize(
    ("text", "name"),
    [("boom", "Boom"), ("boom_", "boom_fatal"), ("task", "task_asks"), ("fatal", "boom_fatal"), ("clean", "sweep")],
)
async def test_the_cursor_goes_to_the_name_most_similar_to_the_search(tree: OfferTree, text: str, name: str) -> None:
    tree.move_to(5)
    for end in range(1, len(text) + 1):
        tree.search(text[:end])
    assert tree.offer is not None
    assert tree.offer.name == name


async def test_when_the_search_ends_the_cursor_stays_on_the_match(tree: OfferTree) -> None:
    tree.search("fatal")
    tree.search("")
    assert tree.offer is not None
    assert tree.offer.name == "boom_fatal"


async def test_a_click_on_the_heading_of_a_group_folds_it_and_another_opens_it() -> None:
    app = TreeApp()
    async with app.run_test() as pilot:
        app.tree_.show([Offer(OfferKind.TOOL, name, name, "", {}) for name in NAMES])
        app.tree_.move_to(3)
        await pilot.click(app.tree_, offset=(3, 0))
        assert app.tree_.line_count == 1
        await pilot.click(app.tree_, offset=(3, 0))
        assert app.tree_.line_count == 1 + len(NAMES)


async def test_a_search_that_finds_nothing_leaves_nothing_under_the_cursor(tree: OfferTree) -> None:
    tree.search("nothing like it")
    assert tree.offer is None
