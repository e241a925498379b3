"""What can be done with a capture: open it, replay it, copy its command or path, name, pin, note and delete it."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.model.action_commands import CalledServer, action_command
from workbench.model.describe import plural, size
from workbench.model.notices import CLIPBOARD
from workbench.tui.screens.capture_labels import edit_note, refresh, rename, toggle_pin
from workbench.tui.screens.capture_rows import capture_title, server_of
from workbench.tui.screens.capture_search import CaptureSearchScreen
from workbench.tui.screens.comparison_screen import ComparisonScreen
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.screens.replay_screen import ReplayScreen
from workbench.tui.workers import start_worker
from workbench.workspace.capture_comparison import CaptureComparison
from workbench.workspace.capture_files import delete_capture
from workbench.workspace.capture_replay import CaptureReplay

if TYPE_CHECKING:
    from workbench.replay.comparison import ComparedCall
    from workbench.tui.pane import Pane

_REPLAY = "sessions.open_row replay"

_USES = (
    Choice("open", "o", "Open it", "in the Inspector"),
    Choice("run", "R", "Replay it here", "sends its requests again and compares"),
    Choice("step", "s", "Replay it step by step", "waits before each request"),
)


_LABELS = (
    Choice("name", "n", "Name it", "the name is stored in it"),
    Choice("pin", "p", "Pin it, or remove the pin", "a pinned capture stays"),
    Choice("note", "N", "Write a note on it"),
)


async def open_capture(pane: "Pane", capture: dict[str, Any]) -> None:
    path = str(capture["path"])
    texts = {"replay": replay_command(path), "path": path}
    choices = (
        *(() if capture.get("problem") else _USES),
        Choice("replay", "r", "Copy the replay command", "for a shell"),
        Choice("path", "c", "Copy the path"),
        *(() if capture.get("problem") else _LABELS),
        Choice("delete", "d", "Delete it", "asks first"),
    )
    choice = await pane.app.push_screen_wait(ChoiceScreen(capture_title(capture), summary(capture), choices))
    if choice == "open":
        await pane.workbench.open_capture(path, back=partial(pane.workbench.show, pane.PLACE))
    elif choice in ("run", "step"):
        pane.log_command("sessions.open_row step" if choice == "step" else _REPLAY, capture=path)
        await _replay(pane, path, CaptureReplay(pane.workspace, path, is_stepped=choice == "step"))
    elif choice in _CHANGES:
        await _CHANGES[choice](pane, capture)
    elif choice is not None:
        pane.app.copy_to_clipboard(texts[choice])
        name = "replay command" if choice == "replay" else "path"
        pane.notify(f"The {name} is in the clipboard.", title=CLIPBOARD, markup=False)


def replay_command(path: str) -> str:
    """Return the command that replays a capture with its own project."""
    return action_command(_REPLAY, CalledServer("", is_relay=False, is_here=True), {"capture": path})


def summary(capture: dict[str, Any]) -> str:
    """Return the facts about a capture, a line each."""
    if problem := capture.get("problem"):
        return f"{capture['path']}\n{problem}"
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(capture["started"]))
    state = "" if capture["ended"] else ", and is still being recorded"
    return (
        f"{capture['path']}\n"
        f"of {server_of(capture)}\n"
        f"{plural(capture['records'], 'message')}, {size(capture['bytes'])}, started {started}{state}"
    )


async def _replay(pane: "Pane", path: str, replay: CaptureReplay, seq: int = 0) -> None:
    """Show a replay, and the recorded message that is chosen in it; the results are shown again when it is closed."""
    chosen = await pane.app.push_screen_wait(ReplayScreen(replay, seq))
    if chosen is None:
        await replay.close()
        return

    async def back() -> None:
        await pane.workbench.show(pane.PLACE)
        start_worker(pane, partial(_replay, pane, path, replay, chosen), "capture")

    await pane.workbench.open_capture(path, chosen, back)


async def compare(pane: "Pane", first: dict[str, Any], second: dict[str, Any]) -> None:
    """Compare two captures, and show the messages that are chosen."""
    comparison = CaptureComparison(str(first["path"]), str(second["path"]))
    pane.log_command("sessions.compare_captures", capture=first["path"], other=second["path"])
    await _compare(pane, comparison, (_dated_title(first), _dated_title(second)))


async def _compare(
    pane: "Pane", comparison: CaptureComparison, names: tuple[str, str], call: "ComparedCall | None" = None
) -> None:
    """Show a comparison, and the message that is chosen in it; it is shown again when that is closed."""
    chosen = await pane.app.push_screen_wait(ComparisonScreen(comparison, names, call))
    if chosen is None:
        return
    returned, path, seq = chosen

    async def back() -> None:
        await pane.workbench.show(pane.PLACE)
        start_worker(pane, partial(_compare, pane, comparison, names, returned), "capture")

    await pane.workbench.open_capture(path, seq, back)


def _dated_title(capture: dict[str, Any]) -> str:
    """Return the name of a capture with its start, since captures without names differ in little else."""
    started = time.strftime("%m-%d %H:%M:%S", time.localtime(capture["started"]))
    return f"{capture.get('name') or capture['project']} ({started})"


async def ask_to_delete(pane: "Pane", capture: dict[str, Any]) -> None:
    name = capture_title(capture)
    pinned = "it is pinned, and cannot be restored" if capture.get("pinned") else "it cannot be restored"
    choices = (Choice("keep", "k", "Keep it"), Choice("delete", "d", "Delete it", pinned))
    answer = await pane.app.push_screen_wait(ChoiceScreen("Delete the capture?", name, choices))
    if answer == "delete" and await pane.attempt(delete_capture(str(capture["path"]))):
        pane.notify(f"Deleted {name}.", markup=False)
        is_pinned = capture.get("pinned")
        pane.log_command("sessions.delete_capture" + (" pinned" if is_pinned else ""), capture=capture["path"])
        await refresh(pane)


async def search(pane: "Pane", captures: list[dict[str, Any]], of: str) -> None:
    """Search captures for a text, at first those of a server, and open the message that is chosen."""

    def log(text: str, server: str) -> None:
        if server:
            pane.log_command("sessions.search_captures of", text=text, name=server)
        else:
            pane.log_command("sessions.search_captures", text=text)

    chosen = await pane.app.push_screen_wait(CaptureSearchScreen(captures, of, log))
    if chosen is not None:
        await pane.workbench.open_capture(*chosen, back=partial(pane.workbench.show, pane.PLACE))


_CHANGES = {"name": rename, "pin": toggle_pin, "note": edit_note, "delete": ask_to_delete}
