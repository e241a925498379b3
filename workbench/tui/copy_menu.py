"""The menu of what is copied of a result or a message: a value as text or JSON, its path, or everything."""

from typing import Any

from textual.app import App

from workbench.model.notices import CLIPBOARD
from workbench.model.short_text import shortened
from workbench.tui.screens.dialogs import Choice, ChoiceScreen
from workbench.tui.widgets.json_view import JsonView

_NOTE_LENGTH = 50


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
