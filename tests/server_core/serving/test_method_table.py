"""Answers in every revision: the same server, in the terms of each client."""

from typing import Annotated, Any

import pytest

from server_core import Audio, Header, MCPApp, ResourceLink
from server_core.catalog.content import text_block
from server_core.protocol.envelope import CLIENT_CAPABILITIES, PROTOCOL_VERSION, SERVER_INFO
from server_core.protocol.revisions import HANDSHAKE_REVISIONS, REVISIONS, Revision
from server_core.records.tap import Tap
from server_core.serving.server import Server
from server_core.settings import Settings
from tests.server_core.toolkit import INITIALIZED, RecordingOutlet, call, generation, initialize, secret_values
from tests.tables import each_row
from tests.waiting import until

SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "if": {}, "$defs": {"a": {}}}

ICONS = [{"src": "https://studio.example/icon.png"}]


def studio() -> MCPApp:
    app = MCPApp("studio", "1.0.0", title="The studio", website_url="https://studio.example", icons=ICONS, toolkit="")

    @app.tool(title="Record", annotations={"readOnlyHint": True}, execution={"taskSupport": "optional"})
    def record(where: Annotated[str, Header("Where")] = "here") -> list[Any]:
        """Record something."""
        return ["done", Audio(b"wav"), ResourceLink("studio://tape", "tape")]

    @app.tool(input_schema=SCHEMA, output_schema={"type": "array"})
    def given(**arguments: Any) -> list[str]:
        """Sort names."""
        return sorted(arguments)

    @app.prompt(title="Listen")
    def listen(to: str) -> list[Any]:
        """Listen."""
        return [ResourceLink(f"studio://{to}", to)]

    @app.completion("listen", "to")
    def tapes(value: str, known: dict[str, str]) -> list[str]:
        return [value, *known.values()]

    return app


class Client:
    """A client of one revision; in each it asks with the same words."""

    def __init__(self, revision: Revision) -> None:
        app = studio()
        catalog, problems = app.build()
        assert problems == ()
        server = Server(Tap(), Settings(page_size=1), secret_values, app.identity)
        server.swap(generation(catalog, app))
        self.outlet = RecordingOutlet()
        self._session = server.open_session(self.outlet, "test")
        self._meta: dict[str, Any] = {}
        if revision.stateless:
            self._meta = {"_meta": {PROTOCOL_VERSION: revision.date, CLIENT_CAPABILITIES: {}}}
        else:
            self._session.receive(initialize(revision.date))
            self._session.receive(INITIALIZED)
        self._count = 0

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        request_id = f"ask {self._count}"
        self._session.receive(call(request_id, method, **params, **self._meta))
        await until(lambda: any(message.get("id") == request_id for message in self.outlet.sent))
        (message,) = (message for message in self.outlet.sent if message.get("id") == request_id)
        result = message["result"]
        assert isinstance(result, dict)
        return result

    async def tools(self) -> list[dict[str, Any]]:
        """All tools, page by page."""
        page = await self.ask("tools/list")
        tools = list(page["tools"])
        while "nextCursor" in page:
            page = await self.ask("tools/list", cursor=page["nextCursor"])
            tools += page["tools"]
        return tools


each_revision = pytest.mark.parametrize("revision", REVISIONS.values(), ids=list(REVISIONS))


@each_revision
async def test_tools_are_listed_with_the_members_of_the_revision(revision: Revision) -> None:
    record, given = await Client(revision).tools()
    assert ("title" in record) == revision.titles
    assert ("annotations" in record) == revision.annotations
    assert ("execution" in record) == revision.core_tasks
    assert ("outputSchema" in given) == revision.any_structured_content
    assert given["inputSchema"] == SCHEMA
    assert record["inputSchema"]["properties"]["where"]["x-mcp-header"] == "Where"


@each_row("date", HANDSHAKE_REVISIONS)
def test_a_server_describes_itself_with_the_members_of_the_revision(date: str) -> None:
    revision = HANDSHAKE_REVISIONS[date]
    result = Client(revision).outlet.sent[0]["result"]["serverInfo"]
    assert result["name"] == "studio"
    assert ("title" in result) == revision.titles
    assert ("icons" in result) == ("websiteUrl" in result) == revision.icons


@each_revision
async def test_the_result_of_a_call_has_the_content_that_the_revision_has(revision: Revision) -> None:
    result = await Client(revision).ask("tools/call", name="record")
    kinds = [block["type"] for block in result["content"]]
    audio, link = "audio" if revision.audio else "resource", "resource_link" if revision.resource_links else "text"
    assert kinds == ["text", audio, link]


@each_revision
async def test_structured_content_that_is_no_object_is_sent_as_text_as_well(revision: Revision) -> None:
    result = await Client(revision).ask("tools/call", name="given", arguments={"b": 1, "a": 2})
    assert result["content"] == [text_block('["a", "b"]')]
    assert result.get("structuredContent") == (["a", "b"] if revision.any_structured_content else None)


@each_revision
async def test_a_prompt_has_the_content_that_the_revision_has(revision: Revision) -> None:
    client = Client(revision)
    (message,) = (await client.ask("prompts/get", name="listen", arguments={"to": "tape"}))["messages"]
    assert message["content"]["type"] == ("resource_link" if revision.resource_links else "text")
    (prompt,) = (await client.ask("prompts/list"))["prompts"]
    assert ("title" in prompt) == revision.titles


@each_revision
async def test_a_completion_gets_the_other_arguments_where_the_revision_has_them(revision: Revision) -> None:
    result = await Client(revision).ask(
        "completion/complete",
        ref={"type": "ref/prompt", "name": "listen"},
        argument={"name": "to", "value": "t"},
        context={"arguments": {"by": "Ada"}},
    )
    assert result["completion"]["values"] == (["t", "Ada"] if revision.completion_context else ["t"])


@each_revision
async def test_every_page_of_a_list_has_the_members_of_results_in_the_revision(revision: Revision) -> None:
    client = Client(revision)
    first = await client.ask("tools/list")
    last = await client.ask("tools/list", cursor=first["nextCursor"])
    for page in (first, last):
        facts = {name: value for name, value in page.items() if name not in ("tools", "nextCursor")}
        assert facts == (
            {
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {
                    SERVER_INFO: {
                        "name": "studio",
                        "version": "1.0.0",
                        "title": "The studio",
                        "websiteUrl": "https://studio.example",
                        "icons": ICONS,
                    }
                },
            }
            if revision.stateless
            else {}
        )
