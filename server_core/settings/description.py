"""Describe the settings of a project: value, place, limits and meaning of each."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.catalog.identity import identity_settings
from server_core.runtime import env_file
from server_core.settings.other_variables import UnknownVariable, unknown_variables
from server_core.settings.setting import facts_of, variables_of
from server_core.settings.sources import Flags, SettingPlace, SettingsReading, read_settings
from server_core.settings.table import Settings
from server_core.settings.values import describe_limits

if TYPE_CHECKING:
    from server_core.catalog.identity import Identity

HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class SettingDescription:
    """The description of a setting."""

    name: str
    value: Any  # HIDDEN for a secret value, None when there is none.
    default: Any
    place: SettingPlace  # Where the value comes from.
    unused: tuple[SettingPlace, ...]  # Other places that give a value, without effect.
    names: tuple[str, ...]
    limits: tuple[str, ...]  # The permitted values, for each of the names; empty for any text.
    meaning: str


@dataclass(frozen=True, slots=True)
class IneffectiveVariable:
    """A variable that looks like a setting and has no effect, and where it is set."""

    variable: UnknownVariable
    place: SettingPlace


def describe(
    path: Path, environment: Mapping[str, str] | None = None, flags: Flags | None = None
) -> list[SettingDescription]:
    """Return the settings of a project; arguments and errors are those of :func:`read_settings`."""
    reading = read_settings(path, environment, flags)
    return list(_described(reading, _in_code(path, reading.settings)))


def ineffective_variables(path: Path, environment: Mapping[str, str] | None = None) -> list[IneffectiveVariable]:
    """Return the variables that look like settings and have no effect."""
    environment = os.environ if environment is None else environment
    file = env_file.find(path, environment)
    entries = env_file.read_entries(file)
    in_environment = [
        IneffectiveVariable(variable, SettingPlace("environment", variable.name))
        for variable in unknown_variables(environment)
    ]
    in_file = [
        IneffectiveVariable(variable, SettingPlace(".env", variable.name, str(file), entries[variable.name].line))
        for variable in unknown_variables(entries)
    ]
    return in_environment + in_file


def tokens_note(path: Path, environment: Mapping[str, str] | None = None, flags: Flags | None = None) -> str:
    """Return a note for people about the settings of the resource server; empty when there is none."""
    settings = read_settings(path, environment, flags).settings
    from server_core.resource_server.configuration import gate_of

    has_auth = _identity(path, settings).has_auth
    if gate_of(settings, app_may_complete=has_auth) is None or not has_auth:
        return ""
    return "An app of the project has its own auth=, which overrides MCP_RESOURCE_SERVER_*."


def _identity(path: Path, settings: Settings) -> "Identity":
    from server_core.catalog.identity import Identity
    from server_core.loading.file_discovery import discover

    if settings.tool_package or settings.discover_installed:
        return Identity("", "", is_of_app=False)  # None of the project's own code is served.
    return discover(path).identity


def _in_code(path: Path, settings: Settings) -> Mapping[str, str]:
    """Return the values that the code of a project sets, so that the settings have no effect."""
    return identity_settings(_identity(path, settings))


def _described(reading: SettingsReading, in_code: Mapping[str, str]) -> Iterator[SettingDescription]:
    for field in fields(Settings):
        facts, value = facts_of(field), getattr(reading.settings, field.name)
        place, unused = reading.place(field.name), tuple(reading.unused.get(field.name, ()))
        if field.name in in_code:
            given = (place, *unused) if place.variable else ()
            value, place, unused = in_code[field.name], _place_in_code(field.name), given
        names = tuple(variables_of(field))
        yield SettingDescription(
            field.name,
            HIDDEN if facts.is_secret and value else value,
            field.default,
            place,
            unused,
            tuple(variable.name for variable in names),
            tuple(describe_limits(facts, variable) for variable in names),
            facts.meaning,
        )


def _place_in_code(name: str) -> SettingPlace:
    return SettingPlace("constructor", f"MCPApp({name.removeprefix('server_')}=...)")
