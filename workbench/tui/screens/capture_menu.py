"""What can be done with a capture: open it in the Inspector, copy its replay command or path, or delete it."""

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.model.describe import plural, size
from workbench.model.notices import CLIPBOARD
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.workspace.capture_files import delete_capture
from workbench.workspace.capture_replay import CaptureReplay

if TYPE_CHECKING:
    from workbench.tui.pane import Pane

_USES = (
    Choice("open", "o", "Open it", "in the Inspector"),
    Choice("run", "R", "Replay it here", "sends its requests again and compares"),
)


async def open_capture(pane: "Pane", capture: dict[str, Any]) -> None:
    path = str(capture["path"])
    texts = {"replay": replay_command(path), "path": path}
    choices = (
        *(() if capture.get("problem") else _USES),
        Choice("replay", "r", "Copy the replay command", "for a shell"),
        Choice("path", "p", "Copy the path"),
        Choice("delete", "d", "Delete it", "asks first"),
    )
    choice = await pane.app.push_screen_wait(ChoiceScreen(Path(path).name, summary(capture), choices))
    if choice == "open":
        await pane.workbench.open_capture(path)
    elif choice == "run":
        await _replay(pane, path)
    elif choice == "delete":
        await _delete(pane, capture)
    elif choice is not None:
        pane.app.copy_to_clipboard(texts[choice])
        name = "replay command" if choice == "replay" else "path"
        pane.notify(f"The {name} is in the clipboard.", title=CLIPBOARD, markup=False)


def replay_command(path: str) -> str:
    return shlex.join(["workbench", "replay", path])


def summary(capture: dict[str, Any]) -> str:
    """Return the facts about a capture, a line each."""
    if problem := capture.get("problem"):
        return f"{capture['path']}\n{problem}"
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(capture["started"]))
    state = "" if capture["ended"] else ", and is still being recorded"
    return (
        f"{capture['path']}\n"
        f"of {capture['project']}\n"
        f"{plural(capture['records'], 'message')}, {size(capture['bytes'])}, started {started}{state}"
    )


async def _replay(pane: "Pane", path: str) -> None:
    seq = await pane.app.push_screen_wait(ReplayScreen(CaptureReplay(pane.workspace, path)))
    if seq is not None:
        await pane.workbench.open_capture(path, seq)


async def _delete(pane: "Pane", capture: dict[str, Any]) -> None:
    name = Path(str(capture["path"])).name
    choices = (Choice("keep", "k", "Keep it"), Choice("delete", "d", "Delete it", "it cannot be restored"))
    answer = await pane.app.push_screen_wait(ChoiceScreen("Delete the capture?", name, choices))
    if answer == "delete" and await pane.attempt(delete_capture(str(capture["path"]))):
        pane.notify(f"Deleted {name}.", markup=False)
        await pane.attempt(pane.workspace.core.refresh("sessions"))
