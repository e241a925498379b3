"""What became of a call that failed: the error that stands for it, and what its author should know of it.

An author's own code is asked for as little as possible, and may fail in that: an exception whose text cannot be read,
or whose class leaves out what ours have, is told all the same.
"""

import json
import sysconfig
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias

from server_core.adapters.adapter import adapted, described
from server_core.adapters.chain import adapters_for
from server_core.adapters.redaction import without_secrets
from server_core.catalog.definitions import Tool
from server_core.errors import (
    ContextError,
    FatalToolError,
    PromptError,
    ProtocolFailure,
    RemoteError,
    RequestFailure,
    ResourceError,
    ToolRuntimeError,
    in_context,
    kind_of,
)
from server_core.runtime.safe_text import MOST_CHARACTERS, class_name, cut, readable

Json: TypeAlias = dict[str, Any]

# Where our own frames live: they say nothing to an author about a failure of theirs.
_OURS = "server_core."
_LIBRARIES = tuple(
    {path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))}
)

BY_THE_TOOL = "by the tool"
MOST_LINKS = 100
"""How many exceptions are told of those that led to one another."""

# What is told of an error of ours.
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
    """A call of a tool that failed.

    Attributes:
        tool: what ran.
        raised: what running it raised.
        error: the error that stands for it.
        problems: what the author should know of the adapters that were asked.
    """

    tool: Tool
    raised: BaseException
    error: ToolRuntimeError
    problems: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """The author's name of the function; that of the tool where the function has none."""
        name = getattr(self.tool.function, "__name__", "")
        return name if isinstance(name, str) and name.isidentifier() else self.tool.name

    @property
    def developer_message(self) -> str | None:
        """What happened, for the author."""
        detail = getattr(self.error, "developer_message", None)
        return None if detail is None else without_secrets(readable(detail))

    @property
    def stacktrace(self) -> str | None:
        """Where it happened; None where the author raised it to tell the agent."""
        unexpected = self.error is not self.raised or self.raised.__cause__ is not None
        return traceback_of(self.raised) if unexpected else None

    def describe(self, text: object) -> str:
        """Return a text with what failed before it, as agents and orchestrators read it."""
        return in_context(self.error, self.function, readable(text))

    def report(self) -> Json:
        """Return what the author of the tool should know, and the agent should not."""
        file, line = place_of(self.raised)
        return {
            "kind": str(kind_of(self.error)),
            "message": readable(getattr(self.error, "message", self.error)),
            "developer_message": self.developer_message,
            "file": file,
            "line": line,
            "traceback": traceback_of(self.raised) if file else None,
            "extra": _plain(getattr(self.error, "extra", None)),
            "adapter_problems": list(self.problems),
        }


def failure_of(raised: BaseException, tool: Tool) -> Failure:
    """Return what became of a call.

    Args:
        raised: whatever running the tool raised.
        tool: the tool; its adapters are asked before the built-in ones.
    """
    problems: list[str] = []
    raised = normalise_exception(raised)
    return Failure(tool, raised, _normalised(raised, tool, problems), tuple(problems))


def normalise_exception(raised: BaseException, where: str = BY_THE_TOOL) -> BaseException:
    """Return an exception, or what stands for it where its own code fails, or lies, when it is asked what it is.

    For a group that holds a single exception, as a group of tasks makes it of one that failed, that one stands.

    Args:
        raised: whatever an author's code raised.
        where: that code is, as agents are told it of such an exception.
    """
    raised = _unwrap_group(raised)
    kind = type(raised)
    try:
        if issubclass(kind, ToolRuntimeError):
            [getattr(raised, name, None) for name in _READ_ATTRIBUTES]
        if raised.__class__ is kind:
            return raised
    except BaseException as error:
        why = f"its own code raised {type(error).__name__} when it was read"
    else:
        why = "it says that it is of another class"
    return unreadable_error(raised, why, where)


def unreadable_error(raised: BaseException, why: str, where: str = BY_THE_TOOL) -> FatalToolError:
    """Return what stands for an exception that cannot be read.

    Args:
        raised: the exception.
        why: what is wrong with it, for the author.
        where: see :func:`normalise_exception`.
    """
    error = FatalToolError(unhandled(raised, where), f"{class_name(type(raised))}: {why}")
    return error.with_traceback(_traceback(raised))


def unhandled(raised: BaseException, where: str = BY_THE_TOOL) -> str:
    """Return what agents are told of an exception that was not made for them."""
    return f"An unhandled {class_name(type(raised))} was raised {where}."


def traceback_of(error: BaseException) -> str:
    """Return where an exception was raised, from the author's first frame on, without what may be secret.

    Of the exceptions that led to it the last are told, at most :data:`MOST_LINKS`: each takes its time.
    """
    try:
        if _has_few_links(error):
            lines = traceback.format_exception(type(error), error, _author_frames(error.__traceback__))
        else:
            lines = list(_last_links(error))
    except BaseException as failure:
        return f"(the traceback cannot be shown: {type(failure).__name__})"
    return without_secrets(cut("".join(lines)))


def place_of(error: BaseException) -> tuple[str, int]:
    """Return file and line of the author's code in which an exception was raised; empty when it was in none."""
    frames = traceback.extract_tb(_author_frames(error.__traceback__))
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)] or frames
    return (own[-1].filename, own[-1].lineno or 0) if own else ("", 0)


def _normalised(raised: BaseException, tool: Tool, problems: list[str]) -> ToolRuntimeError:
    if isinstance(raised, ToolRuntimeError):
        return raised
    if isinstance(raised, RemoteError):
        return FatalToolError(f"The client answered with an error: {raised.message}")
    if isinstance(raised, ContextError | ProtocolFailure | RequestFailure | ResourceError | PromptError):
        return FatalToolError(readable(raised))
    found = adapted(raised, adapters_for(tool), problems)
    if found is not None:
        return found
    return FatalToolError(unhandled(raised), described(raised))


def _has_few_links(error: BaseException) -> bool:
    """Whether few exceptions led to this one: its causes, what was handled meanwhile, and the members of groups."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        if (one := left.pop()) is None or id(one) in seen:
            continue
        seen.add(id(one))
        members = _members(one) if issubclass(type(one), BaseExceptionGroup) else ()
        if len(seen) + len(members) > MOST_LINKS:
            return False
        left += [one.__cause__, one.__context__, *members]
    return True


def _last_links(error: BaseException) -> Iterator[str]:
    """What is told of an exception with many links; `traceback` would look at all of them."""
    links = [error]
    while len(links) < MOST_LINKS:
        last = links[-1]
        before = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if before is None:
            break
        links.append(before)
    yield "(what came before, and what groups hold, is left out)\n"
    for one in reversed(links):
        yield "\nTraceback (most recent call last):\n"
        yield from traceback.format_tb(_author_frames(one.__traceback__))
        yield f"{described(one)}\n"


def _unwrap_group(raised: BaseException) -> BaseException:
    while issubclass(type(raised), ExceptionGroup) and len(within := _members(raised)) == 1:
        raised = within[0]
    return raised


def _members(group: BaseException) -> tuple[BaseException, ...]:
    found: tuple[BaseException, ...] = vars(BaseExceptionGroup)["exceptions"].__get__(
        group
    )  # Past the author's own code.
    return found


def _plain(extra: object) -> Any:
    """What an author attached to an error, as JSON has it; the text of that where it is far too long."""
    try:
        text = json.dumps(extra, default=readable, skipkeys=True)
        return _redacted(json.loads(text) if len(text) <= MOST_CHARACTERS else cut(text))
    except (ValueError, TypeError, RecursionError) as error:
        return f"(cannot be shown: {type(error).__name__})"


def _redacted(value: Any) -> Any:
    """A value of JSON, with no text in it that holds what may be secret."""
    if isinstance(value, dict):
        return {name: _redacted(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_redacted(one) for one in value]
    return without_secrets(value) if isinstance(value, str) else value


def _traceback(raised: BaseException) -> TracebackType | None:
    found: TracebackType | None = vars(BaseException)["__traceback__"].__get__(raised)  # Past the author's own code.
    return found


def _author_frames(found: TracebackType | None) -> TracebackType | None:
    while found is not None and found.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        found = found.tb_next
    return found
