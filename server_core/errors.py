"""Every error that authors raise or meet, and the kinds and codes that the wires know.

The tree (what a caller can do about it decides the class):

* :class:`WorkbenchError` - the root
    * :class:`ConfigurationError` - a setting, path or argument of the command line is wrong
    * :class:`ConnectionFailed` - the other side could not be reached, or went away
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
    * :class:`ResourceError`, :class:`PromptError` - a resource or a prompt cannot be given, and the client reads why
        * :class:`ResourceNotFound` - there is no such resource

`str(error)` is the text that its author wrote. :func:`in_context` says whose error it is as well, as agents read it.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

# JSON-RPC 2.0 section 5.1, and the codes that MCP adds.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# Up to 2025-11-25; from 2026-07-28 on a resource that does not exist is a matter of -32602.
RESOURCE_NOT_FOUND = -32002
# 2025-11-25 only.
URL_ELICITATION_REQUIRED = -32042
# From 2026-07-28 on.
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
REQUEST_TIMEOUT = -32001
# Ours, and what HTTP calls it: codes of applications lie outside of the range that JSON-RPC keeps for itself.
SERVER_BUSY = 429
USER_REJECTED = -1

HTTP_STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    METHOD_NOT_FOUND: 404,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    SERVER_BUSY: 429,
}
"""The HTTP status that goes with an error's code from 2026-07-28 on, as long as no stream was begun; else 200."""


class ErrorKind(StrEnum):
    """What went wrong with a tool, as agents and orchestrators read it."""

    TOOLKIT_LOAD_FAILED = "TOOLKIT_LOAD_FAILED"
    TOOL_DEFINITION_BAD_DEFINITION = "TOOL_DEFINITION_BAD_DEFINITION"
    TOOL_DEFINITION_BAD_INPUT_SCHEMA = "TOOL_DEFINITION_BAD_INPUT_SCHEMA"
    TOOL_DEFINITION_BAD_OUTPUT_SCHEMA = "TOOL_DEFINITION_BAD_OUTPUT_SCHEMA"
    TOOL_RUNTIME_BAD_INPUT_VALUE = "TOOL_RUNTIME_BAD_INPUT_VALUE"
    TOOL_RUNTIME_BAD_OUTPUT_VALUE = "TOOL_RUNTIME_BAD_OUTPUT_VALUE"
    TOOL_RUNTIME_RETRY = "TOOL_RUNTIME_RETRY"
    TOOL_RUNTIME_CONTEXT_REQUIRED = "TOOL_RUNTIME_CONTEXT_REQUIRED"
    TOOL_RUNTIME_FATAL = "TOOL_RUNTIME_FATAL"
    UPSTREAM_RUNTIME_BAD_REQUEST = "UPSTREAM_RUNTIME_BAD_REQUEST"
    UPSTREAM_RUNTIME_AUTH_ERROR = "UPSTREAM_RUNTIME_AUTH_ERROR"
    UPSTREAM_RUNTIME_NOT_FOUND = "UPSTREAM_RUNTIME_NOT_FOUND"
    UPSTREAM_RUNTIME_VALIDATION_ERROR = "UPSTREAM_RUNTIME_VALIDATION_ERROR"
    UPSTREAM_RUNTIME_RATE_LIMIT = "UPSTREAM_RUNTIME_RATE_LIMIT"
    UPSTREAM_RUNTIME_SERVER_ERROR = "UPSTREAM_RUNTIME_SERVER_ERROR"
    UPSTREAM_RUNTIME_UNMAPPED = "UPSTREAM_RUNTIME_UNMAPPED"
    NETWORK_TRANSPORT_RUNTIME_TIMEOUT = "NETWORK_TRANSPORT_RUNTIME_TIMEOUT"
    NETWORK_TRANSPORT_RUNTIME_UNREACHABLE = "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE"
    NETWORK_TRANSPORT_RUNTIME_UNMAPPED = "NETWORK_TRANSPORT_RUNTIME_UNMAPPED"
    UNKNOWN = "UNKNOWN"


class WorkbenchError(Exception):
    """The root of every error that this package raises on purpose."""


class ConfigurationError(WorkbenchError):
    """A setting, a path or an argument is wrong; the message says which and what to do."""


class ConnectionFailed(WorkbenchError):
    """The other side could not be reached, or went away before it answered."""


class ProtocolFailure(WorkbenchError):
    """A message broke the protocol; raised with no more than a text by servers that were written for Arcade."""


class RequestFailure(WorkbenchError):
    """A request had no result; raised with no more than a text by servers that were written for Arcade."""


class ProtocolError(ProtocolFailure):
    """A request that cannot be served, with the JSON-RPC error that answers it.

    Args:
        code: the JSON-RPC error code.
        message: one sentence for the other side.
        data: what the specification attaches to this code, if anything.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class RemoteError(ProtocolError, RequestFailure):
    """The other side answered a request of ours with a JSON-RPC error."""


class ContextError(WorkbenchError):
    """A running tool asked for what its client or request does not have."""


class NotInContext(ContextError, ValueError):
    """A running tool asked for a secret, or for a fact of its call, that is not there."""


class MissingCapability(ContextError):
    """A running tool asked for what its client did not declare that it can do.

    Args:
        message: one sentence for whoever reads it.
        required: what the client would have to declare, in the form of its capabilities; what its class says when not
            given.
    """

    usual: ClassVar[dict[str, Any]] = {}

    def __init__(self, message: str, required: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.required = self.usual if required is None else required


class SamplingNotSupportedError(MissingCapability):
    """A running tool asked the client's model, and the client did not declare that it has one."""

    usual = {"sampling": {}}


class RootsNotSupportedError(MissingCapability):
    """A running tool asked for the client's folders, and the client did not declare that it tells them."""

    usual = {"roots": {}}


class ElicitationNotSupportedError(MissingCapability):
    """A running tool asked the person, and the client did not declare that it can."""

    usual = {"elicitation": {}}


class ElicitationModeNotSupportedError(MissingCapability):
    """A running tool asked the person by a form or an address, and the client can do only the other."""

    usual = {"elicitation": {"url": {}}}


@dataclass(frozen=True)
class UrlElicitation:
    """An address that a person has to visit: to sign in somewhere, say.

    Attributes:
        message: why.
        url: the address.
        id: names the visit, for `context.ui.complete`; made up when not given.

    Raises:
        ValueError: when the address is none of http or https.
    """

    message: str
    url: str
    id: str = field(default_factory=lambda: os.urandom(16).hex())

    def __post_init__(self) -> None:
        if not self.url.startswith(("https://", "http://")):
            raise ValueError(f"{self.url!r} is no http or https address.")


class UrlElicitationRequired(ContextError):
    """Raised by an author: the request cannot be served before a person has visited these addresses.

    A client that can show them does, and may then ask again; what others are told names them.

    Args:
        elicitations: at least one address.

    Raises:
        ValueError: when there is none.

    Source: 2025-11-25, client/elicitation, URL elicitation required error.
    """

    def __init__(self, elicitations: Iterable[UrlElicitation]) -> None:
        self.elicitations = tuple(elicitations)
        if not self.elicitations:
            raise ValueError("name at least one address that has to be visited.")
        wanted = "; ".join(f"{one.message} {one.url}" for one in self.elicitations)
        super().__init__(f"This takes a visit by a person first. {wanted}")


class ResourceError(WorkbenchError):
    """Raised by an author: the resource cannot be read; the client reads the text."""


class ResourceNotFound(ResourceError):
    """Raised by an author: there is no such resource, although its address fits a template.

    Args:
        message: what the client reads; made from the address when not given.
        uri: the address; that of the request when not given.

    Source: server/resources, error handling.
    """

    def __init__(self, message: str = "", uri: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.uri = uri


class PromptError(WorkbenchError):
    """Raised by an author: the prompt cannot be made; the client reads the text."""


class ToolkitError(WorkbenchError):
    """Something about a whole toolkit is wrong."""

    kind: ErrorKind = ErrorKind.UNKNOWN
    where = "in toolkit"


class ToolkitLoadError(ToolkitError):
    """A file or package of tools could not be loaded."""

    kind = ErrorKind.TOOLKIT_LOAD_FAILED
    where = "when loading toolkit"


class ToolError(WorkbenchError):
    """Something about one tool is wrong.

    Attributes:
        kind: what went wrong, as agents and orchestrators read it.
        where: the words that stand between the error and the name of the tool.
    """

    kind: ErrorKind = ErrorKind.UNKNOWN
    where = "in tool"


class ToolDefinitionError(ToolError):
    """A tool is declared wrongly."""

    kind = ErrorKind.TOOL_DEFINITION_BAD_DEFINITION
    where = "in definition of tool"


class ToolInputSchemaError(ToolDefinitionError):
    """A tool's parameters cannot be described to clients."""

    kind = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


class ToolOutputSchemaError(ToolDefinitionError):
    """A tool's result cannot be described to clients."""

    kind = ErrorKind.TOOL_DEFINITION_BAD_OUTPUT_SCHEMA


class ToolRuntimeError(ToolError):
    """A tool ran and failed.

    Args:
        message: what the agent reads; it must hold no secret and no text of foreign exceptions.
        developer_message: what the author reads in the workbench; never sent to agents.
        extra: more facts for the developer, JSON-safe.
    """

    kind = ErrorKind.TOOL_RUNTIME_FATAL
    where = "during execution of tool"
    can_retry = False
    status_code: int | None = None

    def __init__(
        self, message: str, developer_message: str | None = None, *, extra: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.developer_message = developer_message
        self.extra = extra

    @property
    def is_upstream_error(self) -> bool:
        """Whether a service behind the tool answered with an error."""
        return self.kind.startswith("UPSTREAM_")

    @property
    def is_network_transport_error(self) -> bool:
        """Whether a service behind the tool was not reached, or the connection broke."""
        return self.kind.startswith("NETWORK_TRANSPORT_")

    def to_payload(self) -> dict[str, Any]:
        """Return the error as plain values, for orchestrators and logs; `extra` hides none of its own."""
        hints = {hint: getattr(self, hint) for hint in _HINTS if hasattr(self, hint)}
        return {
            **(self.extra or {}),
            "message": self.message,
            "developer_message": self.developer_message,
            "kind": str(self.kind),
            "can_retry": self.can_retry,
            "status_code": self.status_code,
            **hints,
        }


_HINTS = ("additional_prompt_content", "retry_after_ms")


class ToolSerializationError(ToolRuntimeError):
    """A value could not be taken over between the wire and the tool."""


class ToolInputError(ToolSerializationError):
    """The arguments of a call do not fit the tool's input schema."""

    kind = ErrorKind.TOOL_RUNTIME_BAD_INPUT_VALUE
    status_code = 400


class ToolOutputError(ToolSerializationError):
    """The result of a tool does not fit its output schema, or JSON."""

    kind = ErrorKind.TOOL_RUNTIME_BAD_OUTPUT_VALUE
    status_code = 500


class ToolExecutionError(ToolRuntimeError):
    """The base for the errors that authors define themselves."""


class RetryableToolError(ToolExecutionError):
    """The agent may try again, best with what the hint says.

    Args:
        message: what the agent reads.
        developer_message: what the author reads in the workbench.
        additional_prompt_content: a hint that helps the agent to do better next time.
        retry_after_ms: how long to wait before the next try, in milliseconds.
        extra: more facts for the developer, JSON-safe.
    """

    kind = ErrorKind.TOOL_RUNTIME_RETRY
    can_retry = True

    def __init__(
        self,
        message: str,
        developer_message: str | None = None,
        additional_prompt_content: str | None = None,
        retry_after_ms: int | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, developer_message, extra=extra)
        self.additional_prompt_content = additional_prompt_content
        self.retry_after_ms = retry_after_ms


class ContextRequiredToolError(ToolExecutionError):
    """A person must say more before the call can be tried again.

    Args:
        message: what the agent reads.
        additional_prompt_content: what the agent should ask the person for.
        developer_message: what the author reads in the workbench.
        extra: more facts for the developer, JSON-safe.
    """

    kind = ErrorKind.TOOL_RUNTIME_CONTEXT_REQUIRED

    def __init__(
        self,
        message: str,
        additional_prompt_content: str,
        developer_message: str | None = None,
        *,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, developer_message, extra=extra)
        self.additional_prompt_content = additional_prompt_content


class RequirementNotMet(ContextRequiredToolError):
    """A call lacks what its tool declares that it needs, so the tool was not run.

    Args:
        message: what people read: what is missing, and what to do.
        instructions: what a model should do about it.
        facts: further facts for programs, JSON-safe.
    """

    def __init__(self, message: str, instructions: str, **facts: Any) -> None:
        super().__init__(message, instructions)
        self.for_programs = {**facts, "llm_instructions": instructions}
        """What stands beside the message, as JSON."""


class FatalToolError(ToolExecutionError):
    """Trying again is of no use."""

    status_code = 500


class ToolTimeoutError(FatalToolError):
    """The tool did not finish in the time that it declares."""

    status_code = 504


class UpstreamError(ToolExecutionError):
    """A service behind the tool answered with an error.

    Args:
        message: what the agent reads.
        status_code: the HTTP status that the service answered, 100 to 599; it decides the kind.
        developer_message: what the author reads in the workbench.
        extra: more facts for the developer, JSON-safe.

    Raises:
        ValueError: when that is no status of HTTP.

    Source: RFC 9110 section 15.
    """

    def __init__(
        self,
        message: str,
        status_code: int,
        developer_message: str | None = None,
        *,
        extra: dict[str, Any] | None = None,
    ) -> None:
        if not is_http_status(status_code):
            raise ValueError(f"{status_code!r} is no status of HTTP; give UpstreamError an int from 100 to 599.")
        super().__init__(message, developer_message, extra=extra)
        self.status_code = int(status_code)
        self.kind = _upstream_kind(status_code)
        self.can_retry = status_code == 429 or status_code >= 500


class UpstreamRateLimitError(UpstreamError):
    """A service behind the tool refused a call because there were too many.

    Args:
        message: what the agent reads.
        retry_after_ms: how long to wait before the next try, in milliseconds; None when the service did not say.
        developer_message: what the author reads in the workbench.
        extra: more facts for the developer, JSON-safe.
    """

    def __init__(
        self,
        message: str,
        retry_after_ms: int | None,
        developer_message: str | None = None,
        *,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, 429, developer_message, extra=extra)
        self.retry_after_ms = retry_after_ms


class NetworkTransportError(ToolExecutionError):
    """A service behind the tool was not reached, or the connection broke.

    Args:
        message: what the agent reads.
        developer_message: what the author reads in the workbench.
        kind: one of the NETWORK_TRANSPORT kinds.
        can_retry: whether another try may work.
        extra: more facts for the developer, JSON-safe.

    Raises:
        ValueError: when the kind is none of the NETWORK_TRANSPORT kinds.
    """

    def __init__(
        self,
        message: str,
        developer_message: str | None = None,
        *,
        kind: ErrorKind = ErrorKind.NETWORK_TRANSPORT_RUNTIME_UNMAPPED,
        can_retry: bool = True,
        extra: dict[str, Any] | None = None,
    ) -> None:
        if not kind.startswith("NETWORK_TRANSPORT_"):
            raise ValueError(f"{kind} is no kind of network failure; use one that starts with NETWORK_TRANSPORT_.")
        super().__init__(message, developer_message, extra=extra)
        self.kind = kind
        self.can_retry = can_retry


def in_context(error: ToolkitError | ToolError, name: str, text: str | None = None) -> str:
    """Return the error as agents and logs read it: `[KIND] Class during execution of tool 'name': text`.

    Args:
        error: what happened.
        name: the author's name of the function, or of the toolkit.
        text: what to say in place of the error's own text.
    """
    return f"[{kind_of(error)}] {type(error).__name__} {error.where} {name!r}: {error if text is None else text}"


def kind_of(error: ToolkitError | ToolError) -> ErrorKind:
    """Return the kind of an error; a class of an author's that says anything else is of an unknown one."""
    try:
        return ErrorKind(error.kind)
    except ValueError:
        return ErrorKind.UNKNOWN


def is_http_status(value: object) -> bool:
    """Whether a value is what HTTP knows as a status. Source: RFC 9110 section 15."""
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600


def _upstream_kind(status: int) -> ErrorKind:
    return _UPSTREAM_KINDS.get(status) or _UPSTREAM_GROUPS.get(status // 100, ErrorKind.UPSTREAM_RUNTIME_UNMAPPED)


_UPSTREAM_GROUPS = {4: ErrorKind.UPSTREAM_RUNTIME_BAD_REQUEST, 5: ErrorKind.UPSTREAM_RUNTIME_SERVER_ERROR}
_UPSTREAM_KINDS = {
    401: ErrorKind.UPSTREAM_RUNTIME_AUTH_ERROR,
    403: ErrorKind.UPSTREAM_RUNTIME_AUTH_ERROR,
    404: ErrorKind.UPSTREAM_RUNTIME_NOT_FOUND,
    422: ErrorKind.UPSTREAM_RUNTIME_VALIDATION_ERROR,
    429: ErrorKind.UPSTREAM_RUNTIME_RATE_LIMIT,
}
