"""Convert what the functions of resources and prompts return into contents and messages, as on the wire."""

from typing import Any, TypeAlias

from server_core.catalog.content import (
    CONTENT,
    Audio,
    EmbeddedResource,
    Image,
    base64_text,
    json_text,
    resource_contents,
    text_block,
)

Json: TypeAlias = dict[str, Any]

# Contents, messages, blocks and prompt results have at least one of these members.
_PROTOCOL_MEMBERS = frozenset({"text", "blob", "role", "type", "messages"})


def contents_of(value: Any, uri: str, mime_type: str | None, meta: Json | None = None) -> list[Json]:
    """Return the contents of a resource for the value that its function returned.

    It may be text, bytes, contents as on the wire (with a `text`, or a `blob` in base64 or as bytes), a content object,
    a list of those, or any other value, which is sent as JSON.
    """
    plain = _dump_model(value)
    if isinstance(plain, list | tuple) and plain and all(_is_contents(item) for item in map(_dump_model, plain)):
        return [_complete_contents(item, uri, mime_type, meta) for item in map(_dump_model, plain)]
    return [_complete_contents(plain, uri, mime_type, meta)]


def prompt_result(value: Any, description: str | None) -> Json:
    """Return the result of a prompt whose function returned messages (see :func:`messages_of`) or a whole result."""
    plain = _dump_model(value)
    result = plain if isinstance(plain, dict) and "messages" in plain and "role" not in plain else {"messages": value}
    defaults = {"description": description} if description else {}
    return {**defaults, **result, "messages": messages_of(result["messages"])}


def messages_of(value: Any) -> list[Json]:
    """Return the messages of a prompt for the value that its function returned; TypeError for any other value.

    It may be text, a content object, a message as on the wire (`{"role", "content"}`), or a list of those. A message
    whose content is a list becomes one message per item.
    """
    return [
        message
        for item in (value if isinstance(value, list | tuple) else [value])
        for message in _messages(_dump_model(item))
    ]


def _messages(value: Any) -> list[Json]:
    if isinstance(value, dict) and "role" in value:
        content = value.get("content")
        items = content if isinstance(content, list | tuple) else [content]
        return [{**value, "content": _message_content(_dump_model(item))} for item in items]
    return [{"role": "user", "content": _message_content(value)}]


def _message_content(value: Any) -> Json:
    if isinstance(value, str):
        return text_block(value)
    if isinstance(value, CONTENT):
        return value.to_block()
    if isinstance(value, dict) and "type" in value:
        return value
    if isinstance(value, dict) and "uri" in value:
        # Either the contents of a resource, or its definition.
        return {"type": "resource", "resource": value} if _is_contents(value) else {"type": "resource_link", **value}
    raise TypeError(f"a prompt's message must be text or content, not {type(value).__name__}")


def _dump_model(value: Any) -> Any:
    """Return the JSON value of another library's model of a protocol type; other values unchanged."""
    dump = getattr(value, "model_dump", None)  # Of pydantic, which such libraries use; importing it here would be slow.
    if dump is None or isinstance(value, type):
        return value
    dumped = dump(mode="json", by_alias=True, exclude_none=True)
    return dumped if isinstance(dumped, dict) and not _PROTOCOL_MEMBERS.isdisjoint(dumped) else value


def _is_contents(value: Any) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("text"), str) or isinstance(value.get("blob"), str | bytes)
    return isinstance(value, EmbeddedResource | Image | Audio)


def _complete_contents(value: Any, uri: str, mime_type: str | None, meta: Json | None) -> Json:
    if isinstance(value, EmbeddedResource):
        contents = resource_contents(value.content, value.uri, value.mime_type or mime_type)
    elif isinstance(value, Image | Audio):
        contents = resource_contents(value.data, uri, value.mime_type)
    elif isinstance(value, str | bytes | bytearray | memoryview):
        contents = resource_contents(value if isinstance(value, str) else bytes(value), uri, mime_type)
    elif _is_contents(value):
        blob = value.get("blob")
        encoded = {"blob": base64_text(blob)} if isinstance(blob, bytes) else {}
        contents = {"uri": uri, **({"mimeType": mime_type} if mime_type else {}), **value, **encoded}
    else:
        from pydantic_core import to_jsonable_python

        contents = resource_contents(json_text(to_jsonable_python(value)), uri, mime_type or "application/json")
    return contents if meta is None else {"_meta": meta, **contents}
