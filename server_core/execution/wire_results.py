"""Results as a client may be sent them: in the form of its revision, and no longer than a message may be.

Nothing is dropped silently: a link becomes text with its URI, audio becomes an embedded resource, and structured
content is always repeated in a text block. For current revisions the same object is returned unchanged. A message over
the limit would close the connection, which is no help to an agent, so it is refused before it is sent.

Source: the schemas of the five revisions: CallToolResult, ContentBlock, PromptMessage.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from server_core.catalog.content import text_block
from server_core.errors import ToolOutputError
from server_core.protocol import jsonrpc
from server_core.protocol.revisions import Revision

Json: TypeAlias = dict[str, Any]

MAX_BYTES = 16 * 1024 * 1024
_MAX_UNMEASURED = 100_000
"""Up to this many characters a result is not encoded to measure it; escapes cannot bring it near the limit."""
_STRUCTURED = "structuredContent"


def check_result_size(result: Json, max_bytes: int, failed: str = "Failed to serialize tool output") -> None:
    """Raise ToolOutputError, whose message begins with `failed`, if a result is longer than a message may be."""
    # In JSON a character takes up to six bytes, and structured content is sent as text and as a value.
    if _characters(result) <= min(_MAX_UNMEASURED, max_bytes // 8):
        return
    try:
        size = len(jsonrpc.encode(result))
    except ValueError:
        return  # Sending the result reports this.
    if size > max_bytes:
        megabytes, limit = (f"{count / 1e6:,.1f} MB" for count in (size, max_bytes))
        raise ToolOutputError(
            f"{failed}: its size is {megabytes}, and the limit is {limit}.",
            "Return a part of it or a link to a resource, or raise WORKBENCH_MAX_MESSAGE_BYTES.",
        )


def _characters(result: Json) -> int:
    if "messages" in result:
        blocks = [message["content"] for message in result["messages"]]
    else:
        blocks = result["contents"] if "contents" in result else result["content"]
    count = 0
    for block in blocks:
        content = block.get("resource", block)
        count += len(content.get("text") or content.get("data") or content.get("blob") or "")
    return count


def result_for(revision: Revision, result: Json) -> Json:
    """Return the result of `tools/call`, `prompts/get` or `resources/read` in a revision, as a copy if it differs."""
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
    unknown = {kind: replace for kind, (has, replace) in _REPLACEMENTS.items() if not has(revision)}
    return [
        unknown[block["type"]](block, position) if block["type"] in unknown else block
        for position, block in enumerate(blocks, 1)
    ]


def _link_as_text(link: Json, position: int) -> Json:
    uri = link["uri"]
    name = link.get("title") or link.get("name") or uri
    text = uri if name == uri else f"{name}: {uri}"
    if description := link.get("description"):
        text += f" ({description})"
    return text_block(text) | _annotations(link)


def _audio_as_resource(audio: Json, position: int) -> Json:
    # An embedded resource needs a URI. This one cannot be read later, so the position in the result is enough.
    resource = {"uri": f"audio:{position}", "mimeType": audio["mimeType"], "blob": audio["data"]}
    return {"type": "resource", "resource": resource} | _annotations(audio)


def _annotations(block: Json) -> Json:
    return {"annotations": block["annotations"]} if "annotations" in block else {}


_REPLACEMENTS: Mapping[str, tuple[Callable[[Revision], bool], Callable[[Json, int], Json]]] = {
    "resource_link": (lambda revision: revision.resource_links, _link_as_text),
    "audio": (lambda revision: revision.audio, _audio_as_resource),
}
"""The content types that not every revision has: which revisions do, and the replacement for the others."""
