"""The start screen: the choices in a folder without tools, and the known servers."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from workbench.model.servers.known_server import KnownServer
from workbench.model.short_text import escaped_lines
from workbench.tui.screens.dialogs import Choice, Choices, Dialog, PromptScreen
from workbench.tui.widgets.lines import Lines
from workbench.tui.widgets.server_list import ServerList
from workbench.tui.workers import start_worker
from workbench.workspace.known_servers import find_servers
from workbench.workspace.new_project import create_project
from workbench.workspace.open_request import StartChoice
from workbench.workspace.value_files import typed_path

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

# The notes fit into the narrowest terminal.
_CHOICES = (
    Choice("demo", "d", "Open the demo", "a toolkit to try"),
    Choice("new", "n", "Create a project", "a café with tests"),
    Choice("connect", "c", "Connect to a server", "by its URL or command"),
    Choice("stay", "s", "Stay here", "a saved tool appears"),
)
_STAY_WITH_TOOLS = Choice("stay", "s", "Stay here", "same as esc")


async def ask_what_to_open(app: "WorkbenchApp", *, is_wanted: bool = False) -> StartChoice | None:
    """Show the start screen and the prompt of the choice; None to stay. `is_wanted` keeps it open beside tools."""
    served = str(app.workspace.core.info.get("project") or "")
    project, typed = ("", served) if app.workspace.core.is_relay else (served, "")
    choice, text = "stay", None
    # Esc in a prompt returns to the choices, unless tools have been loaded meanwhile.
    while text is None and (is_wanted or not app.workspace.core.has_tools):
        answer = await app.push_screen_wait(StartScreen(project, is_wanted=is_wanted)) or "stay"
        if isinstance(answer, KnownServer):
            return StartChoice(server=answer)
        choice = answer
        prompt = prompt_for(choice, typed)
        text = "" if prompt is None else await app.push_screen_wait(prompt)
    if choice == "new" and text:
        folder = escaped_lines(str(typed_path(text)))
        created = f"Created {folder}. Change a tool in its folder tools/ and save: it is reloaded."
        app.notify(created, title="new project", markup=False)
    return None if text is None else open_request(choice, text)


def close_start_screen(app: "WorkbenchApp") -> None:
    """Close the start screen, if it is shown; a prompt that the user types into stays."""
    for screen in app.screen_stack:
        if isinstance(screen, StartScreen) and not screen.is_wanted:
            screen.dismiss("stay")


_SAMPLE = """A tool is a function in a Python file:

    from server_core import tool

    @tool
    def greet(name: str) -> str:
        \"""Greet someone by name.\"""
        return f"Hello, {name}!"
"""
_WANTED = "It takes the place of the present one in this terminal. A core that the terminal has started ends."
_TALL = 36  # Rows from which there is room for the sample above the servers.
_MEDIUM = 22  # Rows from which there is room for the first line as well; without servers, for the sample.


class StartScreen(Dialog[str | KnownServer | None]):
    """Asks what to open instead; returns a server, or the id of a choice for :func:`prompt_for`."""

    AUTO_FOCUS = "Choices"

    DEFAULT_CSS = """
    StartScreen {
        & .sample { height: auto; }
        & .box { overflow-y: auto; max-height: 100%; }
        &.-low .sample { display: none; }
        &.-lowest .text { display: none; }
        &.-lowest ServerLines { max-height: 3; }
    }
    """

    def __init__(self, project: str, *, is_wanted: bool = False) -> None:
        super().__init__()
        self.is_wanted = is_wanted
        self._project = project
        self._choices = (*_CHOICES[:-1], _STAY_WITH_TOOLS) if is_wanted else _CHOICES

    def compose(self) -> ComposeResult:
        where = f"There are no tools in {self._project} yet." if self._project else "There are no tools here yet."
        with Vertical(classes="box") as box:
            box.border_title = "Open another server" if self.is_wanted else "Welcome to the workbench"
            yield Static(Content(escaped_lines(_WANTED if self.is_wanted else where)), classes="text")
            if not self.is_wanted:
                yield Static(_SAMPLE, classes="sample", markup=False)
            yield Choices(self._choices)
            yield ServerList()

    def on_mount(self) -> None:
        start_worker(self, self._show_servers, "servers")

    async def _show_servers(self) -> None:
        self.query_one(ServerList).show(await find_servers(Path(self._project or ".")))
        self._set_height_class(self.size.height)

    def on_resize(self, event: events.Resize) -> None:
        self._set_height_class(event.size.height)

    def _set_height_class(self, height: int) -> None:
        has_servers = self.query_one(ServerList).has_class("-some")
        self.set_class(height < (_TALL if has_servers else _MEDIUM), "-low")
        self.set_class(has_servers and height < _MEDIUM, "-lowest")

    def on_key(self, event: events.Key) -> None:
        servers = self.query_one(ServerList)
        if event.key == "slash" and servers.has_class("-some"):
            event.stop()
            self.set_focus(servers.search)
        elif not servers.search.has_focus:
            for choice in self._choices:
                if event.key == choice.key:
                    event.stop()
                    self.dismiss(choice.id)

    async def action_dismiss(self, result: str | KnownServer | None = None) -> None:
        # Esc closes the search first.
        if not self.query_one(ServerList).close_search():
            await super().action_dismiss(result)

    @on(Lines.Selected, "Choices")
    def _selected(self, event: Lines.Selected) -> None:
        self.dismiss(self._choices[event.index].id)

    @on(ServerList.ServerChosen)
    def _chosen(self, event: ServerList.ServerChosen) -> None:
        self.dismiss(event.server)


def prompt_for(choice: str, typed: str = "") -> PromptScreen | None:
    """Return the prompt for the text that a choice needs, if any; `typed` is the last command or URL, to correct.

    A new project is created before its prompt closes: until then the present server stays.
    """
    if choice == "new":
        return PromptScreen("Create a project", "The folder of the project:", value="my_tools", problem=create_project)
    if choice == "connect":
        return PromptScreen(
            "Connect to a server",
            "The URL of a Streamable HTTP server, or the command of a stdio server:",
            placeholder="http://127.0.0.1:8000/mcp   or   npx -y @modelcontextprotocol/server-everything",
            value=typed,
            problem=_server_problem,
        )
    return None


def open_request(choice: str, text: str = "") -> StartChoice | None:
    """Return the request that a choice and its text make; None to stay."""
    if choice == "demo":
        return StartChoice(demo=True)
    if choice == "new":
        return StartChoice(project=typed_path(text))
    if choice == "connect":
        return StartChoice(url=text) if _is_url(text) else StartChoice(command=tuple(shlex.split(text)))
    return None


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


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
