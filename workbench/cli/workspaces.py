"""Open workspaces on a core: in a child process, in this process, or already running.

The terminal calls these to open a workspace: at its start, after the connection to the core was lost, and when the user
opens another server on the start screen.
"""

import asyncio
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.cli.package_options import forget_packages
from workbench.client.target import Era, Target

if TYPE_CHECKING:
    from server_core.link.descriptor import Descriptor
    from server_core.runtime.upstream_options import UpstreamOptions
    from workbench.link.core_stop import JoinedCore
    from workbench.link.link import Link
    from workbench.link.remote import RemoteLink
    from workbench.link.supervision import CoreProcess
    from workbench.workspace.open_request import StartChoice
    from workbench.workspace.workspace import Workspace


_JOIN_SECONDS = 3.0
"""The timeout in seconds for joining a core."""
_NO_RESPONSE = (
    "The core {0} on this folder does not respond; stop it with: workbench stop {0}\n"
    "This terminal has started another core."
)


class StartedCore:
    """Opens workspaces on a core in a child process, started again when it has ended, or joins a core.

    The process starts after the first paint: two programs that start at once delay each other.
    """

    def __init__(self, target: Target, era: Era = Era.AUTO, *, fresh: bool = False) -> None:
        self.process: CoreProcess | None = None
        self._first = self._target = target
        self._era = era
        self._fresh = fresh
        self._was_opened = False

    async def __call__(self, wanted: "StartChoice | None" = None) -> "Workspace":
        self._was_opened = False
        target = self._first if wanted is None else _wanted_target(wanted)
        if self.process is not None and target != self._target:
            await self.process.stop()
            self.process = None
        self._target = target
        if self.process is None or not self.process.running:
            # Another terminal that shared the ended core may have started a new core already.
            self.process = None
            link, notice = await self._joined_or_started(target)
        else:
            link, notice = await self._link(self.process), ""
        workspace = await _open_workspace(link, self._era, self.process or _joined_core(link))
        workspace.notice = notice
        self._was_opened = True
        _remember(workspace, target, wanted)
        return workspace

    async def _joined_or_started(self, target: Target) -> "tuple[RemoteLink, str]":
        """Join the core that a terminal has started on the folder, or start a core; also return a notice."""
        from workbench.link.core_match import find_joinable, start_lock

        if self._fresh or target.project is None:
            self.process = _start(target)
            return await self._link(self.process), ""
        async with start_lock():
            match = find_joinable(target.project)
            if match.core is not None and (link := await _join(match.core)) is not None:
                return link, match.notice
            self.process = _start(target)
            # Hold the lock until the core has a descriptor, so that the next terminal can join it.
            return await self._link(self.process), match.notice if match.core is None else _NO_RESPONSE.format(
                match.core.id
            )

    async def _link(self, process: "CoreProcess") -> "RemoteLink":
        from workbench.link.remote import RemoteLink

        return await RemoteLink.connect(await process.descriptor())

    def leave(self) -> None:
        """Stop the core if no workspace was opened, in which the user could have stopped or left it."""
        if not self._was_opened and self.process is not None and self.process.running:
            os.kill(self.process.pid, signal.SIGTERM)


class HostedCore:
    """Opens workspaces on a core in this process, and the same workspace again after a failure of the terminal."""

    def __init__(self, target: Target, era: Era = Era.AUTO) -> None:
        self._target = target
        self._era = era
        self._workspace: Workspace | None = None

    async def __call__(self, wanted: "StartChoice | None" = None) -> "Workspace":
        from server_core.core import Core
        from workbench.link.local import LocalLink

        if wanted is not None:
            await self.leave()
            self._target = _wanted_target(wanted)
        elif self._workspace is not None and self._workspace.connected:
            return self._workspace
        target = self._target
        core = Core(
            project=target.project,
            upstream=_upstream(target),
            upstream_options=_upstream_options(target),
            reload=True,
            link=False,
        )

        class OwnLink(LocalLink):
            """A link that stops its core when it closes."""

            async def close(self) -> None:
                await super().close()
                await core.stop()

        await core.start()
        self._workspace = await _open_workspace(OwnLink(core), self._era)
        return self._workspace

    async def leave(self) -> None:
        """Stop the core, unless that has been done: it ends with this process."""
        if self._workspace is not None:
            self._workspace.on_change = None
            await self._workspace.close()


class RunningCore:
    """Opens workspaces on a core that is already running, and once it has ended, on the next core of its folder."""

    def __init__(self, core_id: str, era: Era = Era.AUTO) -> None:
        self._id = core_id
        self._era = era
        self._other: StartedCore | None = None
        self._core: Descriptor | None = None
        self._next: StartedCore | None = None

    async def __call__(self, wanted: "StartChoice | None" = None) -> "Workspace":
        from workbench.link.remote import RemoteLink

        if wanted is not None:
            self._other = self._other or StartedCore(_wanted_target(wanted), self._era)
            return await self._other(wanted)
        if (core := self._find()) is None:
            return await self._open_next()
        self._core = core
        link = await RemoteLink.connect(core)
        return await _open_workspace(link, self._era, _joined_core(link))

    def _find(self) -> "Descriptor | None":
        """Return the core; None if it was reached before, and has ended."""
        from workbench.link.cores import find_core, list_cores

        if self._core is None:
            return find_core(self._id)
        return next((core for core in list_cores() if core.id == self._id), None)

    async def _open_next(self) -> "Workspace":
        """Join the core that another terminal has started on the same folder meanwhile, or start one."""
        assert self._core is not None
        folder = Path(self._core.project)
        if self._core.mode == "relay" or not folder.is_absolute():
            raise ConfigurationError(
                f"The core {self._id} has ended, and its server cannot be started from here: {self._core.project}"
            )
        self._next = self._next or StartedCore(Target(project=folder), self._era)
        return await self._next()

    def leave(self) -> None:
        """Stop cores that were started here, and opened no workspace; the core that was already running continues."""
        for core in (self._other, self._next):
            if core is not None:
                core.leave()


async def _join(core: "Descriptor") -> "RemoteLink | None":
    from server_core.errors import ConnectionFailed, RemoteError
    from workbench.link.remote import RemoteLink

    try:
        async with asyncio.timeout(_JOIN_SECONDS):
            return await RemoteLink.connect(core)
    except (ConnectionFailed, RemoteError, TimeoutError):
        return None  # It has just ended, or a tool blocks it: the caller starts another.


async def _open_workspace(link: "Link", era: Era, process: "CoreProcess | JoinedCore | None" = None) -> "Workspace":
    from workbench.cli.core_route import project_of
    from workbench.cli.server_session import roots
    from workbench.client.session_opening import REVISIONS_OF
    from workbench.workspace.workspace import Workspace

    workspace = Workspace(link, process=process, roots=roots(project_of(link)), revision=REVISIONS_OF.get(era))
    try:
        await workspace.open()
    except BaseException:
        await workspace.close()
        raise
    return workspace


def _remember(workspace: "Workspace", target: Target, wanted: "StartChoice | None") -> None:
    """Store another server that was reached, for the list of servers."""
    if target.project is not None or workspace.session is None:
        return
    from workbench.model.servers.known_server import RECENT, KnownServer
    from workbench.workspace.known_servers import remember_server

    name = str(workspace.identity.get("name") or target.title)
    listed = None if wanted is None else wanted.server
    remember_server(listed or KnownServer(name, RECENT, command=target.command, url=target.url))


def _joined_core(link: "RemoteLink") -> "JoinedCore":
    from workbench.link.core_stop import JoinedCore

    return JoinedCore(link.descriptor)


def _start(target: Target) -> "CoreProcess":
    from workbench.link.supervision import start_core

    return start_core(target.project, upstream=_upstream(target), upstream_options=_upstream_options(target))


def _upstream(target: Target) -> list[str] | str | None:
    return target.url or list(target.command) or None


def _upstream_options(target: Target) -> "UpstreamOptions | None":
    from server_core.runtime.upstream_options import UpstreamOptions

    if not (target.env or target.headers or target.folder):
        return None
    return UpstreamOptions(dict(target.env), dict(target.headers), target.folder)


def _wanted_target(wanted: "StartChoice") -> Target:
    import scaffolds

    forget_packages()
    if wanted.demo:
        return Target(project=scaffolds.demo_project())
    if (server := wanted.server) is not None:
        headers, env = tuple(server.headers.items()), tuple(server.env.items())
        return Target(url=server.url, command=server.command, headers=headers, env=env, folder=server.folder)
    return Target.choose(wanted.project, wanted.url, wanted.command)
