"""The parts of a `ToolContext` under the names of Arcade's framework, for tools that were written for it."""

from server_core.auth.requirement import Authorization
from server_core.authoring.materialized_tool import FullyQualifiedName
from server_core.execution.context.facts import Fact, Secret
from server_core.execution.context.tool_context import ToolContext
from server_core.metadata import ToolMetadataKey

ToolAuthorizationContext = Authorization
ToolSecretItem = Secret
ToolMetadataItem = Fact

__all__ = [
    "FullyQualifiedName",
    "ToolAuthorizationContext",
    "ToolContext",
    "ToolMetadataItem",
    "ToolMetadataKey",
    "ToolSecretItem",
]
