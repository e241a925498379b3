"""Catalogs: finding, reading, rendering and completing what is declared; and what differs between two of them."""

import itertools
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import Field

from server_core import Context, EmbeddedResource, Image
from server_core.authoring.app import MCPApp
from server_core.catalog.catalog import EMPTY, Catalog, diff
from server_core.errors import ProtocolError, ResourceNotFound, ToolInputError
from server_core.execution.prompts_and_resources import complete, get_prompt, read_resource
from server_core.protocol.codes import INVALID_PARAMS
from tests.server_core.ports import FakePort
from tests.tables import each_row


def built(app: MCPApp) -> Catalog:
    catalog, problems = app.build()
    assert [problem.message for problem in problems if problem.severity == "error"] == []
    return catalog


def errors(app: MCPApp) -> list[str]:
    return [item.message for item in app.build()[1] if item.severity == "error"]


CONTEXT = Context(FakePort(), 1)


def test_an_unknown_tool_is_an_error_with_a_similar_name() -> None:
    app = MCPApp("x", toolkit="")
    app.add_tool(lambda: None, name="add", desc="D.")
    with pytest.raises(ProtocolError, match=r"Unknown tool: 'ad'; did you mean 'add'\?") as caught:
        built(app).find_tool("ad")
    assert caught.value.code == INVALID_PARAMS
    with pytest.raises(ProtocolError, match=r"Unknown tool: 'ADD'; did you mean 'add'\?"):
        built(app).find_tool("ADD")
    with pytest.raises(ProtocolError, match="Unknown tool: 'zzz'; ask tools/list for the names"):
        EMPTY.find_tool("zzz")


def test_secrets_are_listed_with_the_tools_that_need_them() -> None:
    app = MCPApp("x", toolkit="")
    app.add_tool(lambda: None, name="a", requires_secrets=["Z", "K", "K"])
    app.add_tool(lambda: None, name="b", requires_secrets=["K"])
    assert dict(built(app).secrets) == {"K": ("a", "b"), "Z": ("a",)}


READ: list[tuple[Any, str | None, list[dict[str, Any]]]] = [
    ("text", None, [{"uri": "a://b", "text": "text"}]),
    ("text", "text/x", [{"uri": "a://b", "mimeType": "text/x", "text": "text"}]),
    (b"\xff", None, [{"uri": "a://b", "blob": "/w=="}]),
    ({"k": 1}, None, [{"uri": "a://b", "mimeType": "application/json", "text": '{"k": 1}'}]),
    ({"text": "t", "mimeType": "text/y"}, "text/x", [{"uri": "a://b", "mimeType": "text/y", "text": "t"}]),
    (
        [{"text": "1"}, {"blob": "Mg==", "uri": "a://c"}],
        None,
        [{"uri": "a://b", "text": "1"}, {"uri": "a://c", "blob": "Mg=="}],
    ),
    ([1, 2], None, [{"uri": "a://b", "mimeType": "application/json", "text": "[1, 2]"}]),
    (EmbeddedResource("a://c", "t", "text/z"), None, [{"uri": "a://c", "mimeType": "text/z", "text": "t"}]),
]


def returning(value: Any) -> Callable[[], Any]:
    """Return a function that returns a value."""
    return lambda: value


async def test_a_resource_may_return_anything() -> None:
    for value, mime_type, contents in READ:
        app = MCPApp("x", toolkit="")
        app.resource("a://b", mime_type=mime_type)(returning(value))
        assert await read_resource(built(app), "a://b", CONTEXT) == contents


async def test_a_template_gets_its_parts_as_typed_arguments_and_a_fixed_uri_wins() -> None:
    app = MCPApp("x", toolkit="")

    @app.resource("notes://{user}/{number}", meta={"k": 1})
    async def note(number: int, user: str, context: Context, sign: str = "!") -> str:
        return f"{user}{number + 1}{sign}{context.request_id}"

    @app.resource("files:///{path*}")
    def file(path: str) -> str:
        return path

    @app.resource("notes://ada/0")
    def fixed() -> str:
        return "fixed"

    catalog = built(app)
    (contents,) = await read_resource(catalog, "notes://b%C3%A4r/1", CONTEXT)
    assert contents == {"uri": "notes://b%C3%A4r/1", "_meta": {"k": 1}, "text": "bär2!1"}
    assert (await read_resource(catalog, "files:///a/b%20c", CONTEXT))[0]["text"] == "a/b c"
    assert (await read_resource(catalog, "notes://ada/0", CONTEXT))[0]["text"] == "fixed"
    with pytest.raises(ToolInputError, match="number: Input should be a valid integer"):
        await read_resource(catalog, "notes://ada/x", CONTEXT)
    assert catalog.templates[0].definition == {
        "uriTemplate": "notes://{user}/{number}",
        "name": "note",
        "_meta": {"k": 1},
    }


@pytest.mark.parametrize("uri", ["a://nothing", "notes://a/b/c", "", "xnotes://a/1", "notes://a/"])
async def test_an_unknown_resource_is_an_error_with_its_uri(uri: str) -> None:
    app = MCPApp("x", toolkit="")
    app.resource("notes://{user}/{number}")(_note)
    with pytest.raises(ResourceNotFound) as caught:
        await read_resource(built(app), uri, CONTEXT)
    assert (str(caught.value), caught.value.uri) == (f"Resource not found: {uri}", uri)


def _note(user: str, number: str) -> str:
    return ""


@each_row(
    ("uri", "message"),
    [
        ("notes://{user}/{number}/{more}", "does not accept the expression 'more'"),
        ("notes://{user}", "has no expression for the parameter 'number'"),
        ("{user}/{number}", "has no scheme"),
        ("notes://{user}/{number}/{", "has a brace that is not part"),
    ],
)
def test_a_uri_that_does_not_match_the_function_is_a_problem(uri: str, message: str) -> None:
    app = MCPApp("x", toolkit="")
    app.resource(uri)(_note)
    assert message in errors(app)[0]


async def test_a_prompt_gets_texts_as_typed_arguments_and_returns_messages() -> None:
    app = MCPApp("x", toolkit="")

    @app.prompt
    async def review(count: Annotated[int, "how many"], style: str | None = None, *, context: Context) -> Any:
        """Ask for a review.

        Args:
            style: which style
        """
        return [f"{count + 1} {style}", {"role": "assistant", "content": "ok"}, Image(b"x")]

    catalog = built(app)
    assert catalog.prompts["review"].definition == {
        "name": "review",
        "description": "Ask for a review.",
        "arguments": [
            {"name": "count", "description": "how many", "required": True},
            {"name": "style", "description": "which style", "required": False},
        ],
    }
    assert await get_prompt(catalog, "review", {"count": "2"}, CONTEXT) == {
        "description": "Ask for a review.",
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "3 None"}},
            {"role": "assistant", "content": {"type": "text", "text": "ok"}},
            {"role": "user", "content": {"type": "image", "data": "eA==", "mimeType": "image/png"}},
        ],
    }


async def test_a_prompt_that_cannot_be_rendered_reports_the_reason() -> None:
    app = MCPApp("x", toolkit="")

    @app.prompt
    def review(count: Annotated[int, Field(description="how many")]) -> str:
        return "x"

    @app.prompt
    def nonsense() -> Any:
        return 3

    catalog = built(app)
    assert catalog.prompts["review"].definition["arguments"][0]["description"] == "how many"
    with pytest.raises(ProtocolError, match="Prompt 'review' needs the argument 'count'"):
        await get_prompt(catalog, "review", {}, CONTEXT)
    with pytest.raises(ToolInputError, match="count: "):
        await get_prompt(catalog, "review", {"count": "x"}, CONTEXT)
    with pytest.raises(ProtocolError, match="Unknown prompt: 'revue'; did you mean 'review'"):
        await get_prompt(catalog, "revue", {}, CONTEXT)
    with pytest.raises(TypeError, match="a prompt's message must be text or content, not int"):
        await get_prompt(catalog, "nonsense", {}, CONTEXT)


def completing() -> Catalog:
    app = MCPApp("x", toolkit="")

    @app.prompt(completions={"city": lambda value: [item for item in ("Oslo", "Paris") if item.startswith(value)]})
    def travel(city: str, street: str = "") -> str:
        return city

    @app.completion("travel", "street")
    async def streets(value: str, known: dict[str, str], context: Context) -> list[str]:
        return [f"{known['city']} {number} {context.request_id}" for number in range(150)]

    @app.resource("notes://{user}")
    def note(user: str) -> str:
        return user

    @app.completion("notes://{user}", "user")
    def users(value: str) -> Any:
        return (name for name in ["ada"])

    app.resource("notes://fixed/one")(lambda: "")
    return built(app)


@pytest.mark.parametrize(
    ("ref", "argument", "completion"),
    [
        ({"type": "ref/prompt", "name": "travel"}, ("city", "P"), {"values": ["Paris"], "total": 1, "hasMore": False}),
        (
            {"type": "ref/resource", "uri": "notes://{user}"},
            ("user", ""),
            {"values": ["ada"], "total": 1, "hasMore": False},
        ),
        ({"type": "ref/resource", "uri": "notes://a"}, ("user", ""), {"values": ["ada"], "total": 1, "hasMore": False}),
        ({"type": "ref/resource", "uri": "notes://{user}"}, ("other", ""), {"values": []}),
        ({"type": "ref/resource", "uri": "notes://fixed/one"}, ("x", ""), {"values": []}),
    ],
)
async def test_arguments_are_completed(
    ref: dict[str, Any], argument: tuple[str, str], completion: dict[str, Any]
) -> None:
    name, value = argument
    assert await complete(completing(), ref, {"name": name, "value": value}, {}, CONTEXT) == {"completion": completion}


async def test_a_completion_knows_the_other_arguments_and_is_cut_at_a_hundred() -> None:
    ref = {"type": "ref/prompt", "name": "travel"}
    result = await complete(completing(), ref, {"name": "street", "value": ""}, {"city": "Oslo"}, CONTEXT)
    completion = result["completion"]
    assert completion["values"][:2] == ["Oslo 0 1", "Oslo 1 1"]
    assert (len(completion["values"]), completion["total"], completion["hasMore"]) == (100, 150, True)


@pytest.mark.parametrize(
    ("ref", "argument"),
    [
        ({"type": "ref/prompt", "name": "nothing"}, {"name": "a", "value": ""}),
        ({"type": "ref/resource", "uri": "nothing://"}, {"name": "a", "value": ""}),
        ({"type": "ref/other"}, {"name": "a", "value": ""}),
        ({}, {"name": "a", "value": ""}),
        ({"type": "ref/prompt", "name": "travel"}, {"name": 1, "value": ""}),
        ({"type": "ref/prompt", "name": "travel"}, {"name": "city"}),
    ],
)
async def test_invalid_completion_requests_are_refused(ref: dict[str, Any], argument: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError) as caught:
        await complete(completing(), ref, argument, {}, CONTEXT)
    assert caught.value.code == INVALID_PARAMS


@pytest.mark.parametrize(
    ("proposed", "completion"),
    [
        (itertools.count(), {"values": [str(number) for number in range(100)], "hasMore": True}),
        ((name for name in ("a", "b")), {"values": ["a", "b"], "total": 2, "hasMore": False}),
        (["x"] * 100, {"values": ["x"] * 100, "total": 100, "hasMore": False}),
        ([1, None], {"values": ["1", "None"], "total": 2, "hasMore": False}),
        ("Oslo", {"values": ["Oslo"], "total": 1, "hasMore": False}),
        (None, {"values": [], "total": 0, "hasMore": False}),
    ],
    ids=["without end", "generator", "a hundred", "no texts", "one text", "nothing"],
)
async def test_the_proposals_of_a_completion_become_a_list_of_texts(proposed: Any, completion: dict[str, Any]) -> None:
    app = MCPApp("x", toolkit="")

    @app.prompt(name="p", completions={"city": lambda value: proposed})
    def travel(city: str) -> str:
        return city

    ref = {"type": "ref/prompt", "name": "p"}
    assert await complete(built(app), ref, {"name": "city", "value": ""}, {}, CONTEXT) == {"completion": completion}


def test_a_completion_that_belongs_to_nothing_is_a_problem() -> None:
    app = MCPApp("x", toolkit="")
    app.prompt(completions={"nothing": lambda value: []})(_prompt)
    app.completion("missing", "a")(lambda value: [])
    app.prompt(name="other")(_prompt)
    app.completion("other", "b")(lambda value: [])
    app.completion("other", "a")(lambda: [])
    messages = errors(app)
    assert "There is no argument 'nothing' to complete." in messages[0]
    assert "matches no prompt and no resource template" in messages[1]
    assert "There is no argument 'b' to complete." in messages[2]
    assert "does not accept the text typed so far" in messages[3]


def _prompt(a: str) -> str:
    return a


def test_the_first_of_two_with_the_same_name_is_served_and_the_other_reported() -> None:
    app = MCPApp("x", toolkit="")
    for _ in range(2):
        app.resource("a://b")(lambda: "")
        app.resource("a://{part}")(lambda part: "")
        app.prompt(name="p")(_prompt)
        app.tool(name="t")(_prompt)
    messages = errors(app)
    doubles = [item for item in messages if "only the first is served" in item]
    assert [item.partition(". The first")[0] for item in doubles] == [
        "There are two resources 'a://b'",
        "There are two resource templates 'a://{part}'",
        "There are two prompts 'p'",
        "Tool 't' already exists in the catalog",
    ]


def test_options_that_make_no_sense_are_problems() -> None:
    for options, message in (
        ({"name": "has space"}, "Clients reject this name"),
        ({"name": "x" * 129}, "Clients reject this name"),
        ({"name": "näme"}, "Clients reject this name"),
        ({"requires_secrets": "KEY"}, "The secrets must be a list of keys"),
        ({"timeout": 0}, "The timeout 0 is not a number of seconds above zero"),
        ({"timeout": "3"}, "The timeout '3' is not a number"),
    ):
        app = MCPApp("x", toolkit="")
        app.tool(**options)(_prompt)
        assert message in errors(app)[0]


def test_a_definition_has_only_members_that_are_set() -> None:
    app = MCPApp("x", toolkit="")

    @app.tool(
        name="data.fetch-it",
        title="Fetch",
        desc="Fetch it.",
        annotations={"readOnlyHint": True},
        meta={"k": 1},
        icons=[{"src": "https://a.example/i.png"}],
    )
    def fetch() -> str:
        return ""

    @app.tool
    def bare() -> None: ...

    catalog = built(app)
    assert catalog.tools["data.fetch-it"].definition == {
        "name": "data.fetch-it",
        "title": "Fetch",
        "description": "Fetch it.",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        "annotations": {"title": "Fetch", "readOnlyHint": True},
        "icons": [{"src": "https://a.example/i.png"}],
        "_meta": {"k": 1},
    }
    assert set(catalog.tools["bare"].definition) == {"name", "inputSchema"}
    assert fetch() == ""


def test_changes_are_those_that_clients_see() -> None:
    def catalog(*names: str, description: str = "D.") -> Catalog:
        app = MCPApp("x", toolkit="")
        for name in names:
            app.tool(name=name, desc=description)(_prompt)
            app.resource(f"{name}://x", name=name)(lambda: "")
            app.prompt(name=name, description=description)(_prompt)
        return built(app)

    assert not diff(catalog("a"), catalog("a"))
    changes = diff(catalog("a", "b"), catalog("b", "c"))
    assert changes
    assert changes.to_json() == {
        "tools": {"added": ["c"], "removed": ["a"], "changed": []},
        "resources": {"added": ["c://x"], "removed": ["a://x"], "changed": []},
        "prompts": {"added": ["c"], "removed": ["a"], "changed": []},
    }
    assert diff(catalog("a"), catalog("a", description="Other.")).tools.changed == ("a",)
