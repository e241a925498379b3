"""Turn an exception of an author's code into an error for the client and a report for the author.

An exception class of an author may itself be broken: its `__str__` may raise, or it may lack the attributes of our
base classes. Such an exception is reported like any other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from server_core.adapters.adapter import describe_error, describe_value
from server_core.adapters.chain import adapters_for, convert_error
from server_core.adapters.redaction import redact
from server_core.catalog.definitions import Tool
from server_core.errors import (
    ClientTimeout,
    ContextError,
    FatalToolError,
    PromptError,
    ProtocolFailure,
    RemoteError,
    RequestFailure,
    ResourceError,
    RetryableToolError,
    ToolRuntimeError,
    in_context,
    kind_of,
)
from server_core.execution.tracebacks import members_of, place_of, traceback_of
from server_core.runtime.safe_json import dump_json, parse_json
from server_core.runtime.safe_text import MAX_CHARACTERS, call_safely, class_name, cut, safe_str

Json: TypeAlias = dict[str, Any]
T = TypeVar("T")

BY_THE_TOOL = "by the tool"

# The attributes of a ToolRuntimeError that are sent or reported.
_READ_ATTRIBUTES = (
    "message",
    "developer_message",
    "kind",
    "can_retry",
    "status_code",
    "is_upstream_error",
    "extra",
    "additional_prompt_content",
    "retry_after_ms",
)


@dataclass(frozen=True)
class Failure:
    """A failed call of a tool."""

    tool: Tool
    exception: BaseException  # As the tool raised it.
    error: ToolRuntimeError  # What it is converted to.
    problems: tuple[str, ...] = ()  # With error adapters, for the author.

    @property
    def function(self) -> str:
        """The name of the author's function, or of the tool if the function has no usable name."""
        name = getattr(self.tool.function, "__name__", "")
        return name if isinstance(name, str) and name.isidentifier() else self.tool.name

    @property
    def developer_message(self) -> str | None:
        """The description of the error for the author."""
        return developer_message_of(self.error)

    @property
    def stacktrace(self) -> str | None:
        """The traceback; None if the author raised the error on purpose, for the agent."""
        unexpected = self.error is not self.exception or self.exception.__cause__ is not None
        return traceback_of(self.exception) if unexpected else None

    def describe(self, text: object) -> str:
        """Return the text, prefixed with the name of what failed, as agents and orchestrators expect it."""
        return in_context(self.error, self.function, safe_str(text))

    def report(self) -> Json:
        """Return the details that the author of the tool gets and the agent does not."""
        file, line = place_of(self.exception)
        return {
            "kind": str(kind_of(self.error)),
            "message": safe_str(getattr(self.error, "message", self.error)),
            "developer_message": self.developer_message,
            "file": file,
            "line": line,
            "traceback": traceback_of(self.exception) if file else None,
            "extra": _json_of(getattr(self.error, "extra", None)),
            "adapter_problems": list(self.problems),
        }


def failure_of(exception: BaseException, tool: Tool) -> Failure:
    """Return the failure for an exception of a tool."""
    problems: list[str] = []
    exception = normalise_exception(exception)
    return Failure(tool, exception, _tool_error(exception, tool, problems), tuple(problems))


def normalise_exception(exception: BaseException, where: str = BY_THE_TOOL) -> BaseException:
    """Return the exception, or a substitute if reading its attributes raises or its `__class__` is false.

    An exception group with a single member, as `asyncio.TaskGroup` raises it, is replaced by that member.
    """
    exception = _unwrap_group(exception)
    problem = call_safely(lambda: _problem_of(exception), _problem_of_reading)
    return unreadable_error(exception, problem, where) if problem else exception


def convert_safely(exception: BaseException, convert: Callable[[BaseException], T], where: str = BY_THE_TOOL) -> T:
    """Return the result of converting an exception; if that fails, the result of converting a substitute for it.

    The exception is normalised already, but its class may behave differently at each access.
    """
    return call_safely(
        lambda: convert(exception),
        lambda error: convert(unreadable_error(exception, _problem_of_reading(error), where)),
    )


def developer_message_of(error: BaseException) -> str | None:
    """Return the text that an error has for the author, with possible secrets removed; None if it has none."""
    detail = getattr(error, "developer_message", None)
    return None if detail is None else describe_value(detail)


def unreadable_error(exception: BaseException, problem: str, where: str = BY_THE_TOOL) -> FatalToolError:
    """Return a substitute for an exception that cannot be read; the problem is for the author."""
    error = FatalToolError(unhandled_message(exception, where), f"{class_name(type(exception))}: {problem}")
    return error.with_traceback(_traceback(exception))


def unhandled_message(exception: BaseException, where: str = BY_THE_TOOL) -> str:
    """Return the message that agents get for an exception that carries no message for them."""
    return f"An unhandled {class_name(type(exception))} was raised {where}."


def _problem_of(exception: BaseException) -> str:
    """Return why an exception needs a substitute; empty if it does not."""
    kind = type(exception)
    if issubclass(kind, ToolRuntimeError):
        [getattr(exception, name, None) for name in _READ_ATTRIBUTES]  # Each may be a property that raises.
    return "" if exception.__class__ is kind else "its __class__ is another class"


def _problem_of_reading(error: BaseException) -> str:
    return f"its own code raised {class_name(type(error))} when it was read"


def _tool_error(exception: BaseException, tool: Tool, problems: list[str]) -> ToolRuntimeError:
    if isinstance(exception, ToolRuntimeError):
        return exception
    if isinstance(exception, RemoteError):
        return FatalToolError(f"The client returned an error: {exception.message}")
    if isinstance(exception, ClientTimeout):
        hint = f"Answer within {exception.seconds:g} s."
        return RetryableToolError(safe_str(exception), additional_prompt_content=hint)
    if isinstance(exception, ContextError | ProtocolFailure | RequestFailure | ResourceError | PromptError):
        return FatalToolError(safe_str(exception))
    error = convert_error(exception, adapters_for(tool), problems)
    if error is not None:
        return error
    return FatalToolError(unhandled_message(exception), describe_error(exception))


def _unwrap_group(exception: BaseException) -> BaseException:
    while issubclass(type(exception), ExceptionGroup) and len(members := members_of(exception)) == 1:
        exception = members[0]
    return exception


def _json_of(extra: object) -> Any:
    """Return an error's `extra` as a JSON value, or as truncated JSON text if it is too long."""
    try:
        text = dump_json(extra, default=safe_str, skipkeys=True)
        return _redact_json(parse_json(text) if len(text) <= MAX_CHARACTERS else cut(text))
    except ValueError as error:
        return f"(cannot be shown: {error})"


def _redact_json(value: Any) -> Any:
    """Return a JSON value with possible secrets removed from its strings."""
    if isinstance(value, dict):
        return {name: _redact_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_redact_json(item) for item in value]
    return redact(value) if isinstance(value, str) else value


def _traceback(exception: BaseException) -> TracebackType | None:
    # Through the descriptor, as in `members_of`.
    frames: TracebackType | None = vars(BaseException)["__traceback__"].__get__(exception)
    return frames
