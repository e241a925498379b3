"""The limits beyond which old captures are deleted: those of the settings, else those of the configuration file.

The file is the terminal's `config.toml`; its table `captures` applies to the cores of all projects. A setting that the
environment or `.env` gives another value than the default overrides it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from server_core.runtime import private_files
from server_core.runtime.paths import config_file

MAX_COUNT = 1000
MAX_BYTES = 2 * 1024 * 1024 * 1024
MEGABYTE = 1024 * 1024
CONFIG_NAMES = ("max_count", "max_size_mb", "max_age_days")
_MAX_VALUE = 1_000_000_000
_MAX_FILE_BYTES = 1_000_000


class CaptureLimits(NamedTuple):
    """The limits of all captures together."""

    number: int = MAX_COUNT
    bytes: int = MAX_BYTES
    days: float = 0  # Since they were last written; 0 for no limit.


def limits_with_config(given: CaptureLimits) -> CaptureLimits:
    """Return the limits of the settings, with those of the configuration file in the place of defaults; reads it."""
    values = _config_values()
    default = CaptureLimits()
    if given.number == default.number and "max_count" in values:
        given = given._replace(number=int(values["max_count"]))
    if given.bytes == default.bytes and "max_size_mb" in values:
        given = given._replace(bytes=int(values["max_size_mb"] * MEGABYTE))
    if given.days == default.days and "max_age_days" in values:
        given = given._replace(days=values["max_age_days"])
    return given


def read_limits(table: object) -> tuple[dict[str, float], dict[str, str]]:
    """Return the limits in the table `captures` of the configuration, and the mistakes, both by name."""
    if not isinstance(table, Mapping):
        return {}, {"": "captures must be a table"}
    values: dict[str, float] = {}
    mistakes: dict[str, str] = {}
    for name, value in table.items():
        if name not in CONFIG_NAMES:
            mistakes[name] = f"there is no setting captures.{name}; there are {', '.join(CONFIG_NAMES)}"
        elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MAX_VALUE:
            mistakes[name] = f"captures.{name} must be a number from 0 to {_MAX_VALUE:,}"
        elif name == "max_count" and not isinstance(value, int):
            mistakes[name] = f"captures.{name} must be a whole number"
        else:
            values[name] = value
    return values, mistakes


def _config_values() -> dict[str, float]:
    """Return the limits in the configuration file; mistakes in it are shown by the terminal and `workbench config`."""
    import tomllib

    try:
        data = tomllib.loads(private_files.read(config_file(), _MAX_FILE_BYTES).decode())
    except (OSError, ValueError, RecursionError):
        return {}
    return read_limits(data.get("captures", {}))[0]
