"""The lists of a catalog, page by page."""

import base64
import json
from typing import Any

import pytest

from server_core.catalog.catalog import Catalog
from server_core.catalog.definitions import Tool
from server_core.errors import ProtocolError
from server_core.protocol.codes import INVALID_PARAMS
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS, Revision
from server_core.serving.pages import PAGE_SIZE, Pages
from tests.tables import each_row


def pages(count: int, **options: Any) -> Pages:
    """The pages of a catalog with so many tools."""
    tools = (Tool(f"tool{number}", print, False, {"type": "object"}, dict, dict, title="T") for number in range(count))
    return Pages(Catalog(tools={tool.name: tool for tool in tools}), **options)


def read(pages: Pages, cursor: str | None = None, revision: Revision = LATEST) -> dict[str, Any]:
    result = json.loads(pages.page("tools", cursor, revision))
    assert isinstance(result, dict)
    return result


@each_row(("count", "sizes"), [(0, [0]), (1, [1]), (250, [250]), (251, [250, 1]), (600, [250, 250, 100])])
def test_every_entry_is_listed_once_and_in_order(count: int, sizes: list[int]) -> None:
    all_pages = pages(count)
    read_pages = [read(all_pages)]
    while (cursor := read_pages[-1].get("nextCursor")) is not None:
        read_pages.append(read(all_pages, cursor))
    assert [len(page["tools"]) for page in read_pages] == sizes
    names = [tool["name"] for page in read_pages for tool in page["tools"]]
    assert names == [f"tool{number}" for number in range(count)]


def test_an_empty_list_of_each_kind_is_a_list() -> None:
    for kind in ("tools", "resources", "resourceTemplates", "prompts"):
        assert json.loads(Pages(Catalog()).page(kind)) == {kind: []}


def test_a_page_is_made_once() -> None:
    all_pages = pages(300)
    cursor = read(all_pages)["nextCursor"]
    assert all_pages.page("tools") is all_pages.page("tools")
    assert all_pages.page("tools", cursor) is all_pages.page("tools", cursor)


def test_a_page_has_as_many_entries_as_is_set() -> None:
    all_pages = pages(5, size=2)
    first = read(all_pages)
    assert [tool["name"] for tool in first["tools"]] == ["tool0", "tool1"]
    assert [tool["name"] for tool in read(all_pages, first["nextCursor"])["tools"]] == ["tool2", "tool3"]
    with pytest.raises(ProtocolError):
        read(pages(5, size=3), first["nextCursor"])


@each_row("revision", REVISIONS.values())
def test_each_revision_has_pages_of_its_own(revision: Revision) -> None:
    all_pages = pages(3)
    assert ("title" in read(all_pages, revision=revision)["tools"][0]) == revision.titles
    assert all_pages.page("tools", None, revision) is all_pages.page("tools", None, revision)


def test_a_stateless_page_has_a_result_type_cache_hints_and_server_info() -> None:
    all_pages = pages(3, size=2, ttl=1.5, server_info={"name": "x", "version": "1"})
    first = read(all_pages, revision=LATEST_STATELESS)
    last = read(all_pages, first["nextCursor"], LATEST_STATELESS)
    for page in (first, last):
        del page["tools"]
        page.pop("nextCursor", None)
        assert page == {
            "resultType": "complete",
            "ttlMs": 1500,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "x", "version": "1"}},
        }


def test_a_page_of_a_session_has_none_of_these() -> None:
    for date, revision in REVISIONS.items():
        if not revision.stateless:
            assert set(read(pages(1, server_info={"name": "x"}), revision=revision)) == {"tools"}, date


def test_a_cursor_past_the_end_of_a_shorter_list_returns_an_empty_page() -> None:
    cursor = read(pages(300))["nextCursor"]
    assert read(pages(10), cursor) == {"tools": []}


def test_a_cursor_that_is_none_of_the_list_is_refused() -> None:
    for cursor in (
        "",
        "nonsense",
        "🙂",
        3,
        ["x"],
        {"a": 1},
        *(
            base64.urlsafe_b64encode(text).decode()
            for text in (b"prompts 250", b"tools 7", b"tools -250", b"tools", b"tools 250 250", b"\xff")
        ),
    ):
        with pytest.raises(ProtocolError) as caught:
            pages(PAGE_SIZE * 2).page("tools", cursor)
        assert caught.value.code == INVALID_PARAMS
