"""Resources of every kind are listed and read; tools name the page that shows their results."""

import json
from pathlib import Path

import pytest

from tests.examples import resources
from workbench.testing import Client, RequestFailed, ToolFailed

pytestmark = pytest.mark.promises("resources and prompts")

FIXED = [
    "kb://articles/index",
    "kb://categories",
    "kb://readme",
    "kb://config/source",
    "kb://branding/logo",
    "kb://announcements/pinned",
    "kb://articles/api-guidelines/metadata",
    "kb://status",
    "ui://resources/mcp-app.html",
]
FAMILIES = ["kb://articles/{slug}", "kb://categories/{category}/articles/{slug}", "kb://docs/{path*}"]


async def test_all_are_listed(revision: str) -> None:
    async with Client(resources.app, revision=revision) as client:
        listed = {item["uri"]: item for item in await client.list_resources()}
        families = await client.list_resource_templates()
    assert list(listed) == FIXED
    assert [item["uriTemplate"] for item in families] == FAMILIES
    assert listed["kb://announcements/pinned"]["annotations"] == {"audience": ["user"], "priority": 1.0}
    assert listed["kb://articles/api-guidelines/metadata"]["_meta"] == {"reviewed": True}
    assert listed["kb://readme"]["mimeType"] == "text/plain"


async def test_text_is_read(revision: str) -> None:
    async with Client(resources.app, revision=revision) as client:

        async def read(uri: str) -> str:
            return (await client.read_resource(uri)).text

        assert json.loads(await read("kb://articles/index")) == ["api-guidelines", "getting-started"]
        assert json.loads(await read("kb://categories")) == ["engineering", "onboarding"]
        assert await read("kb://readme") == "Everything that we know."
        assert await read("kb://config/source") == Path(resources.__file__).read_text()
        assert await read("kb://announcements/pinned") == "There is cake on Friday."
        assert json.loads(await read("kb://articles/api-guidelines/metadata"))["author"] == "platform-team"
        assert json.loads(await read("kb://status"))["healthy"]


async def test_bytes_are_read(revision: str) -> None:
    async with Client(resources.app, revision=revision) as client:
        logo = await client.read_resource("kb://branding/logo")
    assert (logo.data, logo.mime_type) == (resources.DOT, "image/gif")


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("kb://articles/getting-started", '"Getting started"'),
        ("kb://articles/nothing", "There is no article 'nothing'."),
        ("kb://categories/engineering/articles/api-guidelines", '"Guidelines for APIs"'),
        ("kb://categories/engineering/articles/getting-started", "Not in 'engineering'."),
        ("kb://docs/guides/setup/linux", "The page at guides/setup/linux."),
    ],
)
async def test_a_resource_of_a_family_is_read(uri: str, text: str, revision: str) -> None:
    async with Client(resources.app, revision=revision) as client:
        assert text in (await client.read_resource(uri)).text


async def test_an_unknown_resource_is_refused(revision: str) -> None:
    async with Client(resources.app, revision=revision) as client:
        with pytest.raises(RequestFailed, match="kb://nothing"):
            await client.read_resource("kb://nothing")


async def test_tools_name_the_page_that_shows_their_results(revision: str) -> None:
    async with Client(resources.app, revision=revision) as client:
        tools = await client.list_tools()
        page = await client.read_resource(resources.PAGE)
    assert [item["_meta"]["ui"] for item in tools] == [{"resourceUri": resources.PAGE}] * 2
    assert page.mime_type == "text/html;profile=mcp-app"
    assert page.text.startswith("<!doctype html>")


async def test_articles_are_read_and_searched(revision: str) -> None:
    started = {
        "slug": "getting-started",
        "title": "Getting started",
        "author": {"name": "docs-team", "team": "Knowledge"},
    }
    async with Client(resources.app, revision=revision) as client:
        assert (await client.call("Resources_GetArticle", slug="getting-started")).structured == started
        result = await client.call("Resources_SearchArticles", query="START")
        assert result.structured == {"query": "START", "matches": [started]}
        with pytest.raises(ToolFailed, match="no article"):
            await client.call("Resources_GetArticle", slug="nothing")
