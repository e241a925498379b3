"""The configuration file of the terminal: reading it, and changing a setting without touching the comments."""

from contextlib import suppress
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.runtime import private_files
from server_core.runtime.paths import config_file
from workbench.model.terminal_config import TerminalConfig, parse_config

_MAX_BYTES = 1_000_000


def config_path() -> Path:
    return config_file()


def read_config() -> TerminalConfig:
    """Return the settings; mistakes, and a file that cannot be read, are problems of the configuration."""
    try:
        return parse_config(read_text())
    except ConfigurationError as error:
        return TerminalConfig(problems=(str(error),))


def read_text() -> str:
    """Return the text of the file, empty if there is none; ConfigurationError if it cannot be read."""
    path = config_file()
    try:
        return private_files.read(path, _MAX_BYTES).decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def write_setting(name: str, value: str) -> Path:
    """Set a setting, or `keys.ACTION`, and return the path of the file; an empty value removes it.

    ConfigurationError if the file is not valid TOML, or cannot be written.
    """
    # Imported late: only a change needs it.
    from tomlkit.exceptions import TOMLKitError

    # The file may be a link, into a folder of settings that is kept under version control.
    path = config_file().resolve()
    try:
        # Another terminal may change a setting at the same time.
        with private_files.lock_folder(path.parent):
            private_files.replace(path, _with_setting(read_text(), name, value).encode())
    except TOMLKitError as error:
        raise ConfigurationError(f"{config_file()}: {error}; correct the file first") from error
    except (OSError, UnicodeEncodeError) as error:
        raise ConfigurationError(f"{config_file()} cannot be written: {error}") from error
    return config_file()


def _with_setting(text: str, name: str, value: str) -> str:
    """Return the text of the file with a changed setting; TOMLKitError if it is not valid TOML."""
    import tomlkit

    table, _, key = name.partition(".")
    document = tomlkit.parse(text)
    if key and table not in document:
        document[table] = tomlkit.table()
    target = document[table] if key else document
    if not isinstance(target, dict):
        raise ConfigurationError(f"{table} in {config_file()} is not a table; correct the file first")
    # The keys of a pane may have a table of their own.
    place, _, action = key.rpartition(".")
    if place and isinstance(target.get(place), dict):
        target, key = target[place], action
    if value:
        target[key or table] = number_or_text(value) if table == "captures" else value
    else:
        target.pop(key or table, None)
    return tomlkit.dumps(document)


def number_or_text(value: str) -> int | float | str:
    """Return the number that a text is, else the text."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return value
