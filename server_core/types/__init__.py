"""Values of the protocol as authors write and read them: JSON objects whose members are attributes as well.

Each is a `dict` as it goes over the wire: `block["toolUseId"]`, `block.toolUseId` and `block.tool_use_id` are the same,
and `_meta` is `meta` as well.
What a value of its kind may have and this one lacks is None.

Source: the schemas of the specification, of which the classes have the names.
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
    """One block of content, of any type; text, pictures and what else has a class of its own below."""

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
    """A model wants a tool to be called."""

    id: str
    name: str
    input: Json


class ToolResultContent(ContentBlock, kind="tool_result"):
    """What the tool that a model wanted to be called came to."""

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
    """A resource with what it holds."""

    resource: Json


SamplingMessageContentBlock: TypeAlias = ContentBlock
"""One block of a message to or from the client's model."""

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
    """Return the blocks of content as it came: one block, or a list of them; what is no object is left out."""
    blocks = content if isinstance(content, list) else [content]
    return [_BLOCKS.get(block.get("type"), ContentBlock)(block) for block in blocks if isinstance(block, dict)]


class SamplingMessage(WireObject):
    """One message of a conversation with the client's model."""

    role: str
    content: Json | list[Json]


class ToolChoice(WireObject):
    """Whether the client's model may, must or must not call a tool: `mode` is `auto`, `required` or `none`."""

    mode: str


class ModelHint(WireObject):
    """The name of a model, or a part of it."""

    name: str


class ModelPreferences(WireObject):
    """What matters in the choice of a model; the priorities are between 0 and 1."""

    hints: list[Json]
    costPriority: float | None
    speedPriority: float | None
    intelligencePriority: float | None


class CallToolResult(WireObject):
    """What a call of a tool came to."""

    content: list[ContentBlock]
    structuredContent: Any
    isError: bool


class MCPTool(WireObject):
    """A tool as clients are told of it."""

    name: str
    title: str | None
    description: str | None
    inputSchema: Json
    outputSchema: Json | None
    annotations: Json | None
    execution: Json | None


class Resource(WireObject):
    """A resource as clients are told of it."""

    uri: str
    name: str
    title: str | None
    description: str | None
    mimeType: str | None
    annotations: Json | None
    size: int | None


class ResourceTemplate(WireObject):
    """A family of resources as clients are told of it."""

    uriTemplate: str
    name: str
    title: str | None
    description: str | None
    mimeType: str | None
    annotations: Json | None


class ResourceContents(WireObject):
    """What a resource holds: text, or a blob in base64."""

    uri: str
    mimeType: str | None
    text: str | None
    blob: str | None


class TextResourceContents(ResourceContents):
    """What a resource of text holds."""


class BlobResourceContents(ResourceContents):
    """What a resource of bytes holds, in base64."""


class Root(WireObject):
    """A folder that the client opens to the server."""

    uri: str
    name: str | None


class Prompt(WireObject):
    """A prompt as clients are told of it."""

    name: str
    title: str | None
    description: str | None
    arguments: list[Json] | None


class PromptArgument(WireObject):
    """One argument of a prompt."""

    name: str
    title: str | None
    description: str | None
    required: bool | None


class PromptMessage(WireObject):
    """One message of a prompt."""

    role: str
    content: ContentBlock


class GetPromptResult(WireObject):
    """What a prompt gives."""

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
    """A picture that stands for something."""

    src: str
    mimeType: str | None
    sizes: list[str] | None
    theme: str | None


class Annotations(WireObject):
    """Hints about content: for whom it is, how important it is, and when it was changed."""

    audience: list[str] | None
    priority: float | None
    lastModified: str | None


class ClientCapabilities(WireObject):
    """What a client declared that it can do; what it did not declare is None."""

    elicitation: Json | None
    sampling: Json | None
    roots: Json | None
    tasks: Json | None
    extensions: Json | None
    experimental: Json | None


class Implementation(WireObject):
    """How a client or a server names itself."""

    name: str
    version: str
    title: str | None
    description: str | None
    websiteUrl: str | None
    icons: list[Json] | None
