"""Content of results as files."""

from typing import Any

from tests.tables import each_row
from workbench.model.saved_content import content_of_item, content_of_result

PNG = {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}
TEXT = {"type": "text", "text": "soup"}


@each_row(
    ("item", "name", "data"),
    [
        (TEXT, "result.txt", b"soup"),
        (PNG, "image.png", b"hello"),
        ({"type": "audio", "mimeType": "odd", "data": "aGVsbG8="}, "audio.bin", b"hello"),
        ({"type": "resource", "resource": {"uri": "demo://a/../.b c.txt", "text": "x"}}, "b_c.txt", b"x"),
        ({"uri": "demo://", "blob": "aGVsbG8="}, "resource.bin", b"hello"),
    ],
)
def test_each_content_has_a_name_and_its_bytes(item: dict[str, Any], name: str, data: bytes) -> None:
    content = content_of_item(item)
    assert content is not None
    assert (content.name, content.data) == (name, data)


@each_row("data", ["", "not base64!", None, 3])
def test_content_that_is_no_base64_is_no_file(data: Any) -> None:
    assert content_of_item(PNG | {"data": data}) is None


@each_row(
    ("result", "data"),
    [
        ({"content": [TEXT, PNG]}, b"hello"),
        ({"content": [TEXT, TEXT]}, b"soup\nsoup"),
        ({"content": [TEXT, PNG, PNG]}, b"soup"),
        ({"structuredContent": [1]}, b"[\n  1\n]"),
        ({"contents": [{"uri": "demo://a", "text": "x"}]}, b"x"),
    ],
)
def test_a_result_is_its_only_file_else_its_text(result: dict[str, Any], data: bytes) -> None:
    content = content_of_result(result)
    assert content is not None
    assert content.data == data


def test_an_empty_result_is_no_file() -> None:
    assert content_of_result({"content": []}) is None


def test_only_types_that_run_no_program_are_opened() -> None:
    types = ("image/png", "image/svg+xml", "text/html", "application/x-sh")
    contents = [content_of_item(PNG | {"mimeType": mime_type}) for mime_type in types]
    assert [content is not None and content.is_viewed for content in contents] == [True, False, False, False]
