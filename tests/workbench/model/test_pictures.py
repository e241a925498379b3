"""Pictures are decoded within limits, whatever a server sends."""

import base64
import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.tables import each_row
from workbench.model import pictures
from workbench.model.pictures import Picture, PictureError, is_picture, read_picture


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    image.save(stream := BytesIO(), kind, **options)
    return stream.getvalue()


def item(data: bytes, mime_type: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "mimeType": mime_type, "data": base64.b64encode(data).decode()}


def read(image: Image.Image, kind: str = "PNG", **options: Any) -> Picture:
    return read_picture(item(encoded(image, kind, **options)))


def colours(picture: Picture) -> set[tuple[int, int, int]]:
    return {colour for row in picture.rows(2, 2) for colour in row}


@each_row(
    ("content", "expected"),
    [
        ({"type": "image", "mimeType": "image/png", "data": "aGk="}, True),
        ({"type": "resource", "resource": {"mimeType": "image/gif", "blob": "aGk="}}, True),
        ({"uri": "x", "mimeType": "image/jpeg", "blob": "aGk="}, True),
        ({"type": "image", "mimeType": "image/svg+xml", "data": "aGk="}, False),
        ({"type": "image", "mimeType": "image/png"}, False),
        ({"type": "image", "data": "aGk="}, False),
        ({"type": "image", "mimeType": 1, "data": []}, False),
        ({"type": "text", "text": "x"}, False),
        ({"type": "resource", "resource": "x"}, False),
    ],
)
def test_pictures_are_recognised_by_their_type(content: dict[str, Any], expected: bool) -> None:
    assert is_picture(content) is expected


@each_row("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_pictures_of_every_mode_are_read(mode: str) -> None:
    picture = read(Image.new(mode, (6, 3)))
    assert (picture.width, picture.height) == (6, 3)
    assert len(list(picture.rows(4, 2))) == 2


@each_row("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_pictures_of_common_formats_are_read(kind: str) -> None:
    assert read(Image.new("RGB", (16, 16), "white"), kind).width == 16


def test_the_size_is_fitted_with_the_same_proportions_and_never_enlarged() -> None:
    picture = read(Image.new("RGB", (400, 200)))
    assert picture.size_within(100, 100) == (100, 50)
    assert picture.size_within(1000, 100) == (200, 100)
    assert picture.size_within(1000, 1000) == (400, 200)
    assert picture.size_within(1, 1) == (1, 1)


def test_a_large_picture_is_stored_small() -> None:
    picture = read(Image.new("RGB", (3000, 1500)))
    assert (picture.width, picture.image.width) == (3000, pictures.STORED)


def test_dark_drawings_without_a_ground_are_on_white_and_others_on_black() -> None:
    for ink, ground in (((0, 0, 0), (255, 255, 255)), ((255, 255, 255), (0, 0, 0))):
        image = Image.new("RGBA", (2, 2), (*ink, 0))
        image.putpixel((0, 0), (*ink, 255))
        assert colours(read(image)) == {ink, ground}


def test_a_picture_that_a_camera_has_turned_is_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = read(Image.new("RGB", (40, 20)), "JPEG", exif=exif)
    assert (picture.width, picture.height) == (20, 40)
    assert picture.image.size == (20, 40)


def huge_png() -> bytes:
    """Return a PNG whose head claims 20,000 × 20,000 pixels."""
    head = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b""))
    )


def test_a_broken_chunk_that_a_picture_does_not_need_is_ignored() -> None:
    data = encoded(Image.new("RGB", (16, 16), "white"), icc_profile=b"profile")
    begin = data.index(b"iCCP")
    end = begin + 4 + int.from_bytes(data[begin - 4 : begin])
    broken = data[:end] + b"\0\0\0\0" + data[end + 4 :]
    assert read_picture(item(broken)).width == 16


@each_row(
    ("data", "reason"),
    [
        (huge_png(), "It has 20,000 × 20,000 pixels, and pictures above 30 million pixels are not shown."),
        (b"hello", "It cannot be read: the data are broken, or of an unknown format."),
        (encoded(Image.effect_noise((64, 64), 50))[:500], "It cannot be read"),
        (b"\x89PNG\r\n\x1a\n", "It cannot be read"),
        (b"GIF89a", "It cannot be read"),
    ],
    ids=["bomb", "text", "cut off", "only a head", "only a name"],
)
def test_a_picture_that_cannot_be_shown_has_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(PictureError, match=reason):
        read_picture(item(data))


@each_row("data", ["!!!", "aGk", "ä"])
def test_data_that_are_not_base64_have_a_reason(data: str) -> None:
    with pytest.raises(PictureError, match="It cannot be read"):
        read_picture({"type": "image", "mimeType": "image/png", "data": data})


def test_a_picture_of_many_bytes_is_not_decoded() -> None:
    with pytest.raises(PictureError, match=r"It has 10\.\d MB, and pictures above 10\.0 MB are not shown\."):
        read_picture({"type": "image", "mimeType": "image/png", "data": "A" * (14 * 1024 * 1024)})
