"""The route of a command to a core that runs already: its calls are in the terminals that are attached to the core."""

from pathlib import Path
from typing import TYPE_CHECKING

from server_core.protocol.revisions import LATEST_STATELESS
from workbench.cli import console
from workbench.client.target import Route, Target

if TYPE_CHECKING:
    from workbench.link.link import Link
    from workbench.link.remote import RemoteLink


def project_of(link: "Link") -> Path | None:
    """Return the folder or file of tools that a core serves; None for a relayed server, and for packages."""
    project = Path(str(link.info.get("project") or ""))
    return project if link.info.get("mode") != "relay" and project.is_absolute() else None


class CoreRoute(Route):
    """A route over the link to a core; use :func:`route_to_core`."""

    def __init__(self, target: Target, link: "RemoteLink") -> None:
        super().__init__(target, link.open_session)
        if link.info.get("mode") != "relay":
            self.known_revision = LATEST_STATELESS
        self.project = project_of(link)
        self._link = link

    async def close(self) -> None:
        await super().close()
        await self._link.close()


async def route_to_core(target: Target) -> CoreRoute:
    """Return the route to the core that a target names."""
    from workbench.link.cores import find_core
    from workbench.link.remote import RemoteLink

    return CoreRoute(target, await RemoteLink.connect(find_core(target.core, console.warn), "operator"))
