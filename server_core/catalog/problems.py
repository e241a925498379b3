"""Problems in an author's code, with the fix for each: collected, never raised.

One problem never hides another, and a tool with a problem does not affect other tools.
"""

import linecache
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
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
    """A problem in an author's code or settings."""

    severity: Literal["error", "warning"]  # an error keeps its subject out of the catalog; a warning does not
    message: str  # what is wrong, including the name of its subject
    file: str = ""
    line: int = 0
    source_line: str = ""  # the text of that line, without its indentation
    fix: str = ""
    kind: str = ErrorKind.TOOL_DEFINITION_BAD_DEFINITION.value
    subject: str = ""  # the name of the function or toolkit, as its author wrote it; empty for none
    text: str = ""  # the message without that name; empty when the message has no name

    def masked(self, mask: Callable[[str], str]) -> "Problem":
        """Return the problem with its texts masked."""
        return replace(
            self,
            message=mask(self.message),
            source_line=mask(self.source_line),
            fix=mask(self.fix),
            text=mask(self.text),
        )

    def to_json(self) -> dict[str, Any]:
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
    """Return a problem with the source line that it refers to."""
    if source is None:
        return Problem(severity, message, fix=fix, kind=kind.value, subject=subject, text=text)
    linecache.checkcache(source.file)  # The file may have changed since it was read.
    line = linecache.getline(source.file, source.line).strip()
    return Problem(severity, message, source.file, source.line, line, fix, kind.value, subject, text)


def error_of(problem: Problem) -> DefinitionError:
    """Return a problem as an exception, for callers that raise it.

    Its text is like `[KIND] ToolInputSchemaError in definition of tool 'add': Parameter a has no type annotation.`
    """
    error = _CLASSES[problem.kind](problem.text or problem.message)
    return type(error)(in_context(error, problem.subject)) if problem.subject else error


_CLASSES: dict[str, type[DefinitionError]] = {
    error_class.kind.value: error_class
    for error_class in (ToolDefinitionError, ToolInputSchemaError, ToolOutputSchemaError, ToolkitLoadError)
}
