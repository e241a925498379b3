"""The server to connect to, and the route to it: a project, served in this process; a URL; or a command."""

import os
import shlex
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError

# No other imports at module level: the terminal imports this before its first paint.
if TYPE_CHECKING:
    from server_core.catalog.problems import Problem
    from server_core.core import Core
    from server_core.oauth.grants import UserConsent
    from server_core.process.stdio_guard import StdioGuard
    from server_core.protocol.revisions import Revision
    from server_core.transports.channel import Channel


class Era(StrEnum):
    """The eras that a user can choose."""

    LEGACY = "legacy"
    MODERN = "modern"
    AUTO = "auto"


OnStderr = Callable[[bytes], None]  # Called with each line that a server writes to its stderr.


@dataclass(frozen=True, slots=True)
class Target:
    """The server that a command connects to; one of `project`, `url`, `command` and `core` is set."""

    project: Path | None = None  # a folder or file of tools
    url: str = ""  # of a server with Streamable HTTP
    command: tuple[str, ...] = ()  # the command line of a server on stdio
    # names and values of additional headers for requests to the URL
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    # names and values of additional variables for the command, and the folder in which it is started
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    folder: str = ""
    core: str = ""  # the id, or its beginning, of a core that runs already

    @classmethod
    def choose(
        cls,
        project: Path | None,
        url: str,
        command: tuple[str, ...],
        path: Path | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> "Target":
        """Return the target that options name, else this folder; ConfigurationError if they contradict each other."""
        if path is not None and project is not None:
            raise ConfigurationError("PATH and --project have the same meaning; give only one")
        project = project or path
        if (project is not None) + bool(url) + bool(command) > 1:
            raise ConfigurationError("choose one server: --project PATH, --url URL, or -- COMMAND ARGS...")
        if url and not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{url!r} is not the URL of a server; write http://HOST:PORT/mcp")
        if headers and not url:
            raise ConfigurationError("--header is for servers over HTTP; name one with --url URL")
        if url or command:
            return cls(url=url, command=command, headers=headers)
        return cls(project=Path.cwd() if project is None else project)

    @property
    def title(self) -> str:
        """The name for users."""
        core = f"the core {self.core}" if self.core else ""
        return self.url or shlex.join(self.command) or core or str(self.project)


class Route:
    """The route to one server, made by :func:`route_to`; `connect` opens another connection, or process."""

    def __init__(
        self,
        target: Target,
        connect: "Callable[[], Awaitable[Channel]]",
        core: "Core | None" = None,
        stdio_guard: "StdioGuard | None" = None,
    ) -> None:
        self.title = target.title
        self.over_http = bool(target.url)
        # a supported one; None if it has to be detected
        self.known_revision = _ours() if target.project is not None else None
        self.project = target.project
        """The folder or file of tools that the server serves; None for other servers."""
        self.connect = connect
        self._core = core
        self._stdio_guard = stdio_guard

    @property
    def problems(self) -> "tuple[Problem, ...]":
        """The problems with the tools of a project, once they are loaded."""
        generation = self._core.generation if self._core is not None else None
        return generation.problems if generation is not None else ()

    @property
    def catalog(self) -> "dict[str, Any] | None":
        """The offers of a project, each with the place of its declaration; None for other servers."""
        if self._core is None:
            return None
        from server_core.link.catalog_description import describe_catalog

        return describe_catalog(self._core.identity, self._core.generation)

    def mask(self, secrets: Mapping[str, str]) -> None:
        """Mask these values, by name, in the records of a project."""
        if self._core is not None:
            self._core.tap.masker.set(secrets)

    def problems_about(self, tool: str) -> "tuple[Problem, ...]":
        """Return the problems at the function of one tool of a project; the tool's name as a user types it."""
        generation = self._core.generation if self._core is not None else None
        tools = generation.catalog.tools if generation is not None else {}
        places = {(source.file, source.line) for name in matching_tools(tool, tools) if (source := tools[name].source)}
        return tuple(problem for problem in self.problems if (problem.file, problem.line) in places)

    async def close(self) -> None:
        """Stop the core of a project, and restore the standard streams. Close the sessions first."""
        try:
            if self._core is not None:
                await self._core.stop()
        finally:
            if self._stdio_guard is not None:
                self._stdio_guard.close()


def matching_tools(typed: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names on the wire that match a name as a user types it: several if the user has to be more specific.

    That is the name on the wire (`EchoServer_SayHello`), the qualified one (`EchoServer.SayHello`, perhaps with
    `@1.0.0`), or the name of the function alone (`say_hello`), in any toolkit.
    """
    from server_core.catalog.toolkit import pascal_case

    available = tuple(names)
    if typed in available:
        return (typed,)
    qualified = typed.partition("@")[0].replace(".", "_")
    if qualified in available:
        return (qualified,)
    short = {typed.replace(".", "_"), pascal_case(typed).replace(".", "_")} - {""}
    return tuple(name for name in available if _short_name(name) in short)


def _short_name(name: str) -> str:
    """Return the name of a tool within its toolkit; empty if it has no toolkit."""
    toolkit, _, tool = name.partition("_")
    return tool if toolkit[:1].isupper() else ""


async def route_to(
    target: Target,
    on_stderr: OnStderr | None = None,
    consent: "UserConsent | None" = None,
    *,
    capture: bool = False,
) -> Route:
    """Return the route to a server; `consent` has the user authorize us over HTTP, `on_stderr` gets lines of a command.

    A project is served in this process, with a capture if one is wanted; until the route is closed, the prints of its
    tools go to stderr and standard input is empty. Why a tool of it failed also goes to `on_stderr`.
    """
    if target.url:
        return Route(target, lambda: _connect_http(target, consent))
    if target.command:
        return Route(target, lambda: _start_command(target.command, on_stderr))
    assert target.project is not None
    return await _serve(target, target.project, on_stderr, capture=capture)


def _ours() -> "Revision":
    """Return the revision for servers of our own, which support every revision."""
    from server_core.protocol.revisions import LATEST_STATELESS

    return LATEST_STATELESS


async def _connect_http(target: Target, consent: "UserConsent | None") -> "Channel":
    from server_core.oauth import oauth_for
    from server_core.transports.http_client.http_any_client import AnyHttpChannel

    # Explicit credentials are used exclusively.
    is_authorized = any(name.lower() == "authorization" for name, _ in target.headers)
    authorization = None if is_authorized else oauth_for(target.url, consent)
    return AnyHttpChannel(target.url, dict(target.headers), authorization=authorization)


async def _start_command(command: tuple[str, ...], on_stderr: OnStderr | None) -> "Channel":
    from server_core.transports.child import ChildChannel

    return await ChildChannel.spawn(list(command), on_stderr=on_stderr)


async def _serve(target: Target, project: Path, on_stderr: OnStderr | None, *, capture: bool) -> Route:
    from server_core.core import Core
    from server_core.process.author_notes import log_failures
    from server_core.process.stdio_guard import StdioGuard
    from server_core.records.capture.capture_schema import COMMAND_PREFIX
    from server_core.transports.memory import MemoryChannel

    # The id is in the name of the capture, which so shows what has written it.
    core = Core(project=project, link=False, capture=capture, id=f"{COMMAND_PREFIX}{os.urandom(4).hex()}")
    # Before the start, which imports the tools: they may print while they are imported.
    stdio_guard = StdioGuard(core.tap)
    if on_stderr is not None:
        log_failures(core, lambda line: on_stderr(line.encode()))

    async def connect() -> "Channel":
        return MemoryChannel(core, peer_name="workbench")

    try:
        await core.start()
    except BaseException:
        stdio_guard.close()
        raise
    return Route(target, connect, core, stdio_guard)
