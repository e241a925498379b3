"""What authors of tools import; each name is loaded when it is first used."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.authoring.app import MCPApp
    from server_core.authoring.decorators import prompt, resource, tool
    from server_core.authoring.factories import create_arcade_mcp, run_arcade_mcp
    from server_core.authoring.header import Header
    from server_core.authoring.inferrable import Inferrable
    from server_core.authoring.run_options import TransportType
    from server_core.authoring.tool_catalog import FullyQualifiedName, MaterializedTool, ToolCatalog
    from server_core.catalog.content import Audio, EmbeddedResource, Image, ResourceLink
    from server_core.catalog.naming import Toolkit
    from server_core.errors import (
        ContextError,
        ContextRequiredToolError,
        ElicitationModeNotSupportedError,
        ElicitationNotSupportedError,
        ErrorKind,
        FatalToolError,
        NetworkTransportError,
        NotInContext,
        PromptError,
        RemoteError,
        ResourceError,
        ResourceNotFound,
        RetryableToolError,
        RootsNotSupportedError,
        SamplingNotSupportedError,
        ToolExecutionError,
        ToolInputError,
        ToolOutputError,
        ToolRuntimeError,
        ToolTimeoutError,
        UpstreamError,
        UpstreamRateLimitError,
        UrlElicitation,
        UrlElicitationRequired,
        WorkbenchError,
    )
    from server_core.execution.context.context import Context, current_context
    from server_core.execution.context.elicitation import ElicitResult
    from server_core.execution.context.sampling import SamplingResult
    from server_core.execution.context.tool_context import ToolContext
    from server_core.metadata import ToolMetadataKey
    from server_core.schema import ToolAuthorizationContext, ToolMetadataItem, ToolSecretItem
    from server_core.settings import MCPSettings
    from server_core.types import (
        Annotations,
        BlobResourceContents,
        CancelTaskResult,
        CreateTaskResult,
        GetTaskResult,
        Icon,
        LegacyTitledEnumSchema,
        ListTasksResult,
        Resource,
        ResourceTemplate,
        SamplingMessageContentBlock,
        Task,
        TaskStatus,
        TextResourceContents,
        TitledMultiSelectEnumSchema,
        TitledSingleSelectEnumSchema,
        ToolAnnotations,
        ToolChoice,
        ToolExecution,
        ToolResultContent,
        ToolUseContent,
        UntitledMultiSelectEnumSchema,
        UntitledSingleSelectEnumSchema,
    )

__all__ = [
    "Annotations",
    "Audio",
    "BlobResourceContents",
    "CancelTaskResult",
    "Context",
    "ContextError",
    "ContextRequiredToolError",
    "CreateTaskResult",
    "ElicitResult",
    "ElicitationModeNotSupportedError",
    "ElicitationNotSupportedError",
    "EmbeddedResource",
    "ErrorAdapter",
    "ErrorKind",
    "FatalToolError",
    "FullyQualifiedName",
    "GetTaskResult",
    "Header",
    "Icon",
    "Image",
    "Inferrable",
    "LegacyTitledEnumSchema",
    "ListTasksResult",
    "MCPApp",
    "MCPSettings",
    "MaterializedTool",
    "NetworkTransportError",
    "NotInContext",
    "PromptError",
    "RemoteError",
    "Resource",
    "ResourceError",
    "ResourceLink",
    "ResourceNotFound",
    "ResourceTemplate",
    "RetryableToolError",
    "RootsNotSupportedError",
    "SamplingMessageContentBlock",
    "SamplingNotSupportedError",
    "SamplingResult",
    "Task",
    "TaskStatus",
    "TextResourceContents",
    "TitledMultiSelectEnumSchema",
    "TitledSingleSelectEnumSchema",
    "ToolAnnotations",
    "ToolAuthorizationContext",
    "ToolCatalog",
    "ToolChoice",
    "ToolContext",
    "ToolExecution",
    "ToolExecutionError",
    "ToolInputError",
    "ToolMetadataItem",
    "ToolMetadataKey",
    "ToolOutputError",
    "ToolResultContent",
    "ToolRuntimeError",
    "ToolSecretItem",
    "ToolTimeoutError",
    "ToolUseContent",
    "Toolkit",
    "TransportType",
    "UntitledMultiSelectEnumSchema",
    "UntitledSingleSelectEnumSchema",
    "UpstreamError",
    "UpstreamRateLimitError",
    "UrlElicitation",
    "UrlElicitationRequired",
    "WorkbenchError",
    "create_arcade_mcp",
    "current_context",
    "prompt",
    "resource",
    "run_arcade_mcp",
    "tool",
]

_HOMES = {
    "MCPApp": "authoring.app",
    "tool": "authoring.decorators",
    "resource": "authoring.decorators",
    "prompt": "authoring.decorators",
    "Context": "execution.context.context",
    "ToolContext": "execution.context.tool_context",
    "current_context": "execution.context.context",
    "ElicitResult": "execution.context.elicitation",
    "SamplingResult": "execution.context.sampling",
    "Audio": "catalog.content",
    "EmbeddedResource": "catalog.content",
    "Image": "catalog.content",
    "ResourceLink": "catalog.content",
    "Header": "authoring.header",
    "Inferrable": "authoring.inferrable",
    "ErrorAdapter": "adapters.adapter",
    "ToolCatalog": "authoring.tool_catalog",
    "MaterializedTool": "authoring.tool_catalog",
    "FullyQualifiedName": "authoring.tool_catalog",
    "Toolkit": "catalog.naming",
    "create_arcade_mcp": "authoring.factories",
    "run_arcade_mcp": "authoring.factories",
    "MCPSettings": "settings",
    "TransportType": "authoring.run_options",
    "ToolAuthorizationContext": "schema",
    "ToolMetadataItem": "schema",
    "ToolMetadataKey": "metadata",
    "ToolSecretItem": "schema",
    "Annotations": "types",
    "BlobResourceContents": "types",
    "CancelTaskResult": "types",
    "CreateTaskResult": "types",
    "GetTaskResult": "types",
    "Icon": "types",
    "LegacyTitledEnumSchema": "types",
    "ListTasksResult": "types",
    "Resource": "types",
    "ResourceTemplate": "types",
    "SamplingMessageContentBlock": "types",
    "Task": "types",
    "TaskStatus": "types",
    "TextResourceContents": "types",
    "TitledMultiSelectEnumSchema": "types",
    "TitledSingleSelectEnumSchema": "types",
    "ToolAnnotations": "types",
    "ToolChoice": "types",
    "ToolExecution": "types",
    "ToolResultContent": "types",
    "ToolUseContent": "types",
    "UntitledMultiSelectEnumSchema": "types",
    "UntitledSingleSelectEnumSchema": "types",
}


_MISSING = object()


def lazy_names(
    namespace: dict[str, Any], *others: str, homes: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose public names are imported when they are first used.

    It is here because this module is always loaded: a module for it would be one more before the first answer.

    Args:
        namespace: the globals of the package, with its `__all__`.
        others: the modules of the package that are searched, in this order, for names without a home.
        homes: name -> the module of the package that it is in.
    """
    package, names = namespace["__name__"], namespace["__all__"]

    def find(name: str) -> Any:
        if name in names:
            from importlib import import_module

            for module in (homes[name],) if homes and name in homes else others:
                home = import_module(f"{package}.{module}")
                if (value := getattr(home, name, _MISSING)) is not _MISSING:
                    # A name that its module makes anew on each access is not stored.
                    if name in vars(home):
                        namespace[name] = value
                    return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted({*namespace, *names})


__getattr__, __dir__ = lazy_names(globals(), "errors", homes=_HOMES)
