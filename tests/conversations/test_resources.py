"""Resources and prompts of an app, in both eras: read, watched, completed, changed meanwhile."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from server_core import Annotations, MCPApp
from server_core.core import Core
from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS, RESOURCE_NOT_FOUND
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, Revision
from server_core.serving.server import Server
from server_core.types import PromptArgument, PromptMessage
from tests.conversations.conftest import TRANSPORTS, World, ways
from tests.conversations.workshop import workshop
from tests.waiting import until, within

pytestmark = pytest.mark.promises("resources and prompts")

WAYS = ways(lambda revision: revision in (LATEST, LATEST_STATELESS))
everywhere = pytest.mark.parametrize(
    ("transport", "revision"), WAYS, ids=[f"{revision.date}-{name}" for name, revision in WAYS]
)


class Library:
    """An app as one of Arcade's authors writes it, and its files."""

    def __init__(self, folder: Path) -> None:
        self.app = app = MCPApp("library", "1.0.0")
        self.config = folder / "config.toml"
        self.config.write_text("a = 1")
        self.notes = folder / "notes"
        self.notes.mkdir()

        app.add_text_resource("kb://readme", text="Welcome.", name="README", description="Welcome text")
        app.add_file_resource("kb://config", path=self.config, name="Config", mime_type="text/plain")
        app.add_file_resource("kb://missing", path=folder / "missing")
        app.add_resource("kb://categories", name="Categories", handler=self.categories, mime_type="application/json")

        @app.resource(
            "kb://pinned",
            name="Pinned",
            title="Pinned announcement",
            mime_type="text/plain",
            annotations=Annotations(audience=["user"], priority=1.0),
            meta={"reviewed": True},
        )
        async def pinned(uri: str) -> dict[str, str]:
            """The announcement that is pinned."""
            return {"text": "All hands on Friday."}

        @app.resource("kb://logo", mime_type="image/png")
        def logo(uri: str) -> bytes:
            """The logo."""
            return b"\x89PNG"

        @app.resource("kb://docs/{path*}", mime_type="text/plain")
        def docs(uri: str, path: str) -> str:
            """A page of the documentation."""
            return f"{uri} is {path}"

        @app.resource("kb://notes/{name}", watch=[self.notes / "*.md"])
        def note(name: str) -> str:
            """A note."""
            return (self.notes / f"{name}.md").read_text()

        @app.prompt(
            title="Request a review",
            arguments=[PromptArgument(name="code", description="The code.", required=True)],
        )
        def review(args: dict[str, str]) -> list[PromptMessage]:
            """Ask for a review."""
            return [PromptMessage(role="user", content={"type": "text", "text": f"Review {args['code']}"})]

        @app.prompt
        def letter(count: Annotated[int, "How many."], tone: Literal["kind", "keen"] = "kind") -> str:
            """Write letters."""
            return f"Write {count + 1} {tone} letters."

        @app.completion("kb://docs/{path*}", "path")
        def paths(value: str) -> list[str]:
            return [name for name in ("guides/setup", "guides/use", "news") if name.startswith(value)]

    def categories(self, uri: str) -> list[str]:
        """The categories."""
        return ["a", "b"]


@asynccontextmanager
async def served(transport: str, revision: Revision, folder: Path) -> AsyncIterator[tuple[World, Library]]:
    """Serve the library, and what is changed of it, over a transport."""
    library = Library(folder)
    core = Core(app=library.app, capture=False, link=False)
    await within(core.start())
    await within(core.wait_loaded())
    assert isinstance(core.server, Server)
    try:
        async with TRANSPORTS[transport](core.server, folder) as dial:
            world = World(workshop(), core.server, dial, transport, revision)
            try:
                yield world, library
            finally:
                await world.close()
    finally:
        await within(core.stop())


@everywhere
async def test_resources_are_listed_and_read_as_their_authors_wrote_them(
    transport: str, revision: Revision, tmp_path: Path
) -> None:
    async with served(transport, revision, tmp_path) as (world, _):
        client = await world.open()
        listed = {resource["uri"]: resource for resource in await within(client.list_resources())}
        assert listed["kb://pinned"] == {
            "uri": "kb://pinned",
            "name": "Pinned",
            "title": "Pinned announcement",
            "description": "The announcement that is pinned.",
            "mimeType": "text/plain",
            "annotations": {"audience": ["user"], "priority": 1.0},
            "_meta": {"reviewed": True},
        }
        templates = await within(client.list_resource_templates())
        assert [template["uriTemplate"] for template in templates] == ["kb://docs/{path*}", "kb://notes/{name}"]

        async def read(uri: str) -> Any:
            return (await within(client.read_resource(uri)))["contents"]

        assert await read("kb://readme") == [{"uri": "kb://readme", "mimeType": "text/plain", "text": "Welcome."}]
        assert await read("kb://config") == [{"uri": "kb://config", "mimeType": "text/plain", "text": "a = 1"}]
        assert await read("kb://categories") == [
            {"uri": "kb://categories", "mimeType": "application/json", "text": '["a", "b"]'}
        ]
        assert await read("kb://logo") == [{"uri": "kb://logo", "mimeType": "image/png", "blob": "iVBORw=="}]
        (contents,) = await read("kb://pinned")
        assert (contents["text"], contents["_meta"]) == ("All hands on Friday.", {"reviewed": True})
        (contents,) = await read("kb://docs/guides/setup/linux")
        assert contents["text"] == "kb://docs/guides/setup/linux is guides/setup/linux"


@everywhere
async def test_missing_resources_are_refused_with_the_code_of_the_revision(
    transport: str, revision: Revision, tmp_path: Path
) -> None:
    async with served(transport, revision, tmp_path) as (world, _):
        client = await world.open()
        for uri in ("kb://nothing", "kb://missing"):
            with pytest.raises(ProtocolError, match=f"Resource not found: {uri}") as refused:
                await within(client.read_resource(uri))
            assert refused.value.code == (INVALID_PARAMS if revision.stateless else RESOURCE_NOT_FOUND)
            assert refused.value.data == {"uri": uri}
        for name, arguments, message in (
            ("unknown", {}, "Unknown prompt: 'unknown'"),
            ("review", {}, "needs the argument 'code'"),
            ("letter", {"count": "many"}, "count: Input should be a valid integer"),
        ):
            with pytest.raises(ProtocolError, match=message) as refused:
                await within(client.get_prompt(name, arguments))
            assert refused.value.code == INVALID_PARAMS


@everywhere
async def test_prompts_accept_their_arguments_by_type_or_all_at_once_and_complete_them(
    transport: str, revision: Revision, tmp_path: Path
) -> None:
    async with served(transport, revision, tmp_path) as (world, _):
        client = await world.open()
        review, letter = await within(client.list_prompts())
        assert review["arguments"] == [{"name": "code", "description": "The code.", "required": True}]
        assert [(argument["name"], argument["required"]) for argument in letter["arguments"]] == [
            ("count", True),
            ("tone", False),
        ]
        for name, arguments, text in (
            ("review", {"code": "x = 1"}, "Review x = 1"),
            ("letter", {"count": "2", "tone": "keen"}, "Write 3 keen letters."),
        ):
            result = await within(client.get_prompt(name, arguments))
            assert result["messages"] == [{"role": "user", "content": {"type": "text", "text": text}}]
        for ref, argument, value, values in (
            ({"type": "ref/prompt", "name": "letter"}, "tone", "ke", ["keen"]),
            ({"type": "ref/resource", "uri": "kb://docs/{path*}"}, "path", "guides", ["guides/setup", "guides/use"]),
        ):
            completed = await within(client.complete(ref, {"name": argument, "value": value}))
            assert completed["completion"]["values"] == values


def updates(world: World) -> list[str]:
    """Return the URIs of which the client was notified."""
    return [params["uri"] for params in world.witness.params_of("notifications/resources/updated")]


@everywhere
async def test_subscribers_are_notified_when_a_file_changes(transport: str, revision: Revision, tmp_path: Path) -> None:
    async with served(transport, revision, tmp_path) as (world, library):
        client = await world.open()
        for uri in ("kb://config", "kb://notes/one"):
            await within(client.subscribe(uri))
        (tmp_path / "unrelated").write_text("x")
        library.config.write_text("a = 22")
        await until(lambda: updates(world) == ["kb://config"])
        assert (await within(client.read_resource("kb://config")))["contents"][0]["text"] == "a = 22"
        (library.notes / "one.md").write_text("One.")
        await until(lambda: updates(world) == ["kb://config", "kb://notes/one"])
        library.app.resources.updated("kb://config")
        await until(lambda: len(updates(world)) == 3)


Change = Callable[[MCPApp], Any]
CHANGES: dict[str, tuple[Change, Change, Change]] = {
    "resources": (
        lambda app: app.add_text_resource("kb://new", text="N", title="Old"),
        lambda app: app.resources.update(lambda uri: "N", uri="kb://new", title="New"),
        lambda app: app.resources.remove("kb://new"),
    ),
    "prompts": (
        lambda app: app.prompts.add(lambda: "N", name="new", title="Old"),
        lambda app: app.prompts.update(lambda: "N", name="new", title="New"),
        lambda app: app.prompts.remove("new"),
    ),
}


@everywhere
@pytest.mark.parametrize("kind", CHANGES)
async def test_additions_updates_and_removals_are_notified(
    transport: str, revision: Revision, kind: str, tmp_path: Path
) -> None:
    async with served(transport, revision, tmp_path) as (world, library):
        client = await world.open(listen=True)
        if revision.stateless:
            await until(lambda: len(world.server.listeners))

        async def titles() -> list[str]:
            listing = client.list_resources if kind == "resources" else client.list_prompts
            return [item["title"] for item in await within(listing(fresh=True)) if item.get("title") in ("Old", "New")]

        for count, (change, after) in enumerate(zip(CHANGES[kind], (["Old"], ["New"], []), strict=True), 1):
            change(library.app)
            await until(lambda count=count: len(world.witness.params_of(f"notifications/{kind}/list_changed")) == count)
            assert await titles() == after
