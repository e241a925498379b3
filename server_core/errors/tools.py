"""Errors of a tool or a toolkit: in its declaration, its arguments, its result or its execution.

`str(error)` is the text that the author wrote. :func:`in_context` adds the kind and the name of the tool, for agents.
"""

from enum import StrEnum
from typing import Any

from server_core.errors.general import WorkbenchError


class ErrorKind(StrEnum):
    """The kind of a tool error, for agents and orchestrators."""

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


class ToolkitError(WorkbenchError):
    """An error of a whole toolkit."""

    kind: ErrorKind = ErrorKind.UNKNOWN
    where = "in toolkit"


class ToolkitLoadError(ToolkitError):
    """A file or package of tools could not be loaded."""

    kind = ErrorKind.TOOLKIT_LOAD_FAILED
    where = "when loading toolkit"


class ToolError(WorkbenchError):
    """An error of a single tool."""

    kind: ErrorKind = ErrorKind.UNKNOWN
    # The words between the name of the error and the name of the tool.
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
        message: the message for the agent; it must not contain secrets or the text of exceptions of other libraries.
        developer_message: the message for the author, shown in the workbench; never sent to agents.
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
        """Whether a service behind the tool could not be reached, or the connection was lost."""
        return self.kind.startswith("NETWORK_TRANSPORT_")

    def to_payload(self) -> dict[str, Any]:
        """Return the error as plain values, for orchestrators and logs; `extra` cannot override its own members."""
        hints = {hint: getattr(self, hint) for hint in _HINTS if hasattr(self, hint)}
        return {
            **(self.extra or {}),
            "message": self.message,
            "developer_message": self.developer_message,
            "kind": kind_of(self),
            "can_retry": self.can_retry,
            "status_code": self.status_code,
            **hints,
        }


NO_TEXT = "(no details provided)"
_HINTS = ("additional_prompt_content", "retry_after_ms")


class ToolSerializationError(ToolRuntimeError):
    """A value could not be converted between the wire and the tool."""


class ToolInputError(ToolSerializationError):
    """The arguments of a call do not match the tool's input schema."""

    kind = ErrorKind.TOOL_RUNTIME_BAD_INPUT_VALUE
    status_code = 400


class ToolOutputError(ToolSerializationError):
    """The result of a tool does not match its output schema, or has no JSON form."""

    kind = ErrorKind.TOOL_RUNTIME_BAD_OUTPUT_VALUE
    status_code = 500


class ToolExecutionError(ToolRuntimeError):
    """The base class for errors that authors define."""


class RetryableToolError(ToolExecutionError):
    """The agent may try again, following the hint.

    Args:
        message: the message for the agent.
        developer_message: the message for the author, shown in the workbench.
        additional_prompt_content: a hint for the agent's next attempt.
        retry_after_ms: how long to wait before the next attempt, in milliseconds.
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
    """The user has to provide more information before the call can be tried again.

    Args:
        message: the message for the agent.
        additional_prompt_content: what the agent should ask the user for.
        developer_message: the message for the author, shown in the workbench.
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
    """A call lacks something that its tool requires, so the tool was not run.

    Args:
        message: the message for users: what is missing, and what to do.
        instructions: instructions for the model.
        facts: more facts for programs, JSON-safe.
    """

    def __init__(self, message: str, instructions: str, **facts: Any) -> None:
        super().__init__(message, instructions)
        self.for_programs = {**facts, "llm_instructions": instructions}
        """Sent next to the message, as JSON."""


class FatalToolError(ToolExecutionError):
    """Trying again will not help."""

    status_code = 500


class ToolTimeoutError(FatalToolError):
    """The tool did not finish within its declared time limit."""

    status_code = 504


def in_context(error: ToolkitError | ToolError, name: str, text: str | None = None) -> str:
    """Return the text of an error for agents and logs: `[KIND] Class during execution of tool 'name': text`.

    Args:
        name: the name of the author's function, or of the toolkit.
        text: replaces the error's own text.
    """
    details = str(error) if text is None else text
    details = details if details.strip() else NO_TEXT
    return f"[{kind_of(error)}] {type(error).__name__} {error.where} {name!r}: {details}"


def kind_of(error: ToolkitError | ToolError) -> ErrorKind:
    """Return the kind of an error; `UNKNOWN` if an author's class has an invalid kind."""
    try:
        return ErrorKind(error.kind)
    except ValueError:
        return ErrorKind.UNKNOWN
