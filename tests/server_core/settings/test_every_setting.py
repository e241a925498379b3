"""No setting is dead: each row of the table changes something visible.

What each changes is in the scenarios; a row that has none fails here, and so does one that is ignored, since the
same code looks with the setting and without it, and has to see something else.
"""

import asyncio
from dataclasses import fields
from pathlib import Path

import pytest

from server_core.settings import Settings
from tests.server_core.settings.scenarios import SCENARIOS
from tests.server_core.settings.scenarios.jumping import JumpingLoop

pytestmark = pytest.mark.promises(
    "settings", "environment variables", "sessions", "event store", "notifications", "requests"
)
NAMES = [item.name for item in fields(Settings)]


def seen(name: str, folder: Path, *, is_set: bool) -> object:
    scenario = SCENARIOS[name]
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        scene = scenario.scene(folder, patch, is_set=is_set)
        with asyncio.Runner(loop_factory=JumpingLoop if scenario.jumps else None) as runner:
            return runner.run(scenario.look(scene))


@pytest.mark.parametrize("name", NAMES)
def test_a_setting_has_an_effect(name: str, tmp_path: Path) -> None:
    assert name in SCENARIOS, f"nobody knows what {name} changes: add a scenario that shows it"
    scenario = SCENARIOS[name]
    assert scenario.by_default != scenario.when_set
    assert seen(name, tmp_path / "by default", is_set=False) == scenario.by_default
    assert seen(name, tmp_path / "set", is_set=True) == scenario.when_set


def test_there_are_scenarios_of_no_other_settings() -> None:
    assert set(SCENARIOS) <= set(NAMES)
