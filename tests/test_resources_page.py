"""The page about resources and prompts is correct: its examples load, and work as described."""

from pathlib import Path
from typing import Any

import pytest

from server_core.catalog.catalog import Catalog
from server_core.execution.prompts_and_resources import complete, get_prompt, read_resource
from server_core.loading.file_source import FileSource
from server_core.loading.project import Project
from server_core.settings import Settings
from tests.test_documents import ROOT, blocks, file_of

pytestmark = pytest.mark.promises("resources and prompts")

EXAMPLES = {file_of(text): text for text in blocks(ROOT / "docs" / "resources.md", "python")}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """Loads one of the examples, with the files that it is about."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "config.toml").write_text("a = 1")
    (tmp_path / "notes" / "one.md").write_text("One.")
    (tmp_path / "editor.html").write_text("<b>Hi</b>")

    def load(name: str) -> Catalog:
        (tmp_path / name).write_text(EXAMPLES[name], encoding="utf-8")
        generation = Project(FileSource(tmp_path / name, Settings())).load()
        assert generation.problems == ()
        return generation.catalog

    return load


async def test_the_resources_are_read(load: Any, tmp_path: Path) -> None:
    catalog = load("library.py")
    expected = {
        "kb://readme": "Welcome.",
        "kb://config": "a = 1",
        "kb://pinned": "All hands on Friday.",
        "kb://docs/no/guides/start": "guides/start in no",
        "kb://notes/one": "One.",
    }
    for uri, text in expected.items():
        (contents,) = await read_resource(catalog, uri, None)
        assert contents["text"] == text
    assert catalog.templates[1].watch == (str(tmp_path / "notes" / "*.md"),)
    ref = {"type": "ref/resource", "uri": "kb://docs/{language}/{path*}"}
    completed = await complete(catalog, ref, {"name": "language", "value": "n"}, {}, None)
    assert completed["completion"]["values"] == ["no"]


async def test_resources_that_show_a_tool_are_offered_with_it(load: Any) -> None:
    catalog = load("editor.py")
    assert catalog.tools["greet"].definition["_meta"] == {"ui": {"resourceUri": "ui://editor.html"}}
    assert await read_resource(catalog, "ui://editor.html", None) == [
        {"uri": "ui://editor.html", "mimeType": "text/html;profile=mcp-app", "text": "<b>Hi</b>"}
    ]
    assert (await read_resource(catalog, "docs://guide", None))[0]["text"] == "Type a name."


async def test_the_prompts_are_made(load: Any) -> None:
    catalog = load("prompts.py")

    async def texts(name: str, **arguments: str) -> list[Any]:
        result = await get_prompt(catalog, name, arguments, None)
        return [message["content"].get("text") or message["content"]["type"] for message in result["messages"]]

    assert await texts("letter", count="2", due="2026-05-17") == ["Write 2 kind letters by 17 May."]
    assert await texts("look", place="Oslo") == ["Is this Oslo?", "image"]
    assert await texts("review", code="x = 1") == ["Review this: x = 1"]
    for name, argument, value, proposed in (("look", "place", "P", ["Paris"]), ("letter", "tone", "ke", ["keen"])):
        ref = {"type": "ref/prompt", "name": name}
        completed = await complete(catalog, ref, {"name": argument, "value": value}, {}, None)
        assert completed["completion"]["values"] == proposed
