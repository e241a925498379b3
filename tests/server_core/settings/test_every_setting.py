"""Each setting has a visible effect.

The effects are described by the scenarios. A setting without a scenario fails here, and so does a setting that is
ignored: the same code runs with the setting and without it, and must observe different things.
"""

import asyncio
from dataclasses import fields
from pathlib import Path

import pytest

from server_core.settings import Settings
from tests.server_core.settings.scenarios import SCENARIOS
from tests.server_core.settings.scenarios.virtual_clock import VirtualClockLoop

pytestmark = pytest.mark.promises(
    "settings", "environment variables", "sessions", "event store", "notifications", "requests"
)
NAMES = [item.name for item in fields(Settings)]


def observe(name: str, folder: Path, *, is_set: bool) -> object:
    scenario = SCENARIOS[name]
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        scene = scenario.scene(folder, patch, is_set=is_set)
        with asyncio.Runner(loop_factory=VirtualClockLoop if scenario.skips_waits else None) as runner:
            return runner.run(scenario.observe(scene))


@pytest.mark.parametrize("name", NAMES)
def test_a_setting_has_an_effect(name: str, tmp_path: Path) -> None:
    assert name in SCENARIOS, f"{name} has no scenario: add one that shows its effect"
    scenario = SCENARIOS[name]
    assert scenario.by_default != scenario.when_set
    assert observe(name, tmp_path / "by default", is_set=False) == scenario.by_default
    assert observe(name, tmp_path / "set", is_set=True) == scenario.when_set


def test_there_are_scenarios_of_no_other_settings() -> None:
    assert set(SCENARIOS) <= set(NAMES)
