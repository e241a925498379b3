"""What a scenario is: a setting, a value, and what somebody sees by default and with it.

Rule 1: the same code looks twice, and nothing is different but that one setting: who ignores it, is seen to.
Rule 2: the value is a text, as people give it, and comes through the reading of settings.
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
    """Where a scenario takes place.

    Attributes:
        settings: of the server.
        environment: the variables that they were read from.
        folder: an empty one, and the working directory.
        patch: changes what the scene needs changed, for as long as it lasts.
    """

    settings: Settings
    environment: Mapping[str, str]
    folder: Path
    patch: pytest.MonkeyPatch


Look: TypeAlias = Callable[[Scene], Coroutine[Any, Any, Any]]
"""Plays the scene, and returns what somebody sees of it."""


@dataclass(frozen=True)
class Scenario:
    """What one setting changes.

    Attributes:
        setting: its name.
        value: that is given, as a text.
        look: plays the scene.
        by_default: what is seen when nothing is given.
        when_set: what is seen with the value.
        others: other settings that the scene needs, in both cases.
        jumps: the clock of the scene jumps over every wait, so that hours pass at once.
    """

    setting: str
    value: str
    look: Look
    by_default: Any
    when_set: Any
    others: Mapping[str, str] = field(default_factory=dict)
    jumps: bool = False

    def scene(self, folder: Path, patch: pytest.MonkeyPatch, *, is_set: bool) -> Scene:
        """Return where it takes place.

        Args:
            folder: an empty one.
            patch: undone behind it.
            is_set: whether the value is given.
        """
        patch.chdir(folder)
        given = {**self.others, **({self.setting: self.value} if is_set else {})}
        environment = {PREFIX + name.upper(): value for name, value in given.items()}
        return Scene(read_settings(environment=environment).settings, environment, folder, patch)


SCENARIOS: dict[str, Scenario] = {}
"""By the names of the settings."""


def scenario(
    setting: str, value: str, *, by_default: Any, when_set: Any, jumps: bool = False, **others: str
) -> Callable[[Look], Look]:
    """Make a function that plays a scene the scenario of a setting; for the arguments see :class:`Scenario`."""

    def keep(look: Look) -> Look:
        assert setting not in SCENARIOS, f"{setting} has two scenarios"
        SCENARIOS[setting] = Scenario(setting, value, look, by_default, when_set, others, jumps)
        return look

    return keep
