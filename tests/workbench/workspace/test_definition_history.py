"""What the last reload changed in the definitions."""

from itertools import pairwise
from typing import Any

from tests.workbench.tui.fakes import CATALOG, FakeLink, open_fixed_workspace
from workbench.model.definitions.change import verdict_text
from workbench.workspace.definition_history import DefinitionHistory

GREET, BEANS = ("tool", "greet"), ("tool", "order_beans")


def reloaded(**members: Any) -> dict[str, Any]:
    """Return the next generation of the catalog, with other members of the first tool."""
    first, *rest = CATALOG["tools"]
    return {**CATALOG, "generation": 3, "tools": [{**first, **members}, *rest]}


async def test_a_reload_leaves_what_changed_in_the_definitions() -> None:
    link = FakeLink()
    workspace = await open_fixed_workspace(link)
    assert workspace.core.definitions.changes == {}
    link.answers["catalog/get"] = reloaded(inputSchema={"type": "object", "required": ["name"]})
    await workspace.core.refresh("catalog")
    assert workspace.core.definitions.changes.keys() == {GREET}
    assert verdict_text(workspace.core.definitions.changes[GREET]) == "breaking for callers"
    # The same generation, fetched again.
    await workspace.core.refresh("catalog")
    assert workspace.core.definitions.changes.keys() == {GREET}
    await workspace.close()


async def test_the_next_reload_replaces_the_changes_and_a_failed_one_does_not() -> None:
    history = DefinitionHistory()
    await history.update(CATALOG, reloaded(title="Greeting"))
    failed = {**reloaded(title="Greeting"), "generation": 4, "ok": False, "reloaded": [], "changes": {}}
    await history.update(reloaded(title="Greeting"), failed)
    assert history.changes.keys() == {GREET}
    await history.update(failed, {**reloaded(title="Greeting"), "generation": 5})
    assert history.changes == {}


async def test_the_definitions_of_a_relayed_server_are_compared_without_generations() -> None:
    history = DefinitionHistory()
    before = {**CATALOG, "generation": 0}
    after = {**reloaded(title="Greeting"), "generation": 0}
    await history.update({}, before)
    assert history.changes == {}
    await history.update(before, after)
    assert history.changes.keys() == {GREET}
    await history.update(after, after)
    assert history.changes.keys() == {GREET}


async def test_an_offer_that_returns_is_compared_with_its_last_definition() -> None:
    history = DefinitionHistory()
    full, changed = CATALOG, reloaded(inputSchema={"type": "object", "required": ["name"]})
    fewer, none = {**full, "tools": full["tools"][1:]}, {**full, "tools": []}
    catalogs = [full, fewer, none, full, none, changed]
    for generation, (before, after) in enumerate(pairwise(catalogs), start=3):
        await history.update({**before, "generation": generation - 1}, {**after, "generation": generation})
        if after is full:
            assert history.changes == {}
        elif after is none:
            assert verdict_text(history.changes[BEANS]) == "breaking for callers"
    assert history.changes.keys() == {GREET}
    assert [change.path for change in history.changes[GREET]] == [("inputSchema", "required")]
