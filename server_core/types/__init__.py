"""Values of the protocol as authors write and read them: JSON objects whose members are attributes as well.

Each is a `dict` as it goes over the wire: `block["toolUseId"]`, `block.toolUseId` and `block.tool_use_id` are the same,
and `_meta` is `meta` as well. An optional member that is missing is None.

Source: the schemas of the specification; the classes are named as in the schemas.
"""

from typing import Any, TypeAlias

from server_core.types.choice_schemas import LegacyTitledEnumSchema as LegacyTitledEnumSchema
from server_core.types.choice_schemas import TitledMultiSelectEnumSchema as TitledMultiSelectEnumSchema
from server_core.types.choice_schemas import TitledSingleSelectEnumSchema as TitledSingleSelectEnumSchema
from server_core.types.choice_schemas import UntitledMultiSelectEnumSchema as UntitledMultiSelectEnumSchema
from server_core.types.choice_schemas import UntitledSingleSelectEnumSchema as UntitledSingleSelectEnumSchema
from server_core.types.task_results import CancelTaskResult as CancelTaskResult
from server_core.types.task_results import CreateTaskResult as CreateTaskResult
from server_core.types.task_results import GetTaskResult as GetTaskResult
from server_core.types.task_results import ListTasksResult as ListTasksResult
from server_core.types.task_results import Task as Task
from server_core.types.task_results import TaskStatus as TaskStatus
from server_core.types.wire_object import Json as Json
from server_core.types.wire_object import WireObject as WireObject


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


class MCPTool(WireObject):
    """A tool as described to clients."""

    name: str
    title: str | None
    description: str | None
    inputSchema: Json
    outputSchema: Json | None
    annotations: Json | None
    execution: Json | None


class Resource(WireObject):
    """A resource as described to clients."""

    uri: str
    name: str
    title: str | None
    description: str | None
    mimeType: str | None
    annotations: Json | None
    size: int | None


class ResourceTemplate(WireObject):
    """A resource template as described to clients."""

    uriTemplate: str
    name: str
    title: str | None
    description: str | None
    mimeType: str | None
    annotations: Json | None


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


class Root(WireObject):
    """A folder that the client shares with the server."""

    uri: str
    name: str | None


class Prompt(WireObject):
    """A prompt as described to clients."""

    name: str
    title: str | None
    description: str | None
    arguments: list[Json] | None


class PromptArgument(WireObject):
    """An argument of a prompt."""

    name: str
    title: str | None
    description: str | None
    required: bool | None


class PromptMessage(WireObject):
    """A message of a prompt."""

    role: str
    content: ContentBlock


class GetPromptResult(WireObject):
    """The messages of a prompt."""

    description: str | None
    messages: list[PromptMessage]


class ToolExecution(WireObject):
    """How a tool is run: `taskSupport` is `optional`, `required` or `forbidden`."""

    taskSupport: str | None


class ToolAnnotations(WireObject):
    """Hints about what a tool does."""

    title: str | None
    readOnlyHint: bool | None
    destructiveHint: bool | None
    idempotentHint: bool | None
    openWorldHint: bool | None


class Icon(WireObject):
    """An icon."""

    src: str
    mimeType: str | None
    sizes: list[str] | None
    theme: str | None


class Annotations(WireObject):
    """Hints about content: its audience, its priority, and when it was changed."""

    audience: list[str] | None
    priority: float | None
    lastModified: str | None


class ClientCapabilities(WireObject):
    """The declared capabilities of a client; None for those not declared."""

    elicitation: Json | None
    sampling: Json | None
    roots: Json | None
    tasks: Json | None
    extensions: Json | None
    experimental: Json | None


class Implementation(WireObject):
    """The name and version of a client or server."""

    name: str
    version: str
    title: str | None
    description: str | None
    websiteUrl: str | None
    icons: list[Json] | None
