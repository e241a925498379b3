"""Every error that authors raise or meet; each is loaded when it is first used.

The tree (what a caller can do about it decides the class):

* :class:`WorkbenchError` - the root
    * :class:`ConfigurationError` - a setting, path or argument of the command line is wrong
    * :class:`ConnectionFailed` - the other side could not be reached, or went away
        * :class:`MessageFailed` - only one message was not taken or not answered
    * :class:`ProtocolFailure` - a message broke the protocol, as far as a text can say it
        * :class:`ProtocolError` - the same with its JSON-RPC code
            * :class:`RemoteError` - the other side answered with a JSON-RPC error
    * :class:`RequestFailure` - a request had no result, as far as a text can say it; :class:`RemoteError` is one
    * :class:`ToolkitError`
        * :class:`ToolkitLoadError` - a file or package of tools could not be loaded
    * :class:`ToolError`
        * :class:`ToolDefinitionError` - a tool is declared wrongly
            * :class:`ToolInputSchemaError`
            * :class:`ToolOutputSchemaError`
        * :class:`ToolRuntimeError` - a tool ran and failed
            * :class:`ToolSerializationError`
                * :class:`ToolInputError` - the arguments do not fit
                * :class:`ToolOutputError` - the result does not fit
            * :class:`ToolExecutionError` - the base for authors' own
                * :class:`RetryableToolError` - the agent may try again, with a hint
                * :class:`ContextRequiredToolError` - a person must say more first
                    * :class:`RequirementNotMet` - a call lacks what its tool declares
                * :class:`FatalToolError` - trying again is of no use
                    * :class:`ToolTimeoutError` - the tool did not finish in the time that it declares
                * :class:`UpstreamError` - a service behind the tool answered with an error
                    * :class:`UpstreamRateLimitError`
                * :class:`NetworkTransportError` - a service behind the tool was not reached
    * :class:`ContextError` - a tool asked for what its client or request does not have
        * :class:`NotInContext` - a secret, or a fact of the call, that is not there
        * :class:`MissingCapability` - the client did not declare the capability that it takes
            * :class:`ElicitationNotSupportedError`, :class:`ElicitationModeNotSupportedError`
            * :class:`SamplingNotSupportedError`, :class:`RootsNotSupportedError`
        * :class:`UrlElicitationRequired` - a person has to visit addresses first
    * :class:`UnsupportedSchemaDialectError` - a form's schema is in a dialect that clients need not know
    * :class:`ResourceError`, :class:`PromptError` - a resource or a prompt cannot be given, and the client reads why
        * :class:`ResourceNotFound` - there is no such resource
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server_core.errors.context import (
        ContextError,
        ElicitationModeNotSupportedError,
        ElicitationNotSupportedError,
        MissingCapability,
        NotInContext,
        RootsNotSupportedError,
        SamplingNotSupportedError,
        UnsupportedSchemaDialectError,
    )
    from server_core.errors.general import (
        ConfigurationError,
        ConnectionFailed,
        MessageFailed,
        ProtocolError,
        ProtocolFailure,
        RemoteError,
        RequestFailure,
        WorkbenchError,
    )
    from server_core.errors.kinds import ErrorKind
    from server_core.errors.offers import PromptError, ResourceError, ResourceNotFound
    from server_core.errors.tools import (
        ContextRequiredToolError,
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
    from server_core.errors.url_elicitation import UrlElicitation, UrlElicitationRequired

__all__ = [
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

_ROOMS = ("general", "context", "kinds", "tools", "upstream", "offers", "url_elicitation")
"""The modules of the package, those that every start of a server needs first."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'server_core.errors' has no attribute {name!r}")
    from importlib import import_module

    rooms = (import_module(f"server_core.errors.{room}") for room in _ROOMS)
    value = next(getattr(room, name) for room in rooms if hasattr(room, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
