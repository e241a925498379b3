"""The name, the pin and the note of a capture, changed by the user."""

from typing import TYPE_CHECKING, Any

from workbench.tui.external_editor import edit_text
from workbench.tui.screens.capture_rows import capture_title
from workbench.tui.screens.dialogs import PromptScreen
from workbench.workspace.capture_files import change_capture, name_problem, note_problem

if TYPE_CHECKING:
    from workbench.tui.pane import Pane

_TOPIC = "captures"
_NAME_TEXT = "The name is stored in the capture; an empty one removes it."
_NOTE_TEXT = "The note is stored in the capture; an empty one removes it."


async def rename(pane: "Pane", capture: dict[str, Any]) -> None:
    before = capture.get("name") or ""
    screen = PromptScreen("Name of the capture", _NAME_TEXT, value=before, problem=name_problem)
    name = await pane.app.push_screen_wait(screen)
    if name is not None and name.strip() != before:
        text = f"The capture is named {name.strip()}." if name.strip() else "The capture has no name any more."
        if await _change(pane, capture, text, name=name):
            pane.log_command("sessions.rename_capture", capture=capture["path"], name=name.strip())


async def toggle_pin(pane: "Pane", capture: dict[str, Any]) -> None:
    pinned = not capture.get("pinned")
    state = "pinned: it stays when old captures are deleted" if pinned else "no longer pinned"
    if await _change(pane, capture, f"{capture_title(capture)} is {state}.", pinned=pinned):
        pane.log_command("sessions.pin_capture" if pinned else "sessions.pin_capture off", capture=capture["path"])


async def edit_note(pane: "Pane", capture: dict[str, Any]) -> None:
    """Ask for a note of one line; one of several lines is edited in the user's editor."""
    before = str(capture.get("note") or "")
    if "\n" in before:
        note: str | None = edit_text(pane.app, before, ".md")
    else:
        note = await pane.app.push_screen_wait(
            PromptScreen("Note on the capture", _NOTE_TEXT, value=before, problem=note_problem)
        )
    if note is not None and note.strip() != before:
        done = "The note is stored." if note.strip() else "The note is removed."
        if await _change(pane, capture, done, note=note):
            pane.log_command("sessions.note_capture", capture=capture["path"], text=note.strip())


async def _change(pane: "Pane", capture: dict[str, Any], done: str, **labels: Any) -> bool:
    is_changed = await pane.attempt(change_capture(str(capture["path"]), **labels))
    if is_changed:
        pane.notify(done, title=_TOPIC, markup=False)
        await refresh(pane)
    return is_changed


async def refresh(pane: "Pane") -> None:
    """List the captures again, unless the core is lost."""
    if pane.workspace.connected:
        await pane.attempt(pane.workspace.core.refresh("sessions"))
