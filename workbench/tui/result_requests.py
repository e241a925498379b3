"""What a user does with a result: copies of it, saves or opens its content, and follows its links."""

import mimetypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from textual.app import App

from workbench.model.describe import size
from workbench.model.notices import CLIPBOARD, UNAVAILABLE
from workbench.model.saved_content import SavedContent
from workbench.model.short_text import shortened
from workbench.tui.screens.dialogs import Choice, ChoiceScreen, PromptScreen
from workbench.tui.url_opening import open_url, url_warnings
from workbench.tui.widgets.json_view import JsonView

if TYPE_CHECKING:
    from workbench.tui.pane import Pane
    from workbench.tui.widgets.result import ResultView

_FILE = "file of a result"  # The topic of notices about a file that was saved or opened.
_CHOICES = (
    Choice("open", "o", "Open it in the browser"),
    Choice("copy", "y", "Copy it"),
    Choice("read", "r", "Read it from the server", "as a resource with this URI"),
)
_NOTE_LENGTH = 50


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


async def follow(pane: "Pane", view: "ResultView", uri: str) -> None:
    """Read the resource of a link, and show it in the place of the result; ask first what to do with a web page."""
    if _is_web_link(uri) and await _choose(pane.app, uri) == "done":
        return
    if (session := pane.workspace.session) is None:
        pane.notify("Not connected to the core.", title=pane.attempts_topic, severity="error", markup=False)
        return
    shown = view.section
    result = await pane.result_of(session.read_resource(uri))
    # Another result may be shown by now.
    if result is not None and view.is_attached and view.section is shown:
        view.show_linked(result)


def _is_web_link(uri: str) -> bool:
    return uri.startswith(("https://", "http://"))


async def _choose(app: App[Any], url: str) -> Literal["read", "done"]:
    """Ask what to do with a link, and do it; "read" if the server is to be asked for it."""
    text = "\n".join([url, *(f"! {warning}" for warning in url_warnings(url))])
    choice = await app.push_screen_wait(ChoiceScreen("A link to a web page", text, _CHOICES))
    if choice == "read":
        return "read"
    if choice == "copy":
        app.copy_to_clipboard(url)
        app.notify("The URL is in the clipboard.", title=CLIPBOARD, markup=False)
    elif choice == "open" and (reason := open_url(url)):
        app.notify(reason, title=UNAVAILABLE, severity="warning", markup=False)
    return "done"


def show_copy_menu(app: App[Any], view: JsonView) -> None:
    texts = _texts(view)

    def copy(choice: str | None) -> None:
        if choice is not None:
            app.copy_to_clipboard(texts[choice][1])
            app.notify(f"The {texts[choice][0]} is in the clipboard.", title=CLIPBOARD, markup=False)

    choices = tuple(
        Choice(key, key, title, shortened(text, _NOTE_LENGTH) if key != "y" else "")
        for key, (title, text) in texts.items()
    )
    app.push_screen(ChoiceScreen("Copy", view.path or "What is copied to the clipboard?", choices), copy)


def _texts(view: JsonView) -> dict[str, tuple[str, str]]:
    """Return the name and the text of what can be copied, by its key."""
    texts: dict[str, tuple[str, str]] = {}
    if (place := view.document_line) is not None:
        document, line = place
        text = document.value(line)
        if view.path:
            texts["v"] = "value", document.text_value(line)
            texts["t"] = "JSON text", text
            texts["p"] = "path", view.path
        else:
            texts["v"] = "line", text
    texts["y"] = "whole text", view.text
    return texts
