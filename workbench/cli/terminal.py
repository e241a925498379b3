"""Open the terminal: on a project, on another server, or on a core that runs already.

The core starts first, as a child process, and gets going while the terminal is still being imported.
"""

import difflib
import os
import sys
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.cli.words import COMMANDS
from workbench.client.target import Target

if TYPE_CHECKING:
    from workbench.desk import Desk, Wanted
    from workbench.link.link import Link
    from workbench.link.supervision import CoreProcess


def open_terminal(target: Target, *, in_process: bool = False) -> int:
    """Open the terminal on a server and return the exit code.

    Args:
        target: which server; any but a project is relayed.
        in_process: run the core in the terminal's own process, for debuggers; a tool that blocks blocks the terminal.

    Raises:
        ConfigurationError: when there is no such project, or no terminal to draw on.
    """
    _check_project(target)
    _check_screen()
    if in_process:
        return _run(_HostingOpener(target))
    opener = _SupervisingOpener(target)
    try:
        return _run(opener)
    finally:
        opener.leave()


def open_demo(*, in_process: bool = False) -> int:
    """Open the terminal on the demo project and return the exit code.

    Raises:
        ConfigurationError: when the demo cannot be written, or there is no terminal to draw on.
    """
    import scaffolds

    return open_terminal(Target(project=scaffolds.demo_project()), in_process=in_process)


def attach(id: str | None) -> int:
    """Open the terminal on a core that runs already and return the exit code.

    Args:
        id: the id of the core, or its beginning; None for the only one that runs.

    Raises:
        ConfigurationError: when there is no such core, or no terminal to draw on.
    """
    from workbench.link.cores import find_core

    core = find_core(id)
    _check_screen()
    return _run(_AttachingOpener(core.id))


class _SupervisingOpener:
    """Opens desks on a core in a child process, which it starts, and starts again after its end."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._process = _start(target)
        self._opened = False

    async def __call__(self, wanted: "Wanted | None" = None) -> "Desk":
        target = self._target if wanted is None else _wanted_target(wanted)
        if target != self._target:
            await self._process.stop()
            self._target, self._process = target, _start(target)
        elif not self._process.running:
            self._process = self._process.restart()
        from workbench.link.remote import RemoteLink

        link = await RemoteLink.connect(await self._process.descriptor())
        self._opened = True
        return await _open_desk(link, self._process)

    def leave(self) -> None:
        """Take the core along when the person left before there was anything to stop or to detach from."""
        if not self._opened and self._process.running:
            os.kill(self._process.pid, 15)


class _HostingOpener:
    """Opens desks on a core in this process."""

    def __init__(self, target: Target) -> None:
        self._target = target

    async def __call__(self, wanted: "Wanted | None" = None) -> "Desk":
        from server_core.core import Core
        from workbench.link.local import LocalLink

        if wanted is not None:
            self._target = _wanted_target(wanted)
        target = self._target
        core = Core(project=target.project, upstream=_upstream(target), reload=True, link=False)

        class OwnLink(LocalLink):
            """A link that takes its core along when it closes."""

            async def close(self) -> None:
                await super().close()
                await core.stop()

        await core.start()
        return await _open_desk(OwnLink(core))


class _AttachingOpener:
    """Opens desks on a core that somebody else has started."""

    def __init__(self, id: str) -> None:
        self._id = id
        self._other: _SupervisingOpener | None = None

    async def __call__(self, wanted: "Wanted | None" = None) -> "Desk":
        from workbench.link.cores import find_core
        from workbench.link.remote import RemoteLink

        if wanted is not None:
            self._other = self._other or _SupervisingOpener(_wanted_target(wanted))
            return await self._other(wanted)
        return await _open_desk(await RemoteLink.connect(find_core(self._id)))


async def _open_desk(link: "Link", process: "CoreProcess | None" = None) -> "Desk":
    from workbench.cli.connecting import here
    from workbench.desk import Desk

    desk = Desk(link, process=process, roots=(here(),))
    await desk.open()
    return desk


def _run(opener: "_SupervisingOpener | _HostingOpener | _AttachingOpener") -> int:
    # Last, because it takes the longest: the core is on its way already.
    from workbench.tui.app import run_terminal

    return run_terminal(opener)


def _start(target: Target) -> "CoreProcess":
    from workbench.link.supervision import start_core

    return start_core(target.project, upstream=_upstream(target))


def _upstream(target: Target) -> list[str] | str | None:
    return target.url or list(target.command) or None


def _wanted_target(wanted: "Wanted") -> Target:
    import scaffolds

    if wanted.demo:
        return Target(project=scaffolds.demo_project())
    if wanted.new is not None:
        return Target(project=scaffolds.create("demo", wanted.new.name, wanted.new))
    return Target(project=wanted.project, url=wanted.url, command=wanted.command)


def _check_screen() -> None:
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise ConfigurationError(
            "the workbench needs a terminal, and standard input or output is none;"
            " without one, use `workbench list`, `workbench call` or `workbench serve`"
        )


def _check_project(target: Target) -> None:
    path = target.project
    if path is None or path.exists():
        return
    close = difflib.get_close_matches(str(path), COMMANDS, n=1)
    guess = f"; did you mean the command {close[0]!r}?" if close else "; `workbench new NAME` makes a project"
    raise ConfigurationError(f"no folder, file or command is named {str(path)!r}{guess}")
