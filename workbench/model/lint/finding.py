"""What a model or a client may stumble over in what a server offers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Mapping[str, Any]
Severity: TypeAlias = Literal["warning", "advice"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is better changed, though it is served as it is.

    Attributes:
        rule: the name of the rule that found it.
        severity: a warning keeps clients or models from using it; advice makes it easier to use.
        message: what is found, with the name of what it is about.
        fix: what to do.
        file: the file that declares it; empty where that is not known.
        line: the line of the declaration, from 1; 0 where that is not known.
    """

    rule: str
    severity: Severity
    message: str
    fix: str
    file: str = ""
    line: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON value."""
        return asdict(self)

    def declared_at(self, source: Any) -> "Finding":
        """Return the finding with the place of the declaration, as the core tells it; None for an unknown one."""
        return self if source is None else replace(self, file=source["file"], line=source["line"])


Rule: TypeAlias = Callable[[Json], Iterable[Finding]]
"""Takes the definition of one tool, resource, template or prompt."""


def warning(rule: str, message: str, fix: str) -> Finding:
    """Return a finding that keeps clients or models from using what is offered."""
    return Finding(rule, "warning", message, fix)


def advice(rule: str, message: str, fix: str) -> Finding:
    """Return a finding that makes what is offered easier to use."""
    return Finding(rule, "advice", message, fix)


def text(value: Any) -> str:
    """Return a member that ought to be text; empty for anything else, since servers write the definitions."""
    return value if isinstance(value, str) else ""


def schema_of(tool: Json) -> dict[str, Any]:
    """Return the input schema of a tool; empty where there is none."""
    schema = tool.get("inputSchema")
    return schema if isinstance(schema, dict) else {}
