"""What a tool or a prompt gave, in the form that a client of each revision can read.

Nothing is lost in silence: a link becomes a text with its address, sound becomes an embedded resource, and structured
content has a text block that says the same. For the revisions of today nothing changes, and the same object comes back.

Source: the schemas of the five revisions: CallToolResult, ContentBlock, PromptMessage.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from server_core.catalog.content import text_block
from server_core.protocol.revisions import Revision

Json: TypeAlias = dict[str, Any]

_STRUCTURED = "structuredContent"


def result_for(revision: Revision, result: Json) -> Json:
    """Return a result as a client of this revision can read it.

    Args:
        revision: the one that the client speaks.
        result: of `tools/call`, `prompts/get` or `resources/read`; it is not changed.
    """
    if _STRUCTURED in result and not _may_be_structured(revision, result[_STRUCTURED]):
        result = {name: value for name, value in result.items() if name != _STRUCTURED}
    if revision.audio and revision.resource_links:
        return result
    if "content" in result:
        return {**result, "content": _blocks(revision, result["content"])}
    if "messages" in result:
        return {**result, "messages": [_message(revision, message) for message in result["messages"]]}
    return result


def _may_be_structured(revision: Revision, value: Any) -> bool:
    return revision.any_structured_content or (revision.structured_content and type(value) is dict)


def _message(revision: Revision, message: Json) -> Json:
    (block,) = _blocks(revision, [message["content"]])
    return {**message, "content": block}


def _blocks(revision: Revision, blocks: list[Json]) -> list[Json]:
    unknown = {type: replace for type, (has, replace) in _REPLACEMENTS.items() if not has(revision)}
    return [
        unknown[block["type"]](block, place) if block["type"] in unknown else block
        for place, block in enumerate(blocks, 1)
    ]


def _link_as_text(link: Json, place: int) -> Json:
    uri = link["uri"]
    name = link.get("title") or link.get("name") or uri
    text = uri if name == uri else f"{name}: {uri}"
    if description := link.get("description"):
        text += f" ({description})"
    return text_block(text) | _annotations(link)


def _audio_as_resource(audio: Json, place: int) -> Json:
    # An embedded resource needs an address; nobody can read this one again, so its place in the result will do.
    resource = {"uri": f"audio:{place}", "mimeType": audio["mimeType"], "blob": audio["data"]}
    return {"type": "resource", "resource": resource} | _annotations(audio)


def _annotations(block: Json) -> Json:
    return {"annotations": block["annotations"]} if "annotations" in block else {}


_REPLACEMENTS: Mapping[str, tuple[Callable[[Revision], bool], Callable[[Json, int], Json]]] = {
    "resource_link": (lambda revision: revision.resource_links, _link_as_text),
    "audio": (lambda revision: revision.audio, _audio_as_resource),
}
"""The kinds of content that not every revision has: which do, and what stands in for it elsewhere."""
