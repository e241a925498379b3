"""Resources and templates: how their functions are written, and what is wrong with them."""

import asyncio
from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import AnyUrl, BaseModel

from server_core import Annotations, Audio, BlobResourceContents, Context, Image, MCPApp, TextResourceContents
from server_core.errors import ResourceNotFound, ToolInputError
from server_core.execution.prompts_and_resources import complete, read_resource
from server_core.types import ResourceContents
from tests.server_core.catalog.building.built import catalog_of
from tests.server_core.ports import FakePort
from tests.tables import each_row

pytestmark = pytest.mark.promises("resources and prompts")
CONTEXT = Context(FakePort(), 1)


async def read(app: MCPApp, uri: str) -> Any:
    """The text of one content of the resource."""
    (contents,) = await read_resource(catalog_of(app), uri, CONTEXT)
    return contents.get("text", contents.get("blob"))


def plain(uri: str) -> str:
    return f"plain {uri}"


async def asynchronous(uri: str) -> str:
    await asyncio.sleep(0)
    return f"async {uri}"


def with_context(context: Context, where: str) -> str:
    return f"{context.request_id} {where}"


def typed(url: AnyUrl) -> str:
    return f"{url.host}"


class Reader:
    """An object that can be called."""

    def read(self, uri: str) -> str:
        return f"method {uri}"

    def __call__(self, uri: str) -> str:
        return f"object {uri}"


async def test_a_function_gets_the_uri_as_its_first_parameter_or_not_at_all() -> None:
    for handler, text in (
        (plain, "plain kb://a"),
        (asynchronous, "async kb://a"),
        (with_context, "1 kb://a"),
        (typed, "a"),
        (lambda uri: f"lambda {uri}", "lambda kb://a"),
        (lambda: "no parameter", "no parameter"),
        (lambda uri="default": uri, "default"),
        (Reader(), "object kb://a"),
        (Reader().read, "method kb://a"),
        (partial(plain), "plain kb://a"),
    ):
        app = MCPApp("kb")
        app.add_resource("kb://a", handler=handler)
        assert await read(app, "kb://a") == text


async def test_a_template_gets_the_uri_first_and_its_parts_by_their_names() -> None:
    app = MCPApp("kb")

    @app.resource("kb://categories/{category}/articles/{slug}")
    def article(uri: str, slug: str, category: int) -> str:
        return f"{uri} {category + 1} {slug}"

    @app.resource("kb://docs/{path*}")
    async def docs(context: Context, uri: str, path: str) -> str:
        return f"{context.request_id} {uri} {path}"

    @app.resource("kb://people/{uri}")
    def person(uri: str) -> str:
        return uri

    assert await read(app, "kb://categories/1/articles/b") == "kb://categories/1/articles/b 2 b"
    assert await read(app, "kb://docs/guides/setup/linux") == "1 kb://docs/guides/setup/linux guides/setup/linux"
    assert await read(app, "kb://people/ada") == "ada"


async def test_a_fixed_uri_wins_over_a_template_and_a_part_has_no_slash() -> None:
    app = MCPApp("kb")
    app.add_resource("kb://articles/{slug}", handler=lambda uri, slug: f"template {slug}")
    app.add_text_resource("kb://articles/index", text="fixed")
    assert await read(app, "kb://articles/index") == "fixed"
    assert await read(app, "kb://articles/other") == "template other"
    with pytest.raises(ResourceNotFound, match="Resource not found: kb://articles/a/b"):
        await read(app, "kb://articles/a/b")


async def test_a_part_that_does_not_match_its_type_is_reported_by_its_name() -> None:
    app = MCPApp("kb")
    app.add_resource("kb://{number}", handler=_numbered)
    with pytest.raises(ToolInputError, match="number: Input should be a valid integer"):
        await read(app, "kb://many")


def _numbered(uri: str, number: int) -> str:
    return f"{number}"


def _second(uri: str, other: str) -> str:
    return other


def _number_first(number: int) -> str:
    return f"{number}"


@each_row(
    ("uri", "function", "message"),
    [
        ("kb://a", _second, "The URI has no expression for the parameter 'other'."),
        ("kb://a", _number_first, "The URI has no expression for the parameter 'number'."),
        ("kb://{slug}", plain, "The function does not accept the expression 'slug' of the URI."),
        ("kb", plain, "The URI 'kb' has no scheme."),
    ],
)
def test_a_function_that_cannot_be_called_is_a_problem(uri: str, function: Any, message: str) -> None:
    app = MCPApp("kb")
    app.add_resource(uri, handler=function)
    _, (problem,) = app.build()
    assert message in problem.message
    assert problem.severity == "error"


class Article(BaseModel):
    """A value of the author's."""

    title: str
    pages: int | None = None


class Foreign(BaseModel):
    """Contents as another library has them."""

    uri: AnyUrl
    mimeType: str | None = None
    text: str


URI = "kb://a"


def returning(value: Any) -> Callable[[str], Any]:
    """Return a resource's function that returns a value."""
    return lambda uri: value


async def test_any_result_of_a_function_becomes_contents() -> None:
    for value, contents in (
        ("t", [{"text": "t"}]),
        ("", [{"text": ""}]),
        (b"\x00\x01", [{"blob": "AAE="}]),
        (bytearray(b"\x00"), [{"blob": "AA=="}]),
        ({"text": "t"}, [{"text": "t"}]),
        ({"blob": "AAE=", "mimeType": "image/x"}, [{"mimeType": "image/x", "blob": "AAE="}]),
        ({"blob": b"\x00\x01"}, [{"blob": "AAE="}]),
        ({"text": 3}, [{"mimeType": "application/json", "text": '{"text": 3}'}]),
        ({"ü": [1]}, [{"mimeType": "application/json", "text": '{"ü": [1]}'}]),
        (Article(title="T"), [{"mimeType": "application/json", "text": '{"title": "T", "pages": null}'}]),
        (Foreign(uri=AnyUrl("kb://b"), text="t"), [{"uri": "kb://b", "text": "t"}]),
        (TextResourceContents(uri="kb://b", text="t"), [{"uri": "kb://b", "text": "t"}]),
        (
            [TextResourceContents(uri=URI, text="t"), BlobResourceContents(uri="kb://c", blob="AA==")],
            [{"text": "t"}, {"uri": "kb://c", "blob": "AA=="}],
        ),
        ((TextResourceContents(text="1"), {"text": "2"}), [{"text": "1"}, {"text": "2"}]),
        (ResourceContents(text="t", mime_type="text/x"), [{"mimeType": "text/x", "text": "t"}]),
        (Image(b"\x00", "image/x"), [{"mimeType": "image/x", "blob": "AA=="}]),
        ([Audio(b"\x00", "audio/x")], [{"mimeType": "audio/x", "blob": "AA=="}]),
        (["a", "b"], [{"mimeType": "application/json", "text": '["a", "b"]'}]),
        ([], [{"mimeType": "application/json", "text": "[]"}]),
    ):
        app = MCPApp("kb")
        app.add_resource(URI, handler=returning(value))
        assert await read_resource(catalog_of(app), URI, None) == [{"uri": URI, **item} for item in contents]


async def test_options_of_a_resource_are_listed_and_its_type_and_meta_are_in_its_contents() -> None:
    app = MCPApp("kb")

    @app.resource(
        "kb://pinned",
        name="Pinned",
        title="Pinned announcement",
        description="D.",
        mime_type="text/plain",
        annotations=Annotations(audience=["user"], priority=1.0),
        meta={"tags": ["api"]},
        icons=[{"src": "https://kb.example/i.png"}],
        size=4,
    )
    def pinned(uri: str) -> str:
        return "text"

    catalog = catalog_of(app)
    assert catalog.resources["kb://pinned"].definition == {
        "uri": "kb://pinned",
        "name": "Pinned",
        "title": "Pinned announcement",
        "description": "D.",
        "mimeType": "text/plain",
        "size": 4,
        "annotations": {"audience": ["user"], "priority": 1.0},
        "icons": [{"src": "https://kb.example/i.png"}],
        "_meta": {"tags": ["api"]},
    }
    assert await read_resource(catalog, "kb://pinned", None) == [
        {"uri": "kb://pinned", "mimeType": "text/plain", "text": "text", "_meta": {"tags": ["api"]}}
    ]


def test_a_function_may_read_several_resources_that_have_nothing_else_in_common() -> None:
    app = MCPApp("kb")
    app.add_resource("kb://1", handler=plain, description="One.", mime_type="text/x")
    app.add_resource("kb://2", handler=plain)
    assert [resource.definition for resource in catalog_of(app).resources.values()] == [
        {"uri": "kb://1", "name": "kb://1", "description": "One.", "mimeType": "text/x"},
        {"uri": "kb://2", "name": "kb://2"},
    ]


class Color(Enum):
    """Values that are no texts, too."""

    RED = "red"
    ROSE = "rose"
    FOUR = 4


async def test_parts_that_are_a_choice_are_completed_without_the_author_writing_anything() -> None:
    app = MCPApp("kb")

    @app.resource("kb://{color}/{kind}/{bold}/{other}", completions={"kind": lambda value: ["own"]})
    def shade(color: Color, kind: Literal["a", 1] | None, bold: bool, other: str) -> str:
        return f"{color} {kind!r} {bold} {other}"

    async def proposed(part: str, value: str) -> Any:
        ref = {"type": "ref/resource", "uri": "kb://{color}/{kind}/{bold}/{other}"}
        result = await complete(catalog_of(app), ref, {"name": part, "value": value}, {}, None)
        return result["completion"]["values"]

    assert await proposed("color", "R") == ["red", "rose"]
    assert await proposed("color", "4") == ["4"]
    assert await proposed("kind", "") == ["own"]
    assert await proposed("bold", "") == ["true", "false"]
    assert await proposed("other", "") == []
    assert await read(app, "kb://4/1/true/x") == "Color.FOUR 1 True x"


def test_files_to_watch_are_seen_from_the_file_of_the_author() -> None:
    app = MCPApp("kb")
    app.resource("kb://a", watch=["notes/*.md", "/etc/motd", Path("b.txt")])(plain)
    here = Path(__file__).parent
    assert catalog_of(app).resources["kb://a"].watch == (f"{here}/notes/*.md", "/etc/motd", f"{here}/b.txt")


@each_row(
    ("watch", "message"),
    [
        (["**/*.md"], "has wildcards in a folder: folder trees are not watched."),
        (["/var/*/log"], "has wildcards in a folder"),
        ([3], "The files to watch must be paths."),
    ],
)
def test_whole_trees_and_invalid_paths_are_not_watched(watch: Any, message: str) -> None:
    app = MCPApp("kb")
    app.resource("kb://a", watch=watch)(plain)
    _, (problem,) = app.build()
    assert message in problem.message


def test_a_single_path_to_watch_needs_no_list() -> None:
    app = MCPApp("kb")
    app.resource("kb://a", watch="a.md")(plain)
    assert catalog_of(app).resources["kb://a"].watch == (str(Path(__file__).parent / "a.md"),)
