"""The exceptions that authors raise or catch; each module is imported on first use.

The tree (what a caller can do about it decides the class):

* :class:`WorkbenchError` - the root
    * :class:`ConfigurationError` - a setting, path or argument of the command line is wrong
    * :class:`ConnectionFailed` - the other side could not be reached, or went away
        * :class:`MessageFailed` - a single message was not accepted or not answered
    * :class:`ProtocolFailure` - a message broke the protocol; carries only a text
        * :class:`ProtocolError` - the same with its JSON-RPC code
            * :class:`RemoteError` - the other side answered with a JSON-RPC error
    * :class:`RequestFailure` - a request had no result; carries only a text; the base of :class:`RemoteError`
    * :class:`ToolkitError`
        * :class:`ToolkitLoadError` - a file or package of tools could not be loaded
    * :class:`ToolError`
        * :class:`ToolDefinitionError` - a tool is declared wrongly
            * :class:`ToolInputSchemaError`
            * :class:`ToolOutputSchemaError`
        * :class:`ToolRuntimeError` - a tool ran and failed
            * :class:`ToolSerializationError`
                * :class:`ToolInputError` - the arguments do not match the input schema
                * :class:`ToolOutputError` - the result does not match the output schema
            * :class:`ToolExecutionError` - the base for authors' own
                * :class:`RetryableToolError` - the agent may try again, with a hint
                * :class:`ContextRequiredToolError` - the user has to provide more information first
                    * :class:`RequirementNotMet` - a call lacks what its tool declares
                * :class:`FatalToolError` - trying again is of no use
                    * :class:`ToolTimeoutError` - the tool did not finish in the time that it declares
                * :class:`UpstreamError` - a service behind the tool answered with an error
                    * :class:`UpstreamRateLimitError`
                * :class:`NetworkTransportError` - a service behind the tool was not reached
    * :class:`ContextError` - a tool asked for what its client or request does not have
        * :class:`NotInContext` - a secret or a metadata value that the call does not have
        * :class:`ClientTimeout` - the client, or its user, did not answer in time
        * :class:`MissingCapability` - the client did not declare the required capability
            * :class:`ElicitationNotSupportedError`, :class:`ElicitationModeNotSupportedError`
            * :class:`SamplingNotSupportedError`, :class:`RootsNotSupportedError`
        * :class:`UrlElicitationRequired` - the user has to visit URLs first
    * :class:`UnsupportedSchemaDialectError` - a form's schema is in a dialect that clients need not support
    * :class:`ResourceError`, :class:`PromptError` - a resource or a prompt is not available; the client reads why
        * :class:`ResourceNotFound` - there is no such resource
"""

from typing import TYPE_CHECKING

from server_core.lazy_names import lazy_names

if TYPE_CHECKING:
    from server_core.errors.context_errors import (
        ClientTimeout,
        ContextError,
        ElicitationModeNotSupportedError,
        ElicitationNotSupportedError,
        MissingCapability,
        NotInContext,
        RootsNotSupportedError,
        SamplingNotSupportedError,
        UnsupportedSchemaDialectError,
        UrlElicitation,
        UrlElicitationRequired,
    )
    from server_core.errors.general import (
        ConfigurationError,
        ConnectionFailed,
        MessageFailed,
        PromptError,
        ProtocolError,
        ProtocolFailure,
        RemoteError,
        RequestFailure,
        ResourceError,
        ResourceNotFound,
        WorkbenchError,
    )
    from server_core.errors.tools import (
        ContextRequiredToolError,
        ErrorKind,
        FatalToolError,
        RequirementNotMet,
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
        ToolTimeoutError,
        in_context,
        kind_of,
    )
    from server_core.errors.upstream import (
        NetworkTransportError,
        UpstreamError,
        UpstreamRateLimitError,
        is_http_status,
    )

__all__ = [
    "ClientTimeout",
    "ConfigurationError",
    "ConnectionFailed",
    "ContextError",
    "ContextRequiredToolError",
    "ElicitationModeNotSupportedError",
    "ElicitationNotSupportedError",
    "ErrorKind",
    "FatalToolError",
    "MessageFailed",
    "MissingCapability",
    "NetworkTransportError",
    "NotInContext",
    "PromptError",
    "ProtocolError",
    "ProtocolFailure",
    "RemoteError",
    "RequestFailure",
    "RequirementNotMet",
    "ResourceError",
    "ResourceNotFound",
    "RetryableToolError",
    "RootsNotSupportedError",
    "SamplingNotSupportedError",
    "ToolDefinitionError",
    "ToolError",
    "ToolExecutionError",
    "ToolInputError",
    "ToolInputSchemaError",
    "ToolOutputError",
    "ToolOutputSchemaError",
    "ToolRuntimeError",
    "ToolSerializationError",
    "ToolTimeoutError",
    "ToolkitError",
    "ToolkitLoadError",
    "UnsupportedSchemaDialectError",
    "UpstreamError",
    "UpstreamRateLimitError",
    "UrlElicitation",
    "UrlElicitationRequired",
    "WorkbenchError",
    "in_context",
    "is_http_status",
    "kind_of",
]

# In the order in which they are searched: those that every server needs come first.
__getattr__, __dir__ = lazy_names(globals(), "general", "context_errors", "tools", "upstream")
