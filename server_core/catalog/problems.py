"""What is wrong with what an author wrote, and what to do about it: collected, never raised.

One problem never hides another, and a tool with a problem never hides the tools without.
"""

import linecache
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from server_core.catalog.definitions import Source
from server_core.errors import (
    ErrorKind,
    ToolDefinitionError,
    ToolInputSchemaError,
    ToolkitLoadError,
    ToolOutputSchemaError,
    in_context,
)

DefinitionError: TypeAlias = ToolDefinitionError | ToolkitLoadError


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        severity: an error keeps the thing out of the catalog; a warning does not.
        message: what is wrong, with the name of what it is about.
        file: the path of the file; empty when it is about no file.
        line: the line, from 1; 0 when it is about no line.
        source_line: the text of that line, without its indentation.
        fix: what to do.
        kind: which kind of failure it is.
        subject: the function, or the toolkit, that it is about, as its author called it; empty when there is none.
        text: the message without that name; empty when it has none.
    """

    severity: Literal["error", "warning"]
    message: str
    file: str = ""
    line: int = 0
    source_line: str = ""
    fix: str = ""
    kind: str = ErrorKind.TOOL_DEFINITION_BAD_DEFINITION.value
    subject: str = ""
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the problem as a JSON value."""
        return asdict(self)


def problem_at(
    source: Source | None,
    message: str,
    fix: str,
    *,
    kind: ErrorKind = ErrorKind.TOOL_DEFINITION_BAD_DEFINITION,
    severity: Literal["error", "warning"] = "error",
    subject: str = "",
    text: str = "",
) -> Problem:
    """Return a problem together with the line of source that it is about.

    Args:
        source: where it is; None when it is nowhere in particular.
        message: what is wrong.
        fix: what to do.
        kind: which kind of failure it is.
        severity: whether the thing can be served all the same.
        subject: the function, or the toolkit, that it is about.
        text: the message without that name.
    """
    if source is None:
        return Problem(severity, message, fix=fix, kind=kind.value, subject=subject, text=text)
    linecache.checkcache(source.file)
    line = linecache.getline(source.file, source.line).strip()
    return Problem(severity, message, source.file, source.line, line, fix, kind.value, subject, text)


def error_of(problem: Problem) -> DefinitionError:
    """Return the exception that says the same as a problem, for whoever wants one raised.

    Its text is like `[KIND] ToolInputSchemaError in definition of tool 'add': Parameter a has no type annotation.`
    """
    error = _CLASSES[problem.kind](problem.text or problem.message)
    return type(error)(in_context(error, problem.subject)) if problem.subject else error


_CLASSES: dict[str, type[DefinitionError]] = {
    one.kind.value: one for one in (ToolDefinitionError, ToolInputSchemaError, ToolOutputSchemaError, ToolkitLoadError)
}
