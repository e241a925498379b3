"""What a terminal is to work on, as a person asks for it, and what opens it."""

from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks for on the start screen; exactly one of these is set.

    Attributes:
        demo: the bundled demo project.
        new: the folder in which to make a new project, which is then opened.
        project: a folder or file of tools.
        url: a server that speaks Streamable HTTP.
        command: the command line of a server that speaks stdio.
    """

    demo: bool = False
    new: Path | None = None
    project: Path | None = None
    url: str = ""
    command: tuple[str, ...] = ()


class OpenWorkspace(Protocol):
    """Opens a workspace; the command line gives this to the terminal."""

    def __call__(self, wanted: Wanted | None = None) -> Awaitable["Workspace"]:
        """Return an open workspace.

        Args:
            wanted: what the start screen asks for; None for what the command line named.

        Raises:
            WorkbenchError: when the core cannot be started or reached; the message says why.
        """
