"""The choice of a user on the start screen, and the function that opens it."""

from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from server_core.runtime.command_text import command_text, url_text
from workbench.model.action_commands import CalledServer, action_command

if TYPE_CHECKING:
    from workbench.model.servers.known_server import KnownServer
    from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class StartChoice:
    """What to open; exactly one attribute is set."""

    demo: bool = False  # the bundled demo project
    project: Path | None = None  # a folder or file of tools
    url: str = ""  # of a server with Streamable HTTP
    command: tuple[str, ...] = ()  # the command line of a server on stdio
    server: "KnownServer | None" = None  # a server of the list

    @property
    def title(self) -> str:
        """What the header shows until the server has reported its name."""
        if self.server is not None:
            return self.server.name
        if self.project is not None:
            return self.project.name
        return url_text(self.url) or command_text(self.command) or "demo"


def opening_command(choice: StartChoice) -> tuple[str, str]:
    """Return the command that opens a choice, without credentials, and what it lacks."""
    if choice.demo:
        return action_command("open_server demo", CalledServer("", is_relay=False), {}), ""
    if choice.project is not None:
        project = CalledServer(str(choice.project), is_relay=False)
        return action_command("open_server", project, {"path": project.name}), ""
    server = choice.server
    url, command = (choice.url, choice.command) if server is None else (server.url, server.command)
    note = "Without the headers and variables of the server" if server and (server.headers or server.env) else ""
    other = CalledServer(url_text(url) if url else command_text(command), is_relay=True)
    return action_command("open_server other", other, {}), note


class OpenWorkspace(Protocol):
    """Opens a workspace; the command line passes this to the terminal."""

    def __call__(self, choice: StartChoice | None = None, /) -> Awaitable["Workspace"]:
        """Return an open workspace for a choice on the start screen, else for the target of the command line."""
