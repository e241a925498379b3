"""Results of tools, prompts and resources in the form of each revision.

Nothing is dropped silently: a link becomes text with its URI, audio becomes an embedded resource, and structured
content is always repeated in a text block. For current revisions the same object is returned unchanged.

Source: the schemas of the five revisions: CallToolResult, ContentBlock, PromptMessage.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from server_core.catalog.content import text_block
from server_core.protocol.revisions import Revision

Json: TypeAlias = dict[str, Any]

_STRUCTURED = "structuredContent"


def result_for(revision: Revision, result: Json) -> Json:
    """Return a result in the form of this revision.

    Args:
        revision: the negotiated revision.
        result: the result of `tools/call`, `prompts/get` or `resources/read`; it is not modified.
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
    # An embedded resource needs a URI. This one cannot be read later, so the position in the result is enough.
    resource = {"uri": f"audio:{place}", "mimeType": audio["mimeType"], "blob": audio["data"]}
    return {"type": "resource", "resource": resource} | _annotations(audio)


def _annotations(block: Json) -> Json:
    return {"annotations": block["annotations"]} if "annotations" in block else {}


_REPLACEMENTS: Mapping[str, tuple[Callable[[Revision], bool], Callable[[Json, int], Json]]] = {
    "resource_link": (lambda revision: revision.resource_links, _link_as_text),
    "audio": (lambda revision: revision.audio, _audio_as_resource),
}
"""The content types that not every revision has: which revisions do, and the replacement for the others."""
