"""Everything that a resource can be: fixed or made when it is read, text or bytes, single or a family.

Two tools show their results in a page, which is a resource as well.
"""

import base64
import json
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from server_core import Annotations, MCPApp

app = MCPApp("resources", version="1.0.0")

JSON = "application/json"
PAGE = "ui://resources/mcp-app.html"
DOT = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")

ARTICLES = {
    "getting-started": {"title": "Getting started", "category": "onboarding", "author": "docs-team"},
    "api-guidelines": {"title": "Guidelines for APIs", "category": "engineering", "author": "platform-team"},
}


class Author(TypedDict):
    """Who wrote an article."""

    name: str
    team: str


class Article(TypedDict):
    """An article."""

    slug: str
    title: str
    author: Author


class SearchResult(TypedDict):
    """The articles that fit."""

    query: str
    matches: list[Article]


@app.resource("kb://articles/index", name="Article Index", mime_type=JSON)
def article_index(uri: str) -> str:
    """All articles."""
    return json.dumps(sorted(ARTICLES))


app.add_resource(
    "kb://categories",
    name="Categories",
    description="What the articles are about",
    mime_type=JSON,
    handler=lambda uri: json.dumps(sorted({article["category"] for article in ARTICLES.values()})),
)
app.add_text_resource("kb://readme", text="Everything that we know.", name="README", description="Where to begin")
app.add_file_resource("kb://config/source", path=Path(__file__), name="Source", mime_type="text/x-python")


@app.resource("kb://branding/logo", name="Logo", mime_type="image/gif")
def logo(uri: str) -> bytes:
    """A very small picture."""
    return DOT


@app.resource("kb://articles/{slug}", name="Article by Slug", mime_type=JSON)
def article_by_slug(uri: str, slug: str) -> str:
    """An article."""
    return json.dumps(ARTICLES.get(slug, {"error": f"There is no article {slug!r}."}))


@app.resource("kb://categories/{category}/articles/{slug}", name="Article by Category and Slug", mime_type=JSON)
def article_in_category(uri: str, category: str, slug: str) -> str:
    """An article, if it is about that category."""
    article = ARTICLES.get(slug, {})
    return json.dumps(article if article.get("category") == category else {"error": f"Not in {category!r}."})


@app.resource("kb://docs/{path*}", name="Docs Tree", mime_type="text/plain")
def docs_by_path(uri: str, path: str) -> str:
    """What is under a path, however deep."""
    return f"The page at {path}."


@app.resource(
    "kb://announcements/pinned",
    name="Pinned Announcement",
    mime_type="text/plain",
    annotations=Annotations(audience=["user"], priority=1.0),
)
def pinned_announcement(uri: str) -> str:
    """What everybody should read."""
    return "There is cake on Friday."


@app.resource(
    "kb://articles/api-guidelines/metadata", name="API Guidelines Metadata", mime_type=JSON, meta={"reviewed": True}
)
def article_metadata(uri: str) -> str:
    """What is known about an article."""
    return json.dumps(ARTICLES["api-guidelines"])


@app.resource("kb://status", name="Server Status", mime_type=JSON)
async def server_status(uri: str) -> dict[str, Any]:
    """How the server is."""
    return {"text": json.dumps({"healthy": True, "articles": len(ARTICLES)})}


@app.resource(PAGE, name="MCP App UI", mime_type="text/html;profile=mcp-app")
def page(uri: str) -> str:
    """The page that shows articles."""
    return "<!doctype html><title>Articles</title>"


@app.tool(meta={"ui": {"resourceUri": PAGE}})
def get_article(slug: Annotated[str, "As in the index"]) -> Annotated[Article, "The article with its author"]:
    """Get an article, to be shown in the page."""
    if slug not in ARTICLES:
        raise ValueError(f"There is no article {slug!r}.")
    return read(slug)


@app.tool(ui=page)
def search_articles(query: Annotated[str, "A part of the title"]) -> SearchResult:
    """Find articles, to be shown in the page."""
    fitting = [slug for slug, article in ARTICLES.items() if query.lower() in article["title"].lower()]
    return SearchResult(query=query, matches=[read(slug) for slug in fitting])


def read(slug: str) -> Article:
    article = ARTICLES[slug]
    return Article(slug=slug, title=article["title"], author=Author(name=article["author"], team="Knowledge"))


if __name__ == "__main__":
    app.run()
