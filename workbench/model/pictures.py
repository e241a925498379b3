"""Pictures in content: which content is one, and its pixels at a size.

Pictures come from servers: before one is decoded, its size in bytes and in pixels is checked. Pillow is imported with
the first picture.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from workbench.model.describe import base64_size, size
from workbench.model.json_members import object_in, text_in

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_BYTES = 10 * 1024 * 1024
MAX_PIXELS = 30_000_000
STORED = 640
"""The longest side of a picture as it is stored; a terminal has room for fewer pixels."""

Colour: TypeAlias = tuple[int, int, int]

_PNG = b"\x89PNG\r\n\x1a\n"
# Not ICO: Pillow decodes it at once, and the picture in it may be larger than it states.
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_TRANSPARENT_MODES = ("RGBA", "LA", "PA")
# EXIF: the tag, and its values for pictures that are turned by a quarter.
_ORIENTATION, _TURNED = 0x0112, (5, 6, 7, 8)
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)


class PictureError(Exception):
    """A picture that cannot be shown; the message is a sentence with the reason."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that has been decoded."""

    width: int  # In pixels, as sent.
    height: int
    image: "Image"  # Opaque, and not larger than :data:`STORED`.

    def size_within(self, width: int, height: int) -> tuple[int, int]:
        """Return the largest size with the same proportions that fits, at least 1 × 1, and not above its own size."""
        scale = min(width / self.width, height / self.height, 1.0)
        return max(round(self.width * scale), 1), max(round(self.height * scale), 1)

    def rows(self, width: int, height: int) -> Iterator[list[Colour]]:
        """Yield the rows of the picture at a size, from the top."""
        from PIL.Image import Resampling

        pixels = self.image.resize((width, height), Resampling.BOX).tobytes()
        for start in range(0, len(pixels), 3 * width):
            row = pixels[start : start + 3 * width]
            yield list(zip(row[::3], row[1::3], row[2::3], strict=True))


def is_picture(item: dict[str, Any]) -> bool:
    """Whether a content block, or the contents of a resource, is a picture of a kind that can be shown."""
    return _type(item).startswith("image/") and "svg" not in _type(item) and bool(_data(item))


def _without_broken_chunks(data: bytes) -> bytes:
    """Return a PNG without ancillary chunks of a wrong checksum, which may go. Source: PNG 3rd edition, 13.1."""
    if not data.startswith(_PNG):
        return data
    kept, at = [_PNG], len(_PNG)
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4])
        chunk = data[at:end]
        is_ancillary = bool(chunk[4] & 0x20)
        if not is_ancillary or int.from_bytes(chunk[-4:]) == crc32(chunk[4:-4]):
            kept.append(chunk)
        at = end
    return b"".join([*kept, data[at:]])


def read_picture(item: dict[str, Any]) -> Picture:
    """Decode a picture, on a thread since it takes long; PictureError when it is too large, or cannot be read."""
    data = _data(item)
    if base64_size(data) > MAX_BYTES:
        raise PictureError(f"It has {size(base64_size(data))}, and pictures above {size(MAX_BYTES)} are not shown.")
    from PIL import Image

    # Checked below; Pillow would write a warning to the terminal.
    Image.MAX_IMAGE_PIXELS = None
    try:
        content = _without_broken_chunks(base64.b64decode(data, validate=True))
        with Image.open(BytesIO(content), formats=_FORMATS) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                limit = f"above {MAX_PIXELS // 1_000_000} million pixels are not shown"
                raise PictureError(f"It has {width:,} × {height:,} pixels, and pictures {limit}.")
            return _stored(image)
    except PictureError:
        raise
    except Exception as error:
        # Decoders raise exceptions of many classes for broken data.
        raise PictureError("It cannot be read: the data are broken, or of an unknown format.") from error


def _stored(image: "Image") -> Picture:
    from PIL import ImageOps

    width, height = image.size
    if image.getexif().get(_ORIENTATION) in _TURNED:
        width, height = height, width
    if image.mode == "P":
        # Colours of a palette cannot be mixed.
        image = image.convert("RGBA")
    image.thumbnail((STORED, STORED))
    return Picture(width, height, _opaque(ImageOps.exif_transpose(image)))


def _opaque(image: "Image") -> "Image":
    """Return an image without transparency: dark drawings on white, others on black."""
    from PIL import Image, ImageStat

    if image.mode not in _TRANSPARENT_MODES and "transparency" not in image.info:
        return image.convert("RGB")
    image = image.convert("RGBA")
    alpha = image.getchannel("A")
    brightness = ImageStat.Stat(image.convert("L"), alpha).mean[0] if alpha.getbbox() else 255
    ground = Image.new("RGBA", image.size, _WHITE if brightness < 128 else _BLACK)
    return Image.alpha_composite(ground, image).convert("RGB")


def _data(item: dict[str, Any]) -> str:
    match item.get("type"):
        case "image":
            return text_in(item, "data")
        case "resource":
            return text_in(object_in(item, "resource"), "blob")
        case _:
            return text_in(item, "blob")


def _type(item: dict[str, Any]) -> str:
    holder = object_in(item, "resource") if item.get("type") == "resource" else item
    return text_in(holder, "mimeType")
