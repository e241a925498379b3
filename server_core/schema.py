"""What a `ToolContext` is made of, under the names that Arcade's framework gives it, for what was written for that."""

from server_core.auth.authorization import Authorization
from server_core.authoring.tool_catalog import FullyQualifiedName
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
