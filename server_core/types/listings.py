"""What lists and the handshake describe: tools, resources, prompts, roots, tasks (up to 2025-11-25), both ends."""

from enum import StrEnum

from server_core.types.wire_object import Json, WireObject


class MCPTool(WireObject):
    """A tool as described to clients."""

    name: str
    title: str | None
    description: str | None
    inputSchema: Json
    outputSchema: Json | None
    annotations: Json | None
    execution: Json | None


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


class Root(WireObject):
    """A folder that the client shares with the server."""

    uri: str
    name: str | None


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


class TaskStatus(StrEnum):
    """The status of a task."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Task(WireObject):
    """A call that continues after its request; times are ISO 8601, durations are milliseconds."""

    taskId: str
    status: str
    statusMessage: str | None
    createdAt: str
    lastUpdatedAt: str
    ttl: int | None
    pollInterval: int | None


class GetTaskResult(Task):
    """The status of a task, as a result."""


class CancelTaskResult(Task):
    """The status of a cancelled task."""


class CreateTaskResult(WireObject):
    """The result of a call that has become a task."""

    task: Json


class ListTasksResult(WireObject):
    """A page of the tasks that a client may see."""

    tasks: list[Json]
    nextCursor: str | None
