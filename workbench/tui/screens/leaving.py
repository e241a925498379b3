"""The dialogs at the end: leave the workbench, and what to do when the core is gone."""

from workbench.tui.screens.dialogs import Choice, ChoiceScreen

_LAST_WORDS = 5
_STAY = Choice("stay", "c", "Stay here", "so does esc")


def quit_screen(core: str, *, in_process: bool = False) -> ChoiceScreen:
    """Return the dialog that asks how to leave: "stop", "detach", or None to stay.

    Args:
        core: its id.
        in_process: the core runs in the terminal's own process, and ends with it.
    """
    if in_process:
        return ChoiceScreen(
            "Leave the workbench",
            "The core runs in the process of this terminal, so it ends when you leave.",
            (Choice("stop", "s", "Stop and leave", "its sessions end; captures stay on disk"), _STAY),
        )
    return ChoiceScreen(
        "Leave the workbench",
        "The core serves your tools and records what happens, whether a terminal looks on or not.",
        (
            Choice("stop", "s", "Stop the core", "its sessions end; captures stay on disk"),
            Choice("detach", "l", "Leave it running", f"come back with: workbench attach {core}".rstrip()),
            _STAY,
        ),
    )


def lost_screen(message: str) -> ChoiceScreen:
    """Return the post-mortem of the core: "again", "quit", or None to look around.

    Args:
        message: what is known about its end.
    """
    return ChoiceScreen(
        "The core is gone",
        f"{_shortened(message)}\n\nEvery message up to then is in the capture, and still in the inspector.",
        (
            Choice("again", "r", "Start it again", "loads the tools anew; forms stay as they are"),
            Choice("look", "l", "Look around", "so does esc; f5 starts it again later"),
            Choice("quit", "q", "Quit", "back to the shell"),
        ),
    )


def _shortened(message: str) -> str:
    """How it ended and the very last words: what lies between is seldom what matters."""
    lines = message.splitlines()
    if len(lines) <= _LAST_WORDS + 1:
        return message
    return "\n".join([lines[0], "…", *lines[-_LAST_WORDS:]])
