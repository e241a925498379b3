"""A server that the terminal can open, as it is shown: without the credentials that its command or URL may contain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from server_core.runtime.command_text import command_text, url_text
from workbench.model.fuzzy import contained, fuzzy_match

RECENT = "recent"
"""The source of servers that were used before."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """A server, or a mistake in a file; it can be opened if it has no problem. Variables show only their names."""

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
        return url_text(self.url) if self.url else command_text(self.command)

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
