"""The equivalent commands of what a user does in the terminal, for the command log: one table, by action.

An action that no command does is not in the table. A command contains no values of secrets.
"""

import shlex
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Fact: TypeAlias = str | Sequence[str]
"""A word of a command, or several."""

COMMANDS: Mapping[str, str] = {
    "open_server": "open {path}",
    "open_server other": "open {server}",
    "open_server demo": "demo",
    "tools.run": "call {tool} {arguments} {server}",
    "tools.run saved": "call --saved {name} {server}",
    "tools.watch": "watch {name} {project}",
    "inspector.hold": "hold messages {filter}",
    "inspector.hold clear": "hold clear",
    "inspector.show_held release": "hold release {id}",
    "inspector.show_held drop": "hold drop {id}",
    "inspector.show_held edit": "hold edit {id}",
    "inspector.show_held edit raw": "hold edit {id} --raw",
    "inspector.show_held duplicate": "hold duplicate {id}",
    "secrets.set_secret": "secret set {key} {project}",
    "secrets.store_in_vault": "secret set {key} --store vault {project}",
    "secrets.unset_secret": "secret unset {key} {project}",
    "secrets.log_in": "auth login {account} {project}",
    "secrets.log_in_by_device": "auth login {account} --device {project}",
    "secrets.log_out": "auth logout {account} {project}",
    "sessions.open_row replay": "replay {capture} {server}",
    "sessions.open_row step": "replay {capture} --step {server}",
    "sessions.rename_capture": "captures rename {capture} {name}",
    "sessions.pin_capture": "captures pin {capture}",
    "sessions.pin_capture off": "captures unpin {capture}",
    "sessions.note_capture": "captures note {capture} {text}",
    "sessions.delete_capture": "captures delete {capture}",
    "sessions.delete_capture pinned": "captures delete --force {capture}",
    "sessions.compare_captures": "captures compare {capture} {other}",
    "sessions.search_captures": "captures search {text}",
    "sessions.search_captures of": "captures search {text} --of {name}",
}
"""The commands, by the names of actions as in `keys.ACTION`, and by a variant where an action has several.

A word in braces stands for a fact of what was done. `{server}` is the project or the other server that a command would
not find by itself, and `{project}` only a project.
"""

MAX_COMMANDS = 200
MAX_CHARACTERS = 20_000
"""The length of the longest command that is logged; longer ones have the content of a file as an argument."""


@dataclass(frozen=True, slots=True)
class CalledServer:
    """Where a command acts: on a project, or on another server."""

    name: str  # the folder of the project; the command or URL of another server
    is_relay: bool
    http_url: str = ""  # where the core serves it over HTTP; empty if it does not
    is_here: bool = False  # whether it is the project in the current folder, which commands find by themselves

    @property
    def url(self) -> str:
        return self.name if self.is_relay and self.name.startswith(("http://", "https://")) else ""


def command_line(words: Iterable[str], server: CalledServer | None = None) -> str:
    """Return a command, on a server if it names one."""
    text = shlex.join(["workbench", *words])
    if server is None or server.is_here:
        return text
    if server.is_relay and not server.url:
        # The command is a command line already.
        return f"{text} -- {server.name}"
    return f"{text} {shlex.join(['--url' if server.url else '--project', server.name])}"


def action_command(action: str, server: CalledServer, facts: Mapping[str, Fact]) -> str:
    """Return the command of an action of the table.

    Args:
        action: its key in :data:`COMMANDS`.
        server: what the terminal is connected to.
        facts: what the words in braces stand for.
    """
    words: list[str] = []
    named = None
    for word in COMMANDS[action].split():
        if word == "{server}":
            named = server
        elif word == "{project}":
            named = None if server.is_relay else server
        elif word.startswith("{"):
            fact = facts[word[1:-1]]
            words += [fact] if isinstance(fact, str) else fact
        else:
            words.append(word)
    return command_line(words, named)


@dataclass(frozen=True, slots=True)
class LoggedCommand:
    """The command of something that the user has done."""

    text: str
    time: float  # in seconds since the epoch
    note: str = ""  # what the command lacks


class CommandLog:
    """The commands of what the user has done, oldest first; `clock` returns seconds since the epoch."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.commands: deque[LoggedCommand] = deque(maxlen=MAX_COMMANDS)

    def add(self, text: str, note: str = "") -> None:
        if len(text) <= MAX_CHARACTERS:
            self.commands.append(LoggedCommand(text, self._clock(), note))
