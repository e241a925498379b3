"""The interface of a client that the checks use: everything as it is on the wire, in plain dicts.

Needs Python alone: it runs in the environments of others.
"""

import argparse
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = dict[str, Any]
OnProgress: TypeAlias = Callable[[Json], None]

HANDSHAKE, STATELESS, AUTO = "handshake", "stateless", "auto"
REVISIONS = {HANDSHAKE: "2025-11-25", STATELESS: "2026-07-28", AUTO: "2026-07-28"}
"""The revision for a server that supports all of them."""

ROOT = "file:///tmp/interop"


@dataclass
class Answers:
    """What the client answers when it is asked, and what it was asked.

    Attributes:
        elicitations: results, in order; the last is repeated.
        asked: the params of all questions, oldest first.
    """

    elicitations: list[Json] = field(default_factory=lambda: [{"action": "cancel"}])
    asked: list[Json] = field(default_factory=list)

    def elicit(self, params: Json) -> Json:
        """Return the next answer of the user."""
        self.asked.append(params)
        return self.elicitations.pop(0) if len(self.elicitations) > 1 else self.elicitations[0]

    def create_message(self, params: Json) -> Json:
        """Return the message of the model."""
        self.asked.append(params)
        content = {"type": "text", "text": "Forty-two."}
        return {"role": "assistant", "content": content, "model": "interop", "stopReason": "endTurn"}


class Client(Protocol):
    """A session with a server."""

    era: str
    """The era that was asked for."""
    answers: Answers
    logs: list[Json]
    """The params of the log messages that came, oldest first."""
    notifications: list[tuple[str, str]]
    """The notified changes: the method, and the URI of the resource where there is one."""

    @property
    def revision(self) -> str:
        """The revision that is spoken."""
        ...

    @property
    def server_info(self) -> Json:
        """The identity of the server."""
        ...

    @property
    def instructions(self) -> str:
        """How the server wants to be used."""
        ...

    @property
    def capabilities(self) -> Json:
        """The capabilities of the server."""
        ...

    async def list(self, kind: str) -> tuple[list[Json], int]:
        """Return everything of a kind (the member of the result that has it), and how many pages that was."""
        ...

    async def call(self, name: str, arguments: Json | None = None, on_progress: OnProgress | None = None) -> Json:
        """Return the result of a tool; the call is cancelled with the task that awaits it."""
        ...

    async def call_as_task(self, name: str, arguments: Json | None = None) -> Json:
        """Return the result of a tool that becomes a task on the way.

        Raises:
            Lacking: when the client or the server has no tasks.
        """
        ...

    async def read(self, uri: str) -> Json:
        """Return the contents of a resource."""
        ...

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> Json:
        """Return the messages of a prompt."""
        ...

    async def complete(self, ref: Json, argument: dict[str, str]) -> Json:
        """Return the proposals for an argument."""
        ...

    async def set_log_level(self, level: str) -> None:
        """Ask for log messages from this level up."""
        ...

    def hearing(self, uri: str = "") -> AbstractAsyncContextManager[None]:
        """Collect changes in `notifications` meanwhile: of this resource, or of the list of tools."""
        ...


@dataclass(frozen=True)
class Started:
    """How a client program was started.

    Attributes:
        era: of :data:`REVISIONS`.
        url: of the server, where it is reached over HTTP.
        command: that starts the server, where it is reached over stdio.
        rest: the options that are left.
    """

    era: str
    url: str
    command: list[str]
    rest: list[str]


def started() -> Started:
    """Read the command line: `ERA [--url URL] [OPTIONS] [-- COMMAND...]`."""
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser()
    parser.add_argument("era", choices=REVISIONS)
    parser.add_argument("--url", default="")
    known, rest = parser.parse_known_args(words[:split])
    return Started(known.era, known.url, words[split + 1 :], rest)
