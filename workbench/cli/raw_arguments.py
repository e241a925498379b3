"""Reads a command line without the parser: the name of the command, and the words after `--`.

Starting a terminal or a server must not wait for the import of the parser. So the plain forms of a few commands are
read here; all other forms are left to the parser, which gives the same options the same meaning.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

COMMANDS = frozenset(
    {
        "attach",
        "auth",
        "call",
        "captures",
        "config",
        "demo",
        "files",
        "hold",
        "lint",
        "list",
        "new",
        "open",
        "ps",
        "replay",
        "secret",
        "serve",
        "servers",
        "settings",
        "stop",
        "watch",
    }
)
TARGET_COMMANDS = frozenset({"open", "serve", "list", "lint", "call", "replay"})
"""The commands that accept `-- COMMAND ARGS...`."""

_PARSER_OPTIONS = frozenset({"--help", "-h", "--version", "--install-completion", "--show-completion"})


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words before the first `--`, with the command's name first, and those after it.

    Without the name of a command, it is `open`: `workbench PATH`, `workbench --url URL`, `workbench -- COMMAND`.
    """
    command = list(words)
    server_command: list[str] = []
    if "--" in command:
        cut = command.index("--")
        command, server_command = command[:cut], command[cut + 1 :]
    if not command or command[0] not in COMMANDS | _PARSER_OPTIONS:
        command.insert(0, "open")
    return command, server_command


@dataclass
class Plain:
    """The options and arguments of a plain command line."""

    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)  # Words that are no options, in order.

    def value(self, name: str) -> str | None:
        return self.values.get(name)


def read_plain(words: Sequence[str], *, flags: Sequence[str] = (), values: Sequence[str] = ()) -> Plain | None:
    """Read options in their plain forms; None when the command line is not plain, and the parser has to read it.

    `flags` have no value, as `--reload`; `values` have one: `--host VALUE` or `--host=VALUE`.
    """
    plain = Plain()
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            plain.others.append(word)
        elif name in flags and not equals:
            plain.flags.add(name)
        elif name in values and name not in plain.values:
            if not equals:
                value = next(rest, "")
            if not value or (value.startswith("-") and not equals and value != "-"):
                return None
            plain.values[name] = value
        else:
            return None
    return plain
