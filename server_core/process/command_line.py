"""The command line of a core, parsed by hand: importing argparse takes a tenth of the time to the first response."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from server_core.errors import ConfigurationError
from server_core.runtime.paths import CURRENT_FOLDER_REMOVED, current_folder

USAGE = """\
usage: python -m server_core [PATH] [--stdio | --http [--host HOST] [--port PORT]] [--reload] [--no-capture]
                             [--otel-enable] [--core-id ID] [--upstream URL | -- COMMAND ARGS...]
"""


class Arguments(NamedTuple):
    """The parsed command line."""

    # The folder or file of tools; None when another server is relayed.
    path: Path | None = None
    stdio: bool = False
    http: bool = False
    host: str = "127.0.0.1"
    # 0 for any free port.
    port: int = 8000
    reload: bool = False
    capture: bool = True
    otel: bool = False
    # Empty to generate an id.
    core_id: str = ""
    # The URL of a server to relay, or its command.
    upstream: str = ""
    command: tuple[str, ...] = ()
    help: bool = False

    @property
    def mode(self) -> str:
        """How the core is used: `stdio`, `http` or `link`."""
        return "stdio" if self.stdio else "http" if self.http else "link"


def parse(argv: list[str]) -> Arguments:
    """Parse the words after the name of the program; raise ConfigurationError when they are invalid."""
    values: dict[str, Any] = {}
    words = iter(argv)
    for word in words:
        name, has_value, value = word.partition("=")
        if word == "--":
            values["command"] = tuple(words)
        elif word in SWITCHES:
            field, setting = SWITCHES[word]
            values[field] = setting
        elif name in OPTIONS:
            field, convert = OPTIONS[name]
            values[field] = convert(value if has_value else _value(name, words))
        elif word.startswith("-"):
            raise _usage_error(f"Unknown option {name}.")
        elif "path" in values:
            raise _usage_error(f"Only one PATH is allowed, but {word} is a second.")
        else:
            values["path"] = Path(word)
    _check(values)
    return Arguments(**values)


def _check(values: dict[str, Any]) -> None:
    subjects = [name for name in ("path", "upstream", "command") if values.get(name)]
    if len(subjects) > 1:
        raise _usage_error("Give only one of PATH, --upstream URL, and -- COMMAND.")
    if not subjects:
        values["path"] = Path()
    path = values.get("path")
    if path is not None and not path.is_absolute() and current_folder() is None:
        raise ConfigurationError(CURRENT_FOLDER_REMOVED)
    if values.get("stdio") and values.get("http"):
        raise _usage_error("Give only one of --stdio and --http.")


def _value(name: str, words: Iterator[str]) -> str:
    value = next(words, None)
    if value is None:
        raise _usage_error(f"{name} needs a value.")
    return value


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise _usage_error(f"--port is {text!r}, but must be a number up to 65535; 0 means any free port.")
    return int(text)


def _usage_error(message: str) -> ConfigurationError:
    return ConfigurationError(f"{message}\n{USAGE}")


SWITCHES: dict[str, tuple[str, bool]] = {
    "--stdio": ("stdio", True),
    "--http": ("http", True),
    "--reload": ("reload", True),
    "--no-capture": ("capture", False),
    "--otel-enable": ("otel", True),
    "--help": ("help", True),
    "-h": ("help", True),
}
OPTIONS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "--host": ("host", str),
    "--port": ("port", _port),
    "--core-id": ("core_id", str),
    "--upstream": ("upstream", str),
}
