"""Turn an exception of an author's code into an error for the client and a report for the author.

An exception class of an author may itself be broken: its `__str__` may raise, or it may lack the attributes of our
base classes. Such an exception is reported like any other.
"""

import sysconfig
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from server_core.adapters.adapter import adapted, described, shown
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
from server_core.runtime.safe_json import dump_json, parse_json
from server_core.runtime.safe_text import MAX_CHARACTERS, class_name, cut, guarded, readable

Json: TypeAlias = dict[str, Any]
T = TypeVar("T")

# Frames of these modules are left out of tracebacks: they do not help the author.
_OURS = "server_core."
_LIBRARIES = tuple(
    {path for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))}
)

BY_THE_TOOL = "by the tool"
MAX_LINKS = 100
"""How many exceptions of a chain a traceback contains."""

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
    """A failed call of a tool.

    Attributes:
        tool: the tool.
        raised: the exception that it raised.
        error: the ToolRuntimeError that represents the exception.
        problems: problems with error adapters, for the author.
    """

    tool: Tool
    raised: BaseException
    error: ToolRuntimeError
    problems: tuple[str, ...] = ()

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
        unexpected = self.error is not self.raised or self.raised.__cause__ is not None
        return traceback_of(self.raised) if unexpected else None

    def describe(self, text: object) -> str:
        """Return the text, prefixed with the name of what failed, as agents and orchestrators expect it."""
        return in_context(self.error, self.function, readable(text))

    def report(self) -> Json:
        """Return the details that the author of the tool gets and the agent does not."""
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
    """Return the failure for an exception.

    Args:
        raised: the exception that the tool raised.
        tool: the tool; its adapters are tried before the built-in ones.
    """
    problems: list[str] = []
    raised = normalise_exception(raised)
    return Failure(tool, raised, _normalised(raised, tool, problems), tuple(problems))


def normalise_exception(raised: BaseException, where: str = BY_THE_TOOL) -> BaseException:
    """Return the exception, or a substitute if reading its attributes raises or its `__class__` is false.

    An exception group with a single member, as `asyncio.TaskGroup` raises it, is replaced by that member.

    Args:
        raised: the exception that an author's code raised.
        where: the origin of the exception, as the message for agents names it.
    """
    raised = _unwrap_group(raised)
    why = guarded(lambda: _problem_of(raised), _raised_when_read)
    return unreadable_error(raised, why, where) if why else raised


def converted(raised: BaseException, convert: Callable[[BaseException], T], where: str = BY_THE_TOOL) -> T:
    """Return the result of converting an exception; if that fails, the result of converting a substitute for it.

    The class of a normalised exception may still behave differently at each access.

    Args:
        raised: the exception, normalised.
        convert: the conversion.
        where: see :func:`normalise_exception`.
    """
    return guarded(
        lambda: convert(raised),
        lambda error: convert(unreadable_error(raised, _raised_when_read(error), where)),
    )


def developer_message_of(error: BaseException) -> str | None:
    """Return the text that an error has for the author, with possible secrets removed; None if it has none."""
    detail = getattr(error, "developer_message", None)
    return None if detail is None else shown(detail)


def unreadable_error(raised: BaseException, why: str, where: str = BY_THE_TOOL) -> FatalToolError:
    """Return a substitute for an exception that cannot be read.

    Args:
        raised: the exception.
        why: the problem with it, for the author.
        where: see :func:`normalise_exception`.
    """
    error = FatalToolError(unhandled(raised, where), f"{class_name(type(raised))}: {why}")
    return error.with_traceback(_traceback(raised))


def unhandled(raised: BaseException, where: str = BY_THE_TOOL) -> str:
    """Return the message that agents get for an exception that carries no message for them."""
    return f"An unhandled {class_name(type(raised))} was raised {where}."


def traceback_of(error: BaseException) -> str:
    """Return the traceback of an exception from the author's first frame on, with possible secrets removed.

    Only the last :data:`MAX_LINKS` exceptions of the chain are included, because formatting each takes time.
    """
    return guarded(
        lambda: without_secrets(cut("".join(_traceback_lines(error)))),
        lambda failure: f"(the traceback cannot be shown: {type(failure).__name__})",
    )


def place_of(error: BaseException) -> tuple[str, int]:
    """Return the file and line of the author's code that raised an exception; `("", 0)` if none did."""
    frames = traceback.extract_tb(_author_frames(error.__traceback__))
    own = [frame for frame in frames if not frame.filename.startswith(_LIBRARIES)] or frames
    return (own[-1].filename, own[-1].lineno or 0) if own else ("", 0)


def _problem_of(raised: BaseException) -> str:
    """Return why an exception needs a substitute; empty if it does not."""
    kind = type(raised)
    if issubclass(kind, ToolRuntimeError):
        [getattr(raised, name, None) for name in _READ_ATTRIBUTES]
    return "" if raised.__class__ is kind else "its __class__ is another class"


def _raised_when_read(error: BaseException) -> str:
    return f"its own code raised {class_name(type(error))} when it was read"


def _normalised(raised: BaseException, tool: Tool, problems: list[str]) -> ToolRuntimeError:
    if isinstance(raised, ToolRuntimeError):
        return raised
    if isinstance(raised, RemoteError):
        return FatalToolError(f"The client returned an error: {raised.message}")
    if isinstance(raised, ContextError | ProtocolFailure | RequestFailure | ResourceError | PromptError):
        return FatalToolError(readable(raised))
    error = adapted(raised, adapters_for(tool), problems)
    if error is not None:
        return error
    return FatalToolError(unhandled(raised), described(raised))


def _traceback_lines(error: BaseException) -> Iterable[str]:
    if _has_few_links(error):
        return traceback.format_exception(type(error), error, _author_frames(error.__traceback__))
    return _last_links(error)


def _has_few_links(error: BaseException) -> bool:
    """Return whether at most :data:`MAX_LINKS` exceptions are linked: causes, contexts and members of groups."""
    seen: set[int] = set()
    remaining: list[BaseException | None] = [error]
    while remaining:
        if (link := remaining.pop()) is None or id(link) in seen:
            continue
        seen.add(id(link))
        members = _members(link) if issubclass(type(link), BaseExceptionGroup) else ()
        if len(seen) + len(members) > MAX_LINKS:
            return False
        remaining += [link.__cause__, link.__context__, *members]
    return True


def _last_links(error: BaseException) -> Iterator[str]:
    """Format the end of a long exception chain; the `traceback` module would format all of it."""
    links = [error]
    while len(links) < MAX_LINKS:
        last = links[-1]
        before = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if before is None:
            break
        links.append(before)
    yield "(earlier exceptions and members of groups are omitted)\n"
    for link in reversed(links):
        yield "\nTraceback (most recent call last):\n"
        yield from traceback.format_tb(_author_frames(link.__traceback__))
        yield f"{described(link)}\n"


def _unwrap_group(raised: BaseException) -> BaseException:
    while issubclass(type(raised), ExceptionGroup) and len(members := _members(raised)) == 1:
        raised = members[0]
    return raised


def _members(group: BaseException) -> tuple[BaseException, ...]:
    # Through the descriptor, so that no attribute access of the author's class runs.
    members: tuple[BaseException, ...] = vars(BaseExceptionGroup)["exceptions"].__get__(group)
    return members


def _plain(extra: object) -> Any:
    """Return an error's `extra` as a JSON value, or as truncated JSON text if it is too long."""
    try:
        text = dump_json(extra, default=readable, skipkeys=True)
        return _redacted(parse_json(text) if len(text) <= MAX_CHARACTERS else cut(text))
    except ValueError as error:
        return f"(cannot be shown: {error})"


def _redacted(value: Any) -> Any:
    """Return a JSON value with possible secrets removed from its strings."""
    if isinstance(value, dict):
        return {name: _redacted(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_redacted(item) for item in value]
    return without_secrets(value) if isinstance(value, str) else value


def _traceback(raised: BaseException) -> TracebackType | None:
    # Through the descriptor, as in `_members`.
    frames: TracebackType | None = vars(BaseException)["__traceback__"].__get__(raised)
    return frames


def _author_frames(frames: TracebackType | None) -> TracebackType | None:
    while frames is not None and frames.tb_frame.f_globals.get("__name__", "").startswith(_OURS):
        frames = frames.tb_next
    return frames
