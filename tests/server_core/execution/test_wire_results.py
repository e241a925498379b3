"""Results in the form of each revision."""

from typing import Any

import pytest

from server_core import Audio, EmbeddedResource, Image, ResourceLink
from server_core.catalog.content import text_block
from server_core.execution.wire_results import result_for
from server_core.protocol.revisions import REVISIONS, Revision
from tests.tables import each_row

OLDEST, SECOND, THIRD, FOURTH, NEWEST = REVISIONS.values()
TEXT = text_block("hello")
LINK = ResourceLink("a://b", "b", description="The b.", annotations={"priority": 1}).to_block()
SOUND = Audio(b"wav", annotations={"audience": ["user"]}).to_block()
EVERYTHING = [TEXT, Image(b"png").to_block(), SOUND, LINK, EmbeddedResource("a://c", "text").to_block()]


def test_a_revision_with_every_feature_gets_the_same_object() -> None:
    for result in (
        {"content": EVERYTHING, "structuredContent": {"a": 1}},
        {"content": [TEXT], "isError": True},
        {"messages": [{"role": "user", "content": LINK}]},
        {"contents": [{"uri": "a://b", "blob": ""}]},
    ):
        for revision in (
            THIRD,
            FOURTH,
            NEWEST,
        ):
            assert result_for(revision, result) is result


@pytest.mark.parametrize("revision", [OLDEST, SECOND], ids=lambda revision: revision.date)
def test_structured_content_is_omitted_in_revisions_without_it(revision: Revision) -> None:
    result = {"content": [text_block('{"a": 1}')], "structuredContent": {"a": 1}, "_meta": {"k": 1}}
    assert result_for(revision, result) == {"content": [text_block('{"a": 1}')], "_meta": {"k": 1}}
    assert "structuredContent" in result


@each_row("value", [[1], "text", 3, None, True])
def test_structured_content_that_is_not_an_object_is_only_sent_in_revisions_that_permit_it(value: Any) -> None:
    result = {"content": [TEXT], "structuredContent": value}
    dates = [revision.date for revision in REVISIONS.values() if "structuredContent" in result_for(revision, result)]
    assert dates == ["2026-07-28"]


def test_a_link_becomes_a_text_with_its_uri_in_revisions_without_links() -> None:
    for revision in (OLDEST, SECOND):
        (block,) = result_for(revision, {"content": [LINK]})["content"]
        assert block == {"type": "text", "text": "b: a://b (The b.)", "annotations": {"priority": 1}}


@each_row(
    ("link", "text"),
    [
        (ResourceLink("a://b"), "a://b"),
        (ResourceLink("a://b", "b", title="The B"), "The B: a://b"),
        (ResourceLink("a://b", description="D"), "a://b (D)"),
    ],
)
def test_the_text_of_a_link_has_the_content_of_the_link(link: ResourceLink, text: str) -> None:
    assert result_for(OLDEST, {"content": [link.to_block()]})["content"] == [text_block(text)]


def test_audio_becomes_an_embedded_resource_in_revisions_without_audio() -> None:
    first, second, third = result_for(OLDEST, {"content": [SOUND, TEXT, SOUND]})["content"]
    assert first == {
        "type": "resource",
        "resource": {"uri": "audio:1", "mimeType": "audio/wav", "blob": SOUND["data"]},
        "annotations": {"audience": ["user"]},
    }
    assert second is TEXT
    assert third["resource"]["uri"] == "audio:3"
    assert result_for(SECOND, {"content": [SOUND]})["content"] == [SOUND]


def test_the_messages_of_a_prompt_are_converted_too() -> None:
    result = {
        "description": "D",
        "messages": [{"role": "user", "content": LINK}, {"role": "assistant", "content": TEXT}],
    }
    revised = result_for(OLDEST, result)
    assert revised["description"] == "D"
    assert [message["role"] for message in revised["messages"]] == ["user", "assistant"]
    assert [message["content"]["type"] for message in revised["messages"]] == ["text", "text"]


def test_the_contents_of_a_resource_are_the_same_in_every_revision() -> None:
    result = {"contents": [{"uri": "a://b", "text": "t"}]}
    assert all(result_for(revision, result) is result for revision in REVISIONS.values())
