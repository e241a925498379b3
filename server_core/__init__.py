"""What authors of tools import; each name is loaded when it is first used."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.app import MCPApp
    from server_core.catalog.content import Audio, EmbeddedResource, Image, ResourceLink
    from server_core.catalog.declarations import prompt, resource, tool
    from server_core.catalog.header import Header
    from server_core.catalog.inferrable import Inferrable
    from server_core.errors import (
        ContextError,
        ContextRequiredToolError,
        ErrorKind,
        FatalToolError,
        NetworkTransportError,
        RemoteError,
        RetryableToolError,
        ToolExecutionError,
        ToolRuntimeError,
        UpstreamError,
        UpstreamRateLimitError,
        UrlElicitation,
        UrlElicitationRequired,
        WorkbenchError,
    )
    from server_core.execution.context import Context, ToolContext, current_context
    from server_core.execution.elicitation import ElicitResult
    from server_core.execution.sampling import SamplingResult

__all__ = [
    "Audio",
    "Context",
    "ContextError",
    "ContextRequiredToolError",
    "ElicitResult",
    "EmbeddedResource",
    "ErrorAdapter",
    "ErrorKind",
    "FatalToolError",
    "Header",
    "Image",
    "Inferrable",
    "MCPApp",
    "NetworkTransportError",
    "RemoteError",
    "ResourceLink",
    "RetryableToolError",
    "SamplingResult",
    "ToolContext",
    "ToolExecutionError",
    "ToolRuntimeError",
    "UpstreamError",
    "UpstreamRateLimitError",
    "UrlElicitation",
    "UrlElicitationRequired",
    "WorkbenchError",
    "current_context",
    "prompt",
    "resource",
    "tool",
]

_HOMES = {
    "MCPApp": "app",
    "tool": "catalog.declarations",
    "resource": "catalog.declarations",
    "prompt": "catalog.declarations",
    "Context": "execution.context",
    "ToolContext": "execution.context",
    "current_context": "execution.context",
    "ElicitResult": "execution.elicitation",
    "SamplingResult": "execution.sampling",
    "Audio": "catalog.content",
    "EmbeddedResource": "catalog.content",
    "Image": "catalog.content",
    "ResourceLink": "catalog.content",
    "Header": "catalog.header",
    "Inferrable": "catalog.inferrable",
    "ErrorAdapter": "adapters.adapter",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'server_core' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"server_core.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
