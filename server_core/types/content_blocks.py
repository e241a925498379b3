"""Content and the messages that carry it: results of tools, prompts, conversations with the client's model."""

from typing import Any, TypeAlias

from server_core.types.wire_object import Json, WireObject


class ContentBlock(WireObject):
    """A block of content, of any type; each type has its own class below."""

    type: str
    annotations: Json | None


class TextContent(ContentBlock, kind="text"):
    """Text."""

    text: str


class ImageContent(ContentBlock, kind="image"):
    """A picture, in base64."""

    data: str
    mimeType: str


class AudioContent(ContentBlock, kind="audio"):
    """Sound, in base64."""

    data: str
    mimeType: str


class ToolUseContent(ContentBlock, kind="tool_use"):
    """A request of the model to call a tool."""

    id: str
    name: str
    input: Json


class ToolResultContent(ContentBlock, kind="tool_result"):
    """The result of a tool call that a model requested."""

    toolUseId: str
    content: list[Json]
    structuredContent: Json | None
    isError: bool | None


class ResourceLink(ContentBlock, kind="resource_link"):
    """A resource that the client can read by itself."""

    uri: str
    name: str
    title: str | None
    description: str | None
    mimeType: str | None
    size: int | None


class EmbeddedResource(ContentBlock, kind="resource"):
    """A resource with its contents."""

    resource: Json


SamplingMessageContentBlock: TypeAlias = ContentBlock
"""A block of a message to or from the client's model."""

_BLOCKS: dict[Any, type[ContentBlock]] = {
    "text": TextContent,
    "image": ImageContent,
    "audio": AudioContent,
    "tool_use": ToolUseContent,
    "tool_result": ToolResultContent,
    "resource_link": ResourceLink,
    "resource": EmbeddedResource,
}


def content_blocks(content: Any) -> list[ContentBlock]:
    """Return the blocks of content, which is a block or a list of blocks; values that are no objects are left out."""
    blocks = content if isinstance(content, list) else [content]
    return [_BLOCKS.get(block.get("type"), ContentBlock)(block) for block in blocks if isinstance(block, dict)]


class SamplingMessage(WireObject):
    """A message of a conversation with the client's model."""

    role: str
    content: Json | list[Json]


class ToolChoice(WireObject):
    """Whether the client's model may, must or must not call a tool: `mode` is `auto`, `required` or `none`."""

    mode: str


class ModelHint(WireObject):
    """The name of a model, or a part of it."""

    name: str


class ModelPreferences(WireObject):
    """Preferences for the choice of a model; the priorities are between 0 and 1."""

    hints: list[Json]
    costPriority: float | None
    speedPriority: float | None
    intelligencePriority: float | None


class CallToolResult(WireObject):
    """The result of a tool call."""

    content: list[ContentBlock]
    structuredContent: Any
    isError: bool


class ResourceContents(WireObject):
    """The contents of a resource: text, or a blob in base64."""

    uri: str
    mimeType: str | None
    text: str | None
    blob: str | None


class TextResourceContents(ResourceContents):
    """The contents of a text resource."""


class BlobResourceContents(ResourceContents):
    """The contents of a binary resource, in base64."""


class PromptMessage(WireObject):
    """A message of a prompt."""

    role: str
    content: ContentBlock


class GetPromptResult(WireObject):
    """The messages of a prompt."""

    description: str | None
    messages: list[PromptMessage]
