"""Content of a result as a file: saved where the user wants it, or opened with the viewer of the system."""

import mimetypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App

from workbench.model.describe import size
from workbench.model.notices import UNAVAILABLE
from workbench.model.saved_content import SavedContent
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen

_FILE = "file of a result"  # The topic of notices about a file that was saved or opened.


async def save(app: App[Any], content: SavedContent) -> None:
    """Ask for the name of a file and write the content to it; an existing file is replaced only after a question."""
    from workbench.workspace.value_files import typed_path

    name = await app.push_screen_wait(
        PromptScreen("Save", f"Write {size(len(content.data))} to this file:", value=content.name)
    )
    if name is None:
        return
    path = typed_path(name)
    try:
        if path.exists() and not await _may_replace(app, path):
            return
        path.write_bytes(content.data)
    except OSError as error:
        app.notify(f"{path} was not written: {error.strerror}.", title=_FILE, severity="error", markup=False)
    else:
        app.notify(f"Saved {size(len(content.data))} to {path}.", title=_FILE, markup=False)


def view(app: App[Any], content: SavedContent) -> None:
    """Open the content, as a temporary file, with the viewer of the system."""
    if not content.is_viewed:
        app.notify(
            "Only images, audio, video and PDF open: save it instead.",
            title=UNAVAILABLE,
            severity="warning",
            markup=False,
        )
        return
    if (command := _viewer()) is None:
        app.notify(
            "There is no graphical desktop here: save it instead.", title=UNAVAILABLE, severity="warning", markup=False
        )
        return
    # The name of the server may have the ending of a program: that of the type is used.
    ending = mimetypes.guess_extension(content.mime_type.partition(";")[0].strip()) or ".bin"
    try:
        file, path = tempfile.mkstemp(suffix=ending, prefix="workbench-")
        with os.fdopen(file, "wb") as stream:
            stream.write(content.data)
        # It goes on when the terminal ends.
        subprocess.Popen(
            [command, path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        app.notify(
            f"The content was not opened with {command}: {error.strerror}.", title=_FILE, severity="error", markup=False
        )


def _viewer() -> str | None:
    if sys.platform == "darwin":
        return "open"
    return "xdg-open" if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") else None


async def _may_replace(app: App[Any], path: Path) -> bool:
    choices = (Choice("keep", "k", "Keep it"), Choice("replace", "r", "Replace it"))
    return await app.push_screen_wait(ChoiceScreen("The file exists", str(path), choices)) == "replace"
