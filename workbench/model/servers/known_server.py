"""A server that the terminal can open, as it is shown: without the credentials that its command or URL may contain."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model.fuzzy import contained, fuzzy_match

RECENT = "recent"
"""The source of servers that were used before."""

# Arguments that contain a credential: what follows an option of such a name.
_SECRET_OPTION = re.compile(r"^--?[\w-]*(key|token|secret|password|auth|header)[\w-]*(?P<value>=.*)?$", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"^(\w*(key|token|secret|password|auth)\w*)=.+$", re.IGNORECASE)
_QUERY = re.compile(r"[?#].*$")
_USER = re.compile(r"(?<=://)[^/@]*@")
_HIDDEN = "…"


@dataclass(frozen=True, slots=True)
class KnownServer:
    """A server, or a mistake in a file; it can be opened if it has no problem.

    Values of variables and headers are never shown, only their names.
    """

    name: str
    source: str  # the client, or RECENT
    file: str = ""
    line: int = 0  # from 1; 0 if it is not known
    command: tuple[str, ...] = field(default=(), repr=False)
    url: str = field(default="", repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: str = ""  # in which the command is started
    problem: str = ""
    used: float = 0.0  # when it was last opened, in seconds since the epoch; 0 if it never was

    @property
    def target(self) -> str:
        """The command or URL, without the credentials that its arguments may contain."""
        return shown_url(self.url) if self.url else shown_command(self.command)

    @property
    def place(self) -> str:
        """The file and line; empty for recent servers."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class ServerMatch:
    server: KnownServer
    positions: frozenset[int] = frozenset()  # of the matched characters in its name


def search_servers(servers: Sequence[KnownServer], query: str) -> list[ServerMatch]:
    """Return the servers that match every word in their name, target or source, best match first."""
    words = query.split()
    matches = []
    for server in servers:
        score, positions = 0.0, set[int]()
        for word in words:
            in_name = fuzzy_match(word, server.name)
            others = (contained(word, text) for text in (server.target, server.source))
            elsewhere = max((match.score / 2 for match in others if match is not None), default=0.0)
            if in_name is None and not elsewhere:
                break
            positions.update(() if in_name is None else in_name.positions)
            score += max(elsewhere, 0.0 if in_name is None else in_name.score)
        else:
            matches.append((score, ServerMatch(server, frozenset(positions))))
    return [match for _, match in sorted(matches, key=lambda entry: -entry[0])]


def shown_command(command: tuple[str, ...]) -> str:
    """Return a command line without the values of options whose names suggest a credential."""
    shown, hides = [], False
    for word in command:
        option = _SECRET_OPTION.match(word)
        if hides:
            shown.append(_HIDDEN)
        elif option is not None and option["value"]:
            shown.append(f"{word.partition('=')[0]}={_HIDDEN}")
        elif "://" in word:
            shown.append(shown_url(word))
        else:
            shown.append(_SECRET_VALUE.sub(rf"\1={_HIDDEN}", word))
        hides = option is not None and not option["value"]
    return " ".join(word if word.endswith(_HIDDEN) else shlex.quote(word) for word in shown)


def shown_url(url: str) -> str:
    """Return a URL without its user, password, query and fragment."""
    return _QUERY.sub("", _USER.sub("", url))
