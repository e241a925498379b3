"""The settings of a project as people and programs look at them: value, place, limits and meaning of each."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from server_core import env_file
from server_core.settings.others import Stray, strays
from server_core.settings.reading import Place, Reading, read
from server_core.settings.setting import facts_of, variables_of
from server_core.settings.table import Settings
from server_core.settings.values import limits

HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class Described:
    """One setting.

    Attributes:
        name: of the setting.
        value: its value; :data:`HIDDEN` for one that is shown to nobody, None where nothing is said.
        default: its value where none is given.
        place: where the value comes from.
        unused: where else one is given, without effect.
        names: the variables that it can be given by.
        limits: what a value may be, by each of these names; empty for any text.
        meaning: what it is.
    """

    name: str
    value: Any
    default: Any
    place: Place
    unused: tuple[Place, ...]
    names: tuple[str, ...]
    limits: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A variable that looks like a setting and has no effect, and where it is set."""

    stray: Stray
    place: Place


def describe(path: Path, environment: Mapping[str, str] | None = None) -> list[Described]:
    """Return the settings of a project.

    Args:
        path: its folder, or its file.
        environment: where to look first; the process's own when not given.

    Raises:
        ConfigurationError: when a value is not within its limits, or `.env` cannot be read.
    """
    return list(_described(read(path, environment)))


def misplaced(path: Path, environment: Mapping[str, str] | None = None) -> list[Misplaced]:
    """Return the variables that look like settings and have no effect; for the arguments see :func:`describe`.

    Raises:
        ConfigurationError: when `.env` cannot be read.
    """
    environment = os.environ if environment is None else environment
    file = env_file.find(path, environment)
    entries = env_file.entries(file)
    found = [Misplaced(one, Place("environment", one.name)) for one in strays(environment)]
    return found + [
        Misplaced(one, Place(".env", one.name, str(file), entries[one.name].line)) for one in strays(entries)
    ]


def _described(reading: Reading) -> Iterator[Described]:
    for one in fields(Settings):
        facts, value = facts_of(one), getattr(reading.settings, one.name)
        names = tuple(variables_of(one))
        yield Described(
            one.name,
            HIDDEN if facts.is_secret and value else value,
            one.default,
            reading.place(one.name),
            tuple(reading.unused.get(one.name, ())),
            tuple(variable.name for variable in names),
            tuple(limits(facts, variable) for variable in names),
            facts.meaning,
        )
