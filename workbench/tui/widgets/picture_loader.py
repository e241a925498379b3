"""The pictures of one view: decoded on a thread, one after the other, and stored while the view shows them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.widget import Widget

from workbench.model.traffic.json_document import JsonDocument
from workbench.tui.workers import run_on_thread, start_worker

if TYPE_CHECKING:
    from workbench.model.pictures import Picture
    from workbench.tui.widgets.sections import Section

MAX_PICTURES = 20
"""The number of pictures of one result that are shown."""

_HINT = "o opens it, s saves it."


class PictureLoader:
    """Decodes the pictures in sections; `on_loaded` is called, on the event loop, after each."""

    def __init__(self, view: Widget, on_loaded: Callable[[], None]) -> None:
        self._view = view
        self._on_loaded = on_loaded
        self._items: list[dict[str, Any]] = []
        # By the identity of an item: a picture, or why there is none; None while it is decoded.
        self._loaded: dict[int, Picture | str | None] = {}

    @property
    def has_pictures(self) -> bool:
        return bool(self._items)

    def add_pictures(self, sections: Iterable["Section"]) -> list["Section"]:
        """Return the sections with the pictures decoded so far, and begin to decode the others."""
        sections = list(sections)
        items = [section.item for section in sections if section.item is not None and _has_picture(section)]
        items = items[:MAX_PICTURES]
        new = [item for item in items if id(item) not in self._loaded]
        # The items are stored, so that no other object gets the identity of one.
        self._items, self._loaded = items, {id(item): self._loaded.get(id(item)) for item in items}
        if new:
            start_worker(self._view, partial(self._load, new), "pictures", exclusive=False)
        return [self._with_picture(section) for section in sections]

    async def _load(self, items: list[dict[str, Any]]) -> None:
        for item in items:
            if id(item) not in self._loaded:
                return  # The view shows something else.
            picture = await run_on_thread(partial(_read, item))
            if id(item) in self._loaded:
                self._loaded[id(item)] = picture
                self._on_loaded()

    def _with_picture(self, section: "Section") -> "Section":
        match self._loaded.get(id(section.item)):
            case None:
                return section
            case str() as problem:
                text = f"{section.document.text}\n{problem} {_HINT}"
                return replace(section, document=JsonDocument(text.encode()))
            case picture:
                # The description of a resource is in its heading already.
                described = section.document.text.replace(" image,", ",") if section.heading == "image" else ""
                facts = (section.heading, described, f"{picture.width:,} × {picture.height:,} pixels")
                heading = " · ".join(fact for fact in facts if fact)
                return replace(section, heading=heading, document=JsonDocument(b""), picture=picture)


def _has_picture(section: "Section") -> bool:
    # Imported when there is content: the first screen needs none of it.
    from workbench.model.pictures import is_picture

    return section.item is not None and is_picture(section.item)


def _read(item: dict[str, Any]) -> "Picture | str":
    from workbench.model.pictures import PictureError, read_picture

    try:
        return read_picture(item)
    except PictureError as error:
        return str(error)
