"""A scenario: a setting, a value, and what is observed by default and with the value.

Rule 1: the same code runs twice, and only the setting differs, so that a setting without an effect fails.
Rule 2: the value is a text, as users write it, and is read like every setting.
"""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from server_core.settings import PREFIX, Settings
from server_core.settings.sources import read_settings


@dataclass(frozen=True)
class Scene:
    """What a scenario runs with."""

    settings: Settings  # For the server.
    environment: Mapping[str, str]  # The variables that the settings were read from.
    folder: Path  # An empty folder, and the working directory.
    patch: pytest.MonkeyPatch  # Undone after the scenario.


Observation: TypeAlias = Callable[[Scene], Coroutine[Any, Any, Any]]
"""Runs the scenario, and returns what is observed."""


@dataclass(frozen=True)
class Scenario:
    """What one setting changes."""

    setting: str  # Its name.
    value: str
    observe: Observation
    by_default: Any  # What is observed without the setting.
    when_set: Any  # What is observed with the value.
    others: Mapping[str, str] = field(default_factory=dict)  # Settings that both runs need.
    skips_waits: bool = False  # Whether the event loop has a virtual clock.

    def scene(self, folder: Path, patch: pytest.MonkeyPatch, *, is_set: bool) -> Scene:
        """Return what the scenario runs with; the folder is empty."""
        patch.chdir(folder)
        given = {**self.others, **({self.setting: self.value} if is_set else {})}
        environment = {PREFIX + name.upper(): value for name, value in given.items()}
        return Scene(read_settings(environment=environment).settings, environment, folder, patch)


SCENARIOS: dict[str, Scenario] = {}
"""By the names of the settings."""


def scenario(
    setting: str, value: str, *, by_default: Any, when_set: Any, skips_waits: bool = False, **others: str
) -> Callable[[Observation], Observation]:
    """Register a function as the scenario of a setting; for the arguments see :class:`Scenario`."""

    def register(observe: Observation) -> Observation:
        assert setting not in SCENARIOS, f"{setting} has two scenarios"
        SCENARIOS[setting] = Scenario(setting, value, observe, by_default, when_set, others, skips_waits)
        return observe

    return register
