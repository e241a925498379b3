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
    """The parsed command line.

    Attributes:
        path: the folder or file of tools; None when another server is relayed.
        stdio: serve a client on standard input and output.
        http: serve over HTTP.
        host: the host or IP address to listen on.
        port: the port; 0 for any free port.
        reload: reload files that change on disk.
        capture: write all records to a capture on disk.
        otel: send traces and metrics to an OpenTelemetry collector.
        core_id: the id of the core; empty to generate one.
        upstream: the URL of a server to relay.
        command: the command of a server to relay.
        help: only show the usage.
    """

    path: Path | None = None
    stdio: bool = False
    http: bool = False
    host: str = "127.0.0.1"
    port: int = 8000
    reload: bool = False
    capture: bool = True
    otel: bool = False
    core_id: str = ""
    upstream: str = ""
    command: tuple[str, ...] = ()
    help: bool = False

    @property
    def mode(self) -> str:
        """How the core is used: `stdio`, `http` or `link`."""
        return "stdio" if self.stdio else "http" if self.http else "link"


def parse(argv: list[str]) -> Arguments:
    """Parse the command line.

    Args:
        argv: the words after the name of the program.

    Raises:
        ConfigurationError: when it is invalid; the message explains why.
    """
    given: dict[str, Any] = {}
    words = iter(argv)
    for word in words:
        name, has_value, value = word.partition("=")
        if word == "--":
            given["command"] = tuple(words)
        elif word in SWITCHES:
            field, setting = SWITCHES[word]
            given[field] = setting
        elif name in OPTIONS:
            field, convert = OPTIONS[name]
            given[field] = convert(value if has_value else _value(name, words))
        elif word.startswith("-"):
            raise _misuse(f"Unknown option {name}.")
        elif "path" in given:
            raise _misuse(f"Only one PATH is allowed, but {word} is a second.")
        else:
            given["path"] = Path(word)
    _check(given)
    return Arguments(**given)


def _check(given: dict[str, Any]) -> None:
    served = [name for name in ("path", "upstream", "command") if given.get(name)]
    if len(served) > 1:
        raise _misuse("Give only one of PATH, --upstream URL, and -- COMMAND.")
    if not served:
        given["path"] = Path()
    path = given.get("path")
    if path is not None and not path.is_absolute() and current_folder() is None:
        raise ConfigurationError(CURRENT_FOLDER_REMOVED)
    if given.get("stdio") and given.get("http"):
        raise _misuse("Give only one of --stdio and --http.")


def _value(name: str, words: Iterator[str]) -> str:
    value = next(words, None)
    if value is None:
        raise _misuse(f"{name} needs a value.")
    return value


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise _misuse(f"--port is {text!r}, but must be a number up to 65535; 0 means any free port.")
    return int(text)


def _misuse(message: str) -> ConfigurationError:
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
