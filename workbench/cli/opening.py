"""Open desks on a core, wherever it runs: one that is started here, one in this process, one that runs already.

Each of these is called by the terminal when it wants a desk: first, after the core was lost, and when the person asks
for another server on the start screen.
"""

import os
import signal
from typing import TYPE_CHECKING

from workbench.cli.packages import forget_packages
from workbench.client.target import Era, Target

if TYPE_CHECKING:
    from workbench.desk import Desk
    from workbench.link.link import Link
    from workbench.link.supervision import CoreProcess
    from workbench.wanted import Wanted


class StartedCore:
    """Opens desks on a core in a child process, which it starts, and starts again after its end.

    The process starts with the first desk, which the terminal wants when it has painted: two programs that start at
    once delay each other, and the person sees the screen first.
    """

    def __init__(self, target: Target, era: Era = Era.AUTO) -> None:
        self.process: CoreProcess | None = None
        self._target = target
        self._era = era
        self._opened = False

    async def __call__(self, wanted: "Wanted | None" = None) -> "Desk":
        self._opened = False
        target = self._target if wanted is None else _wanted_target(wanted)
        if self.process is not None and target != self._target:
            await self.process.stop()
            self.process = None
        if self.process is None:
            self.process = _start(target)
        elif not self.process.running:
            self.process = self.process.restart()
        self._target = target
        from workbench.link.remote import RemoteLink

        desk = await _open_desk(await RemoteLink.connect(await self.process.descriptor()), self._era, self.process)
        self._opened = True
        return desk

    def leave(self) -> None:
        """Take the core along when there was no desk at which the person could have stopped or left it."""
        if not self._opened and self.process is not None and self.process.running:
            os.kill(self.process.pid, signal.SIGTERM)


class HostedCore:
    """Opens desks on a core in this process."""

    def __init__(self, target: Target, era: Era = Era.AUTO) -> None:
        self._target = target
        self._era = era

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
        return await _open_desk(OwnLink(core), self._era)


class RunningCore:
    """Opens desks on a core that somebody else has started."""

    def __init__(self, id: str, era: Era = Era.AUTO) -> None:
        self._id = id
        self._era = era
        self._other: StartedCore | None = None

    async def __call__(self, wanted: "Wanted | None" = None) -> "Desk":
        from workbench.link.cores import find_core
        from workbench.link.remote import RemoteLink

        if wanted is not None:
            self._other = self._other or StartedCore(_wanted_target(wanted), self._era)
            return await self._other(wanted)
        return await _open_desk(await RemoteLink.connect(find_core(self._id)), self._era)

    def leave(self) -> None:
        """Take along a core that was started for another server; the one that ran already goes on."""
        if self._other is not None:
            self._other.leave()


async def _open_desk(link: "Link", era: Era, process: "CoreProcess | None" = None) -> "Desk":
    from workbench.cli.connecting import roots
    from workbench.client.opening import REVISIONS_OF
    from workbench.desk import Desk

    desk = Desk(link, process=process, roots=roots(), revision=REVISIONS_OF.get(era))
    try:
        await desk.open()
    except BaseException:
        await desk.close()
        raise
    return desk


def _start(target: Target) -> "CoreProcess":
    from workbench.link.supervision import start_core

    return start_core(target.project, upstream=_upstream(target))


def _upstream(target: Target) -> list[str] | str | None:
    return target.url or list(target.command) or None


def _wanted_target(wanted: "Wanted") -> Target:
    import scaffolds

    forget_packages()
    if wanted.demo:
        return Target(project=scaffolds.demo_project())
    if wanted.new is not None:
        return Target(project=scaffolds.create("demo", wanted.new.name, wanted.new))
    return Target.choose(wanted.project, wanted.url, wanted.command)
