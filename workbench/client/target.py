"""Which server is meant, and the way to it: a project, served in this process; an address; or a command."""

import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError

# Nothing else at the top: the terminal imports this before its first paint.
if TYPE_CHECKING:
    from server_core.catalog.problems import Problem
    from server_core.core import Core
    from server_core.oauth.consent import Consent
    from server_core.process.stdio_guard import StdioGuard
    from server_core.protocol.revisions import Revision
    from server_core.transports.channel import Channel


class Era(StrEnum):
    """How a person names what a server is to be spoken to in."""

    LEGACY = "legacy"
    MODERN = "modern"
    AUTO = "auto"


OnStderr = Callable[[bytes], None]
"""Called with each line that a server writes to its stderr."""


@dataclass(frozen=True, slots=True)
class Target:
    """The server that a command is about; one of the three is set.

    Attributes:
        project: a folder or file of tools.
        url: the address of a server that speaks Streamable HTTP.
        command: the command line of a server that speaks stdio.
        headers: name and value of what is sent along with every request to the address.
    """

    project: Path | None = None
    url: str = ""
    command: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def choose(
        cls,
        project: Path | None,
        url: str,
        command: tuple[str, ...],
        path: Path | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> "Target":
        """Return the target that was named; this folder when none was.

        Args:
            project: `--project PATH`.
            url: `--url URL`.
            command: the words behind `--`.
            path: the project as a plain word, where a command takes it so.
            headers: `--header NAME:VALUE`, each.

        Raises:
            ConfigurationError: when more than one was named, the address is none, or headers go nowhere.
        """
        if path is not None and project is not None:
            raise ConfigurationError("PATH and --project name the same thing; give one of them")
        project = project or path
        if (project is not None) + bool(url) + bool(command) > 1:
            raise ConfigurationError("choose one server: --project PATH, --url URL, or -- COMMAND ARGS...")
        if url and not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{url!r} is no address of a server; write it as http://HOST:PORT/mcp")
        if headers and not url:
            raise ConfigurationError("--header is for servers over HTTP; name one with --url URL")
        if url or command:
            return cls(url=url, command=command, headers=headers)
        return cls(project=Path.cwd() if project is None else project)

    @property
    def title(self) -> str:
        """What people call it."""
        return self.url or shlex.join(self.command) or str(self.project)


class Route:
    """The way to one server, over which sessions can be opened; made by :func:`route_to`.

    Args:
        target: the server.
        connect: opens one more connection; a command is started once for each.
        core: what serves a project.
        fence: what keeps its tools off the standard streams.
    """

    def __init__(
        self,
        target: Target,
        connect: "Callable[[], Awaitable[Channel]]",
        core: "Core | None" = None,
        stdio_guard: "StdioGuard | None" = None,
    ) -> None:
        self.title = target.title
        self.over_http = bool(target.url)
        self.speaks = _ours() if target.project is not None else None
        """The revision that is known to be spoken; None when that has to be found out."""
        self.connect = connect
        self._core = core
        self._stdio_guard = stdio_guard

    @property
    def problems(self) -> "tuple[Problem, ...]":
        """What is wrong with the tools of a project, once they are loaded."""
        generation = self._core.generation if self._core is not None else None
        return generation.problems if generation is not None else ()

    @property
    def catalog(self) -> "dict[str, Any] | None":
        """What a project offers, each thing with the place of its declaration; None for a server of others."""
        if self._core is None:
            return None
        from server_core.link.describe import describe_catalog

        return describe_catalog(self._core.identity, self._core.generation)

    def problems_about(self, tool: str) -> "tuple[Problem, ...]":
        """What is wrong with one tool of a project, where its function stands, by a name as a person types it."""
        from workbench.client.tool_names import tools_named

        generation = self._core.generation if self._core is not None else None
        tools = generation.catalog.tools if generation is not None else {}
        places = {(source.file, source.line) for name in tools_named(tool, tools) if (source := tools[name].source)}
        return tuple(one for one in self.problems if (one.file, one.line) in places)

    async def close(self) -> None:
        """Stop what serves a project, and give the standard streams back. Close the sessions first."""
        try:
            if self._core is not None:
                await self._core.stop()
        finally:
            if self._stdio_guard is not None:
                self._stdio_guard.close()


async def route_to(target: Target, on_stderr: OnStderr | None = None, consent: "Consent | None" = None) -> Route:
    """Return the way to a server.

    A project is served in this process, with a capture; until the route is closed, what its tools print goes to stderr
    and standard input is empty.

    Args:
        target: which server.
        on_stderr: called with each line that a command writes to its stderr, or that tells why a tool of the project
            has failed.
        consent: the way to have a person authorize us with a server over HTTP; None: there is nobody to ask.

    Raises:
        ConfigurationError: when there is no such project.
    """
    if target.url:
        return Route(target, lambda: _connect_http(target, consent))
    if target.command:
        return Route(target, lambda: _start_command(target.command, on_stderr))
    assert target.project is not None
    return await _serve(target, target.project, on_stderr)


def _ours() -> "Revision":
    """Return what we speak with servers of our own, which speak every revision."""
    from server_core.protocol.revisions import LATEST_STATELESS

    return LATEST_STATELESS


async def _connect_http(target: Target, consent: "Consent | None") -> "Channel":
    from server_core.oauth import oauth_for
    from server_core.transports.http_client.http_any_client import AnyHttpChannel

    # Who brings credentials along wants those to be used, and no others.
    is_authorized = any(name.lower() == "authorization" for name, _ in target.headers)
    authorization = None if is_authorized else oauth_for(target.url, consent)
    return AnyHttpChannel(target.url, dict(target.headers), authorization=authorization)


async def _start_command(command: tuple[str, ...], on_stderr: OnStderr | None) -> "Channel":
    from server_core.transports.child import ChildChannel

    return await ChildChannel.spawn(list(command), on_stderr=on_stderr)


async def _serve(target: Target, project: Path, on_stderr: OnStderr | None) -> Route:
    from server_core.core import Core
    from server_core.process.author_notes import log_failures
    from server_core.process.stdio_guard import StdioGuard
    from server_core.transports.memory import memory_pair

    core = Core(project=project, link=False)
    stdio_guard = StdioGuard(core.tap)
    if on_stderr is not None:
        log_failures(core, lambda line: on_stderr(line.encode()))

    async def connect() -> "Channel":
        return memory_pair(core, peer_name="workbench")

    try:
        await core.start()
    except BaseException:
        stdio_guard.close()
        raise
    return Route(target, connect, core, stdio_guard)
