"""The dialogs about the core: to quit with or without it, and to proceed when it or a relayed server is lost."""

from typing import TYPE_CHECKING

from server_core.errors import WorkbenchError
from workbench.model.core_use import CoreUse
from workbench.model.notices import UNAVAILABLE
from workbench.model.short_text import escaped_lines
from workbench.tui.actions import find_action
from workbench.tui.header import WITHOUT_CORE
from workbench.tui.key_bindings import key_for
from workbench.tui.screens.dialogs import Choice, ChoiceScreen

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.core_connection import CoreConnection

_RESTART_KEY = key_for("restart")
_CAPTURED = "All messages until then are in the capture and in the Inspector."

_STAY = Choice("stay", "c", "Stay here", "same as esc")
_RESTART_KEYS = find_action("restart").keys
_RESTART = Choice("again", "r", "Restart it", "reloads the tools; forms are kept", _RESTART_KEYS)
_RETRY = Choice("again", "r", "Try again", f"after the cause is fixed; same as {_RESTART_KEY}", _RESTART_KEYS)
# The key that runs a tool must not be without effect: it leads to the notice of what is to be done first.
_STAY_WITHOUT_CORE = Choice(
    "stay", "l", "Stay here", f"same as esc; {_RESTART_KEY} restarts it later", find_action("run", "tools").keys
)
_BACK = Choice("back", "b", "Go back", "opens what was open before")
_OTHER = Choice("other", "o", "Open another server", "also to correct the command or URL")
_QUIT = Choice("quit", "q", "Quit", "back to the shell")

_MAX_LINES = 8
_LAST_LINES = 5


class CoreDialogs:
    """Shows these dialogs over the panes of the app, and does what the user chooses."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app

    def show_lost(self, message: str) -> None:
        screen = stopped_screen if self._app.state == "stopped" else lost_screen
        self._app.push_screen(screen(message), self._proceed_without_core)

    def show_no_core(self, message: str, connection: "CoreConnection") -> None:
        """Ask how to proceed without a core: it was never reached."""

        def proceed(choice: str | None) -> None:
            if choice == "back":
                connection.return_to_opened()
                self._app.connect()
            elif choice == "other":
                self._app.action_open_server()
            else:
                self._proceed_without_core(choice)

        self._app.push_screen(no_core_screen(message, can_return=connection.can_return), proceed)

    def show_no_server(self, message: str) -> None:
        """Ask how to proceed without the relayed server: the core runs, and the server could not be started."""
        self._app.push_screen(no_server_screen(message), self._proceed_without_server)

    async def ask_to_quit(self) -> None:
        workspace = self._app.workspace
        use = await workspace.core_use()
        core = str(workspace.core.info.get("id") or "")
        self._app.push_screen(quit_screen(core, use, in_process=workspace.core.is_in_process), self._quit)

    async def _quit(self, choice: str | None) -> None:
        if choice not in ("stop", "detach", "serve"):
            return
        app, workspace = self._app, self._app.workspace
        code = 3 if workspace.server_lost else 0
        # Before the connection closes, which would be reported as the loss of the core.
        app.is_leaving = True
        try:
            if choice == "stop":
                await workspace.stop()
            else:
                app.farewell = await workspace.detach(serve_http=choice == "serve")
        except WorkbenchError as error:
            if choice != "stop":
                app.is_leaving = False
                app.notify(str(error), title="quit", severity="error", markup=False)
                return
            app.farewell, code = str(error), 3
        app.exit(code)

    def _proceed_without_core(self, choice: str | None) -> None:
        if choice == "again":
            self._app.connect()
        elif choice == "quit":
            self._app.exit(3 if self._app.state == "lost" else 0)
        elif self._app.state in WITHOUT_CORE:
            state = "has ended" if self._app.state == "stopped" else "is lost"
            text = f"The core {state}: press {_RESTART_KEY} to restart it."
            self._app.notify(text, title=UNAVAILABLE, severity="warning", markup=False)

    async def _proceed_without_server(self, choice: str | None) -> None:
        if choice == "again":
            self._app.action_restart()
        elif choice == "other":
            self._app.action_open_server()
        elif choice == "quit":
            await self._app.action_quit()


def quit_screen(core: str, use: CoreUse, *, in_process: bool = False) -> ChoiceScreen:
    """Return the dialog that asks how to quit: "stop", "detach", "serve" (with HTTP), or None; the safest is first."""
    if in_process:
        return ChoiceScreen(
            "Quit the workbench",
            "The core runs in the process of this terminal, so it ends when you quit.",
            (Choice("stop", "s", "Stop and quit", "its sessions end; captures stay on disk"), _STAY),
        )
    attach = f"workbench attach {core}".rstrip()
    note = "its sessions end; captures stay on disk"
    stop = Choice("stop", "s", "Stop the core", note, short_note="its captures stay on disk")
    detach = Choice("detach", "l", "Let it run", f"reconnect with: {attach}", short_note=attach)
    choices = [detach, stop] if use.is_shared else [stop, detach]
    if not use.http:
        choices.append(Choice("serve", "h", "Let it serve HTTP", "opens a port on 127.0.0.1 for clients"))
    return ChoiceScreen("Quit the workbench", _describe_use(use), (*choices, _STAY))


def _describe_use(use: CoreUse) -> str:
    general = "The core serves your tools and records all traffic, with or without a terminal."
    port = f"It serves HTTP at {use.http}." if use.http else ""
    return "\n".join(line for line in (use.describe() or general, port) if line)


def lost_screen(message: str) -> ChoiceScreen:
    return ChoiceScreen(
        "The core is gone", f"{_shortened(message)}\n\n{_CAPTURED}", (_RESTART, _STAY_WITHOUT_CORE, _QUIT)
    )


def stopped_screen(message: str) -> ChoiceScreen:
    return ChoiceScreen("The core was stopped", f"{message}\n\n{_CAPTURED}", (_RESTART, _STAY_WITHOUT_CORE, _QUIT))


def no_core_screen(message: str, *, can_return: bool = False) -> ChoiceScreen:
    others = (_BACK, _OTHER) if can_return else ()
    return ChoiceScreen("No connection to a core", _shortened(message), (_RETRY, *others, _STAY_WITHOUT_CORE, _QUIT))


def no_core_text(message: str) -> str:
    keys = f"Press {_RESTART_KEY} to try again, {key_for('quit')} to quit."
    return f"There is no connection to a core.\n\n{escaped_lines(_shortened(message))}\n\n{keys}"


def no_server_screen(message: str) -> ChoiceScreen:
    end = Choice("quit", "q", "Quit", "asks whether to stop the core")
    text = f"{_shortened(message)}\n\nThe core is running, and has recorded all traffic."
    return ChoiceScreen("The server cannot be started", text, (_RETRY, _OTHER, _STAY_WITHOUT_CORE, end))


def _shortened(message: str) -> str:
    """The first and the last lines of a message: the part between is seldom important."""
    lines = message.splitlines()
    if len(lines) <= _MAX_LINES:
        return message
    return "\n".join([lines[0], "…", *lines[-_LAST_LINES:]])
