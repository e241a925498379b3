"""Content that authors return besides text and values (images, audio, links, embedded resources, files)."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from server_core.errors import ResourceError, ResourceNotFound
from server_core.runtime import private_files

Json: TypeAlias = dict[str, Any]

# The content is sent in one message: base64 adds a third, and most clients accept up to 16 MiB.
MAX_FILE_BYTES = 10 * 1024 * 1024


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
        return self._block("image", data=base64_text(self.data), mimeType=self.mime_type)


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
        return self._block("audio", data=base64_text(self.data), mimeType=self.mime_type)


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
        return self._block("resource", resource=resource_contents(self.content, self.uri, self.mime_type))


Content: TypeAlias = Image | Audio | ResourceLink | EmbeddedResource
CONTENT = (Image, Audio, ResourceLink, EmbeddedResource)


@dataclass(eq=False)
class FileContents:
    """The function of a resource that returns the content of a file: text if it is UTF-8, else bytes.

    The author chose the path, so any is allowed. It is read on each request. Errors do not reveal it to clients.
    """

    path: Path
    limit: int = MAX_FILE_BYTES

    def __call__(self) -> str | bytes:
        try:
            data = private_files.read(self.path, self.limit)
        except (FileNotFoundError, NotADirectoryError):
            raise ResourceNotFound() from None
        except OSError as error:
            raise ResourceError(f"The file of this resource cannot be read: {error.strerror}.") from error
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data


def text_block(text: str) -> Json:
    return {"type": "text", "text": text}


def json_text(value: Any) -> str:
    """Return a JSON value as readable text, or raise ValueError when it contains NaN or an infinity."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def resource_contents(content: str | bytes, uri: str, mime_type: str | None) -> Json:
    contents: Json = {"uri": uri}
    if mime_type is not None:
        contents["mimeType"] = mime_type
    return contents | ({"text": content} if isinstance(content, str) else {"blob": base64_text(content)})


def mime_type_of(path: str | Path) -> str | None:
    import mimetypes  # It reads the system's tables when it is first used.

    return mimetypes.guess_type(path)[0]


def base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
