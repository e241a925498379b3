"""Content that authors return besides text and values (images, audio, links, embedded resources), and its wire form."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class _ContentBlock:
    annotations: Json | None = None
    meta: Json | None = None

    def _block(self, type: str, **members: Any) -> Json:
        block = {"type": type, **{name: value for name, value in members.items() if value is not None}}
        if self.annotations is not None:
            block["annotations"] = self.annotations
        if self.meta is not None:
            block["_meta"] = self.meta
        return block


@dataclass(frozen=True)
class Image(_ContentBlock):
    """An image as a result.

    Args:
        data: the encoded image.
        mime_type: its format.
        annotations: who it is for and how important it is, as on the wire.
        meta: `_meta` of the block.
    """

    data: bytes
    mime_type: str = "image/png"

    @classmethod
    def from_file(cls, path: str | Path) -> "Image":
        """Return the image in a file; the format follows from the file extension."""
        return cls(Path(path).read_bytes(), mime_type_of(path) or "image/png")

    def to_block(self) -> Json:
        return self._block("image", data=_base64_text(self.data), mimeType=self.mime_type)


@dataclass(frozen=True)
class Audio(_ContentBlock):
    """Audio as a result.

    Args:
        data: the encoded audio.
        mime_type: its format.
        annotations: who it is for and how important it is, as on the wire.
        meta: `_meta` of the block.
    """

    data: bytes
    mime_type: str = "audio/wav"

    @classmethod
    def from_file(cls, path: str | Path) -> "Audio":
        """Return the audio in a file; the format follows from the file extension."""
        return cls(Path(path).read_bytes(), mime_type_of(path) or "audio/wav")

    def to_block(self) -> Json:
        return self._block("audio", data=_base64_text(self.data), mimeType=self.mime_type)


@dataclass(frozen=True)
class ResourceLink(_ContentBlock):
    """A link to a resource that the client can read.

    Args:
        uri: its URI.
        name: its name; defaults to the URI.
        title: its display name.
        description: what it is.
        mime_type: its format.
        size: of the raw content in bytes.
        annotations: who it is for and how important it is, as on the wire.
        meta: `_meta` of the block.
    """

    uri: str
    name: str | None = None
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None

    def to_block(self) -> Json:
        return self._block(
            "resource_link",
            uri=self.uri,
            name=self.name or self.uri,
            title=self.title,
            description=self.description,
            mimeType=self.mime_type,
            size=self.size,
        )


@dataclass(frozen=True)
class EmbeddedResource(_ContentBlock):
    """A resource with its content.

    Args:
        uri: its URI.
        content: text or bytes.
        mime_type: its format.
        annotations: who it is for and how important it is, as on the wire.
        meta: `_meta` of the block.
    """

    uri: str
    content: str | bytes
    mime_type: str | None = None

    def to_block(self) -> Json:
        return self._block("resource", resource=_resource_contents(self.content, self.uri, self.mime_type))


Content: TypeAlias = Image | Audio | ResourceLink | EmbeddedResource
CONTENT = (Image, Audio, ResourceLink, EmbeddedResource)
# Contents, messages, blocks and prompt results have at least one of these members.
_PROTOCOL_MEMBERS = frozenset({"text", "blob", "role", "type", "messages"})


def text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def json_text(value: Any) -> str:
    """Return a JSON value as readable text, or raise ValueError when it contains NaN or an infinity."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def contents_of(value: Any, uri: str, mime_type: str | None, meta: Json | None = None) -> list[Json]:
    """Return the contents of a resource for the value that its function returned.

    Args:
        value: text, bytes, contents as on the wire (with a `text`, or a `blob` in base64 or as bytes), a content
            object, a list of those, or any other value, which is sent as JSON.
    """
    plain = _dump_model(value)
    if isinstance(plain, list | tuple) and plain and all(_is_contents(item) for item in map(_dump_model, plain)):
        return [_complete_contents(item, uri, mime_type, meta) for item in map(_dump_model, plain)]
    return [_complete_contents(plain, uri, mime_type, meta)]


def prompt_result(value: Any, description: str | None) -> Json:
    """Return the result of a prompt for the value that its function returned.

    Args:
        value: as for :func:`messages_of`, or a whole result as on the wire (`{"messages"}`).
    """
    plain = _dump_model(value)
    result = plain if isinstance(plain, dict) and "messages" in plain and "role" not in plain else {"messages": value}
    defaults = {"description": description} if description else {}
    return {**defaults, **result, "messages": messages_of(result["messages"])}


def messages_of(value: Any) -> list[Json]:
    """Return the messages of a prompt for the value that its function returned.

    Args:
        value: text, a content object, a message as on the wire (`{"role", "content"}`), or a list of those. A message
            whose content is a list becomes one message per item.

    Raises:
        TypeError: when it is none of these.
    """
    return [
        message
        for item in (value if isinstance(value, list | tuple) else [value])
        for message in _messages(_dump_model(item))
    ]


def _messages(value: Any) -> list[Json]:
    if isinstance(value, dict) and "role" in value:
        content = value.get("content")
        items = content if isinstance(content, list | tuple) else [content]
        return [{**value, "content": _message_content(_dump_model(item))} for item in items]
    return [{"role": "user", "content": _message_content(value)}]


def _message_content(value: Any) -> Json:
    if isinstance(value, str):
        return text_block(value)
    if isinstance(value, CONTENT):
        return value.to_block()
    if isinstance(value, dict) and "type" in value:
        return value
    if isinstance(value, dict) and "uri" in value:
        # Either the contents of a resource, or its definition.
        return {"type": "resource", "resource": value} if _is_contents(value) else {"type": "resource_link", **value}
    raise TypeError(f"a prompt's message must be text or content, not {type(value).__name__}")


def _dump_model(value: Any) -> Any:
    """Return the JSON value of another library's model of a protocol type; other values unchanged."""
    dump = getattr(value, "model_dump", None)  # Of pydantic, which such libraries use; importing it here would be slow.
    if dump is None or isinstance(value, type):
        return value
    dumped = dump(mode="json", by_alias=True, exclude_none=True)
    return dumped if isinstance(dumped, dict) and not _PROTOCOL_MEMBERS.isdisjoint(dumped) else value


def _is_contents(value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("text"), str) or isinstance(value.get("blob"), str | bytes)
    return isinstance(value, EmbeddedResource | Image | Audio)


def _complete_contents(value: Any, uri: str, mime_type: str | None, meta: Json | None) -> Json:
    if isinstance(value, EmbeddedResource):
        contents = _resource_contents(value.content, value.uri, value.mime_type or mime_type)
    elif isinstance(value, Image | Audio):
        contents = _resource_contents(value.data, uri, value.mime_type)
    elif isinstance(value, str | bytes | bytearray | memoryview):
        contents = _resource_contents(value if isinstance(value, str) else bytes(value), uri, mime_type)
    elif _is_contents(value):
        blob = value.get("blob")
        encoded = {"blob": _base64_text(blob)} if isinstance(blob, bytes) else {}
        contents = {"uri": uri, **({"mimeType": mime_type} if mime_type else {}), **value, **encoded}
    else:
        from pydantic_core import to_jsonable_python

        contents = _resource_contents(json_text(to_jsonable_python(value)), uri, mime_type or "application/json")
    return contents if meta is None else {"_meta": meta, **contents}


def _resource_contents(content: str | bytes, uri: str, mime_type: str | None) -> Json:
    contents: Json = {"uri": uri}
    if mime_type is not None:
        contents["mimeType"] = mime_type
    return contents | ({"text": content} if isinstance(content, str) else {"blob": _base64_text(content)})


def mime_type_of(path: str | Path) -> str | None:
    import mimetypes  # It reads the system's tables when it is first used.

    return mimetypes.guess_type(path)[0]


def _base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
