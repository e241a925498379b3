"""The start screen: the choices in a folder without tools."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.workspace.open_request import StartChoice

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_CHOICES = (
    Choice("demo", "d", "Open the demo", "a small toolkit with every feature"),
    Choice("new", "n", "Create a project", "a folder with a first tool and its test"),
    Choice("connect", "c", "Connect to a server", "its URL, or the command that starts it"),
    Choice("stay", "s", "Stay here", "write a tool; it appears when you save it"),
)


async def ask_what_to_open(app: "WorkbenchApp") -> StartChoice | None:
    """Show the start screen and the prompt of the user's choice; None to stay in the folder."""
    project = str(app.workspace.core.info.get("project") or "")
    text: str | None = None
    # Esc in a prompt returns to the choices, unless tools have been loaded meanwhile.
    while text is None and not app.workspace.core.has_tools:
        choice = await app.push_screen_wait(StartScreen(project)) or "stay"
        prompt = prompt_for(choice)
        text = "" if prompt is None else await app.push_screen_wait(prompt)
    return None if text is None else open_request(choice, text)


def close_start_screen(app: "WorkbenchApp") -> None:
    """Close the start screen, if it is shown; a prompt that the user types into stays."""
    for screen in app.screen_stack:
        if isinstance(screen, StartScreen):
            screen.dismiss("stay")


class StartScreen(ChoiceScreen):
    """Asks what to open instead; returns a choice's id, for :func:`prompt_for` and :func:`open_request`."""

    def __init__(self, project: str) -> None:
        where = f"There are no tools in {project} yet." if project else "There are no tools here yet."
        super().__init__(
            "Welcome to the workbench",
            f"{where}\n\n"
            "A tool is a function in a Python file:\n\n"
            "    from server_core import tool\n\n"
            "    @tool\n"
            "    def greet(name: str) -> str:\n"
            '        """Greet someone by name."""\n'
            '        return f"Hello, {name}!"',
            _CHOICES,
        )


def prompt_for(choice: str) -> PromptScreen | None:
    """Return the prompt for the text that a choice needs; None if it needs no text."""
    if choice == "new":
        return PromptScreen(
            "Create a project", "The folder of the project:", placeholder="my_tools", problem=_folder_problem
        )
    if choice == "connect":
        return PromptScreen(
            "Connect to a server",
            "The URL of a Streamable HTTP server, or the command of a stdio server:",
            placeholder="http://127.0.0.1:8000/mcp   or   npx -y @modelcontextprotocol/server-everything",
            problem=_server_problem,
        )
    return None


def open_request(choice: str, text: str = "") -> StartChoice | None:
    """Return the request that a choice and its text make; None to stay."""
    if choice == "demo":
        return StartChoice(demo=True)
    if choice == "new":
        return StartChoice(new=Path(text).expanduser())
    if choice == "connect":
        return StartChoice(url=text) if _is_url(text) else StartChoice(command=tuple(shlex.split(text)))
    return None


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _folder_problem(text: str) -> str | None:
    if not text.strip():
        return "Enter a folder, or press Esc."
    folder = Path(text).expanduser()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        return f"{folder} exists and is not empty. Choose another folder."
    return None


def _server_problem(text: str) -> str | None:
    if not text.strip():
        return "Enter a URL or a command, or press Esc."
    if _is_url(text):
        return None
    try:
        shlex.split(text)
    except ValueError as error:
        return f"This is not a command line: {error}."
    return None
