"""Read settings from flags, the environment and the project's `.env`, in this order; else they have their defaults.

Rule 1: the environment overrides `.env`; within either, a `WORKBENCH_` variable overrides Arcade's.
Rule 2: an empty variable counts as not set.
Rule 3: a relative path is relative to the folder of the `.env` that holds it, else to the working directory.
Rule 4: the identity that an app sets in its code is no setting; see :mod:`server_core.catalog.identity`.
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
"""How places are named for people, if not by their own names."""

# Only a file that matches is parsed, because parsing takes longer than everything else.
_HINT = re.compile(rb"^[ \t]*(?:export[ \t]+)?(?:WORKBENCH|MCP|ARCADE)_", re.MULTILINE)
# Settings that another setting implies, unless they are given themselves.
_IMPLIED: Mapping[str, Mapping[str, Value]] = {
    "debug": {"middleware_enable_logging": True, "middleware_log_level": "DEBUG"}
}


class SettingPlace(NamedTuple):
    """Where a value was given."""

    source: Source = "default"
    variable: str = ""  # The variable or flag; empty for a default.
    file: str = ""  # The path of the `.env` file; empty elsewhere.
    line: int = 0  # The line in that file, from 1; 0 elsewhere.

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.file else _PLACES.get(self.source, f"the {self.source}")


class SettingText(NamedTuple):
    """The text of a setting, and where it was given."""

    place: SettingPlace
    variable: Variable
    text: str


class SettingsReading(NamedTuple):
    settings: Settings
    places: Mapping[str, SettingPlace]  # By name; defaults are left out.
    unused: Mapping[str, tuple[SettingPlace, ...]]  # Other places that give a value, without effect.

    def place(self, name: str) -> SettingPlace:
        """Return where the value of a setting comes from."""
        return self.places.get(name, SettingPlace())


Lookup: TypeAlias = Callable[[str], tuple[SettingPlace, str] | None]
"""Name of a variable -> its place and its text."""
Flags: TypeAlias = Mapping[str, tuple[str, str]]
"""Name of a setting -> its flag, and the text of the flag."""


def read_settings(
    path: Path | None = None, environment: Mapping[str, str] | None = None, flags: Flags | None = None
) -> SettingsReading:
    """Return the settings, and the place of each; ConfigurationError for an invalid value or an unreadable file.

    Args:
        path: the project's folder or file, whose `.env` is read; no `.env` when not given.
        environment: the environment variables; those of the process when not given.
        flags: the options of a command line, which override every other place.
    """
    environment = os.environ if environment is None else environment
    lookups: list[Lookup] = [_in_flags(flags)] if flags else []
    lookups.append(_in_environment(environment))
    if path is not None and (in_file := _in_env_file(path, environment)) is not None:
        lookups.append(in_file)
    values: dict[str, Value] = {}
    places: dict[str, SettingPlace] = {}
    unused: dict[str, tuple[SettingPlace, ...]] = {}
    for field in fields(Settings):
        texts = list(_texts_of(field, lookups))
        if texts:
            text, *others = texts
            # Errors name the flag, not the variable that it stands for.
            variable = text.variable._replace(name=text.place.variable)
            facts = facts_of(field)
            value = read_value(text.text, facts, variable, str(text.place))
            values[field.name] = _file_of(text) if facts.is_file and value != field.default else value
            places[field.name] = text.place
            unused[field.name] = tuple(other.place for other in others)
    for name, implied in _IMPLIED.items():
        if values.get(name):
            places = dict.fromkeys(implied, places[name]) | places
            values = {**implied, **values}
    return SettingsReading(Settings(**values), places, unused)  # type: ignore[arg-type]


def _texts_of(field: "Field[Any]", lookups: list[Lookup]) -> Iterator[SettingText]:
    for lookup in lookups:
        for variable in variables_of(field):
            if (match := lookup(variable.name)) is not None and match[1].strip():
                yield SettingText(match[0], variable, match[1].strip())


def _file_of(text: SettingText) -> str:
    # Without a file, this is the working directory. An absolute path is unchanged, and so is `~` of an unknown user.
    return str(Path(text.place.file).parent.absolute() / os.path.expanduser(text.text))


def _in_flags(flags: Flags) -> Lookup:
    by_variable = {PREFIX + name.upper(): (SettingPlace("flag", flag), text) for name, (flag, text) in flags.items()}
    return by_variable.get


def _in_environment(environment: Mapping[str, str]) -> Lookup:
    def find(name: str) -> tuple[SettingPlace, str] | None:
        text = environment.get(name)
        return None if text is None else (SettingPlace("environment", name), text)

    return find


def _in_env_file(path: Path, environment: Mapping[str, str]) -> Lookup | None:
    from server_core.runtime import env_file

    file = env_file.find(path, environment)
    if environment.get(env_file.ENV_FILE_VARIABLE) and not file.is_file():
        raise ConfigurationError(
            f"The file {file}, which {env_file.ENV_FILE_VARIABLE} names, does not exist; correct or unset the variable."
        )
    if not _HINT.search(env_file.read_bytes(file)):
        return None
    entries = env_file.read_entries(file)

    def find(name: str) -> tuple[SettingPlace, str] | None:
        entry = entries.get(name)
        return None if entry is None else (SettingPlace(".env", name, str(file), entry.line), entry.value)

    return find
