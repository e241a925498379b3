"""The exceptions under the names that Arcade's framework gives them, for servers that were written for it.

Each is an error of :mod:`server_core.errors`: the class of the same name, or the most similar class that is raised
here, or a parent of it that accepts a single text. A class that is never raised here is an alias of its parent, so that
an `except` clause with its name is valid.
"""

from server_core.errors import (
    ConfigurationError,
    ConnectionFailed,
    ContextError,
    ContextRequiredToolError,
    ElicitationModeNotSupportedError,
    ElicitationNotSupportedError,
    ErrorKind,
    FatalToolError,
    NetworkTransportError,
    PromptError,
    ProtocolFailure,
    RequestFailure,
    ResourceError,
    ResourceNotFound,
    RetryableToolError,
    ToolDefinitionError,
    ToolError,
    ToolExecutionError,
    ToolInputError,
    ToolInputSchemaError,
    ToolkitError,
    ToolkitLoadError,
    ToolOutputError,
    ToolOutputSchemaError,
    ToolRuntimeError,
    ToolSerializationError,
    UnsupportedSchemaDialectError,
    UpstreamError,
    UpstreamRateLimitError,
    WorkbenchError,
)

MCPError = WorkbenchError
MCPRuntimeError = WorkbenchError
ServerError = WorkbenchError
LifespanError = ConfigurationError
TransportError = ConnectionFailed
MCPContextError = ContextError
SessionError = ContextError
SessionNotInitializedError = ContextError
AuthorizationError = ContextError
IncompleteAuthContextError = ContextError
NotFoundError = ResourceNotFound
ProtocolError = ProtocolFailure
RequestError = RequestFailure
ServerRequestError = RequestFailure
ResponseError = RequestFailure

__all__ = [
    "AuthorizationError",
    "ContextRequiredToolError",
    "ElicitationModeNotSupportedError",
    "ElicitationNotSupportedError",
    "ErrorKind",
    "FatalToolError",
    "IncompleteAuthContextError",
    "LifespanError",
    "MCPContextError",
    "MCPError",
    "MCPRuntimeError",
    "NetworkTransportError",
    "NotFoundError",
    "PromptError",
    "ProtocolError",
    "RequestError",
    "ResourceError",
    "ResponseError",
    "RetryableToolError",
    "ServerError",
    "ServerRequestError",
    "SessionError",
    "SessionNotInitializedError",
    "ToolDefinitionError",
    "ToolError",
    "ToolExecutionError",
    "ToolInputError",
    "ToolInputSchemaError",
    "ToolOutputError",
    "ToolOutputSchemaError",
    "ToolRuntimeError",
    "ToolSerializationError",
    "ToolkitError",
    "ToolkitLoadError",
    "TransportError",
    "UnsupportedSchemaDialectError",
    "UpstreamError",
    "UpstreamRateLimitError",
]
