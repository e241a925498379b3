"""Where settings come from: flags, else the environment, else the project's `.env`, else their defaults.

Rule 1: the environment wins over `.env`; within one of the two, our name of a setting wins over Arcade's.
Rule 2: a variable that is set to nothing counts as not set.
Rule 3: a relative path is seen from where it is written: from the folder of `.env`, else from the working directory.
Rule 4: what an app says of itself in its code is no setting; see :mod:`server_core.settings.identity`.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from server_core.errors import ConfigurationError
from server_core.settings.setting import PREFIX, Variable, facts_of, variables_of
from server_core.settings.table import Settings
from server_core.settings.values import Value, read_value

Source: TypeAlias = Literal["default", "environment", ".env", "flag", "constructor"]
_PLACES: Mapping[Source, str] = {"flag": "the command line", "constructor": "the code"}
"""What people call a place, where it is not by its own name."""

# What a file must at least hold to be worth being parsed, which takes longer than all the rest.
_HINT = re.compile(rb"^[ \t]*(?:export[ \t]+)?(?:WORKBENCH|MCP|ARCADE)_", re.MULTILINE)
# What another setting stands for, where these are not given themselves.
_IMPLIED: Mapping[str, Mapping[str, Value]] = {
    "debug": {"middleware_enable_logging": True, "middleware_log_level": "DEBUG"}
}


class Place(NamedTuple):
    """Where a value was given.

    Attributes:
        source: what kind of place it is.
        variable: the name that was used there, or the flag; empty for a default.
        file: the path of the `.env` file; empty elsewhere.
        line: in that file, from 1 on; 0 elsewhere.
    """

    source: Source = "default"
    variable: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.file else _PLACES.get(self.source, f"the {self.source}")


class Given(NamedTuple):
    """A text that stands for the value of a setting."""

    place: Place
    variable: Variable
    text: str


class Reading(NamedTuple):
    """Settings, and where each comes from.

    Attributes:
        settings: the values.
        places: name -> where the value was given; those with their default are left out.
        unused: name -> where else it was given, where it has no effect.
    """

    settings: Settings
    places: Mapping[str, Place]
    unused: Mapping[str, tuple[Place, ...]]

    def place(self, name: str) -> Place:
        """Return where the value of a setting comes from."""
        return self.places.get(name, Place())


Lookup: TypeAlias = Callable[[str], tuple[Place, str] | None]
"""Name of a variable -> where it is given, and the text that is given there."""
Flags: TypeAlias = Mapping[str, tuple[str, str]]
"""Name of a setting -> the flag that stands for it, and the text that was given with that."""


def read(path: Path | None = None, environment: Mapping[str, str] | None = None, flags: Flags | None = None) -> Reading:
    """Return the settings, and where each comes from.

    Args:
        path: the project's folder or file, whose `.env` counts too; none when not given.
        environment: where to look first; the process's own when not given.
        flags: what a command line says, which wins over every other place.

    Raises:
        ConfigurationError: when a value is not within its limits, or the file cannot be read.
    """
    environment = os.environ if environment is None else environment
    lookups: list[Lookup] = [_in_flags(flags)] if flags else []
    lookups.append(_in_environment(environment))
    if path is not None and (in_file := _in_env_file(path, environment)) is not None:
        lookups.append(in_file)
    values: dict[str, Value] = {}
    places: dict[str, Place] = {}
    unused: dict[str, tuple[Place, ...]] = {}
    for field in fields(Settings):
        given = list(_given(field, lookups))
        if given:
            first, *others = given
            # A flag is told by its own name.
            variable = first.variable._replace(name=first.place.variable)
            facts = facts_of(field)
            value = read_value(first.text, facts, variable, str(first.place))
            values[field.name] = _file_of(first) if facts.is_file and value != field.default else value
            places[field.name] = first.place
            unused[field.name] = tuple(other.place for other in others)
    for name, implied in _IMPLIED.items():
        if values.get(name):
            places = dict.fromkeys(implied, places[name]) | places
            values = {**implied, **values}
    return Reading(Settings(**values), places, unused)  # type: ignore[arg-type]


def _given(field: "Field[Any]", lookups: list[Lookup]) -> Iterator[Given]:
    for lookup in lookups:
        for variable in variables_of(field):
            if (match := lookup(variable.name)) is not None and match[1].strip():
                yield Given(match[0], variable, match[1].strip())


def _file_of(given: Given) -> str:
    # An absolute path stays as it is, and so does the home of somebody who is not known.
    return str(Path(given.place.file).parent.absolute() / os.path.expanduser(given.text))


def _in_flags(flags: Flags) -> Lookup:
    by_variable = {PREFIX + name.upper(): (Place("flag", flag), text) for name, (flag, text) in flags.items()}
    return by_variable.get


def _in_environment(environment: Mapping[str, str]) -> Lookup:
    def find(name: str) -> tuple[Place, str] | None:
        text = environment.get(name)
        return None if text is None else (Place("environment", name), text)

    return find


def _in_env_file(path: Path, environment: Mapping[str, str]) -> Lookup | None:
    from server_core.runtime import env_file

    file = env_file.find(path, environment)
    if environment.get(env_file.ENV_FILE_VARIABLE) and not file.is_file():
        raise ConfigurationError(
            f"There is no file {file}, which {env_file.ENV_FILE_VARIABLE} names; correct or unset it."
        )
    if not _HINT.search(env_file.read_bytes(file)):
        return None
    entries = env_file.entries(file)

    def find(name: str) -> tuple[Place, str] | None:
        entry = entries.get(name)
        return None if entry is None else (Place(".env", name, str(file), entry.line), entry.value)

    return find
