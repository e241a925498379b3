"""What is wrong with a tool, or with all tools of a toolkit: how it is declared, what it is given, how it failed.

`str(error)` is the text that its author wrote. :func:`in_context` says whose error it is as well, as agents read it.
"""

from typing import Any

from server_core.errors.general import WorkbenchError
from server_core.errors.kinds import ErrorKind


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
            "kind": kind_of(self),
            "can_retry": self.can_retry,
            "status_code": self.status_code,
            **hints,
        }


NO_TEXT = "(no details provided)"
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


def in_context(error: ToolkitError | ToolError, name: str, text: str | None = None) -> str:
    """Return the error as agents and logs read it: `[KIND] Class during execution of tool 'name': text`.

    Args:
        error: what happened.
        name: the author's name of the function, or of the toolkit.
        text: what to say in place of the error's own text.
    """
    said = str(error) if text is None else text
    return f"[{kind_of(error)}] {type(error).__name__} {error.where} {name!r}: {said if said.strip() else NO_TEXT}"


def kind_of(error: ToolkitError | ToolError) -> ErrorKind:
    """Return the kind of an error; a class of an author's that says anything else is of an unknown one."""
    try:
        return ErrorKind(error.kind)
    except ValueError:
        return ErrorKind.UNKNOWN
