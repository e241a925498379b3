"""The target that a user asks a terminal to open, and the function that opens it."""

from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Wanted:
    """The choice of the user on the start screen; exactly one attribute is set.

    Attributes:
        demo: the bundled demo project.
        new: the folder in which to create a new project, which is then opened.
        project: a folder or file of tools.
        url: a server with Streamable HTTP.
        command: the command line of a server on stdio.
    """

    demo: bool = False
    new: Path | None = None
    project: Path | None = None
    url: str = ""
    command: tuple[str, ...] = ()


class OpenWorkspace(Protocol):
    """Opens a workspace; the command line passes this to the terminal."""

    def __call__(self, wanted: Wanted | None = None) -> Awaitable["Workspace"]:
        """Return an open workspace.

        Args:
            wanted: the choice on the start screen; None for the target of the command line.

        Raises:
            WorkbenchError: when the core cannot be started or reached; the message explains why.
        """
