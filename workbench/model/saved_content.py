"""The content of a result as a file: an image, audio, a resource, else the text."""

import base64
import mimetypes
import re
from dataclasses import dataclass
from typing import Any

from workbench.model.describe import json_text
from workbench.model.json_members import object_in, objects_in, text_in

# The viewer of the system starts nothing of these types.
_VIEWED = ("image/", "audio/", "video/", "application/pdf")
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class SavedContent:
    """The bytes of a file."""

    name: str  # A name for the file, without a folder.
    data: bytes
    mime_type: str = ""

    @property
    def is_viewed(self) -> bool:
        """Whether the type is that of a picture, a sound, a film or a page, which a viewer opens without running it."""
        return self.mime_type.startswith(_VIEWED) and "svg" not in self.mime_type


def content_of_item(item: dict[str, Any]) -> SavedContent | None:
    """Return a content block, or the contents of a resource, as a file; None if it is empty or no valid base64."""
    match item.get("type"):
        case "text":
            return SavedContent("result.txt", _encoded(text_in(item, "text")))
        case "image" | "audio" as kind:
            return _media(kind, text_in(item, "mimeType"), item.get("data"))
        case "resource":
            return _of_resource(object_in(item, "resource"))
        case _:
            return _of_resource(item)


def content_of_result(result: dict[str, Any]) -> SavedContent | None:
    """Return a result as a file: its only image, audio or resource, else its text, else its structured content."""
    items = [*objects_in(result, "content"), *objects_in(result, "contents")]
    files = [item for item in items if item.get("type") not in ("text", "resource_link")]
    if len(files) == 1:
        return content_of_item(files[0])
    texts = [text_in(item, "text") for item in items if item.get("type") == "text"]
    if texts:
        return SavedContent("result.txt", _encoded("\n".join(texts)))
    if "structuredContent" in result:
        text = json_text(result["structuredContent"], indent=2)
        return SavedContent("result.json", _encoded(text), "application/json")
    return None


def _of_resource(contents: dict[str, Any]) -> SavedContent | None:
    name = _UNSAFE.sub("_", text_in(contents, "uri").rpartition("/")[2]).lstrip(".")[:100]
    if isinstance(text := contents.get("text"), str):
        return SavedContent(name or "resource.txt", _encoded(text), text_in(contents, "mimeType"))
    return _media(name or "resource", text_in(contents, "mimeType"), contents.get("blob"))


def _media(name: str, mime_type: str, data: Any) -> SavedContent | None:
    if not isinstance(data, str) or not data:
        return None
    try:
        decoded = base64.b64decode(data, validate=True)
    except ValueError:
        return None
    ending = mimetypes.guess_extension(mime_type.partition(";")[0].strip()) or ".bin"
    return SavedContent(name if "." in name else name + ending, decoded, mime_type)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
