"""The dialogs to quit the workbench, and to choose how to proceed without a core or a relayed server."""

from workbench.model.core_use import CoreUse
from workbench.model.short_text import escaped_lines
from workbench.tui.screens.dialogs import Choice, ChoiceScreen

_MAX_LINES = 8
_LAST_WORDS = 5
_STAY = Choice("stay", "c", "Stay here", "same as esc")


def quit_screen(core: str, use: CoreUse, *, in_process: bool = False) -> ChoiceScreen:
    """Return the dialog that asks how to quit: "stop", "detach", "serve" (detach, with HTTP), or None to stay.

    The first choice is the safest.

    Args:
        core: the id of the core.
        use: who else uses it.
        in_process: the core runs in the terminal's own process, and ends with it.
    """
    if in_process:
        return ChoiceScreen(
            "Leave the workbench",
            "The core runs in the process of this terminal, so it ends when you leave.",
            (Choice("stop", "s", "Stop and leave", "its sessions end; captures stay on disk"), _STAY),
        )
    stop = Choice("stop", "s", "Stop the core", "its sessions end; captures stay on disk")
    detach = Choice("detach", "l", "Leave it running", f"reconnect with: workbench attach {core}".rstrip())
    choices = [detach, stop] if use.is_shared else [stop, detach]
    if not use.http:
        choices.append(Choice("serve", "h", "Leave it serving HTTP", "opens a port on 127.0.0.1 for clients"))
    return ChoiceScreen("Leave the workbench", _situation(use), (*choices, _STAY))


def _situation(use: CoreUse) -> str:
    general = "The core serves your tools and records all traffic, with or without a terminal."
    port = f"It serves HTTP at {use.http}." if use.http else ""
    return "\n".join(line for line in (use.describe() or general, port) if line)


_AGAIN = Choice("again", "r", "Restart it", "reloads the tools; forms are kept")
_BROWSE = Choice("look", "l", "Stay here", "same as esc; f5 restarts it later")
_QUIT = Choice("quit", "q", "Quit", "back to the shell")


def lost_screen(message: str) -> ChoiceScreen:
    """Return the dialog for a core that was lost: "again", "quit", or None to stay.

    Args:
        message: what is known about its end.
    """
    return ChoiceScreen(
        "The core is gone",
        f"{_shortened(message)}\n\nAll messages until then are in the capture and in the inspector.",
        (_AGAIN, _BROWSE, _QUIT),
    )


def stopped_screen(message: str) -> ChoiceScreen:
    """Return the dialog for a core that another user has stopped: "again", "quit", or None to stay.

    Args:
        message: what is known about who has stopped it.
    """
    return ChoiceScreen(
        "The core was stopped",
        f"{message}\n\nAll messages until then are in the capture and in the inspector.",
        (_AGAIN, _BROWSE, _QUIT),
    )


def no_core_screen(message: str) -> ChoiceScreen:
    """Return the dialog for a core that was never reached: "again", "quit", or None to stay.

    Args:
        message: the reason.
    """
    again = Choice("again", "r", "Try again", "after the cause is fixed; same as f5")
    return ChoiceScreen("There is no core", _shortened(message), (again, _BROWSE, _QUIT))


def no_core_text(message: str) -> str:
    """Return the text shown in place of the panes while there is no core.

    Args:
        message: the reason.
    """
    return f"There is no core.\n\n{escaped_lines(_shortened(message))}\n\nPress f5 to restart it, q to quit."


def no_server_screen(message: str) -> ChoiceScreen:
    """Return the dialog for a relayed server that could not be started: "again", "quit", or None to stay.

    Args:
        message: the reason.
    """
    again = Choice("again", "r", "Try again", "after the cause is fixed; same as f5")
    leave = Choice("quit", "q", "Leave", "asks whether to stop the core")
    text = f"{_shortened(message)}\n\nThe core is running, and has recorded all traffic."
    return ChoiceScreen("The server cannot be started", text, (again, _BROWSE, leave))


def _shortened(message: str) -> str:
    """The first and the last lines of a message: the part between is seldom important."""
    lines = message.splitlines()
    if len(lines) <= _MAX_LINES:
        return message
    return "\n".join([lines[0], "…", *lines[-_LAST_WORDS:]])
