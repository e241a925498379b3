"""A finding about an offer that may cause problems for a model or a client."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from workbench.model.json_members import object_in

Json: TypeAlias = Mapping[str, Any]
Severity: TypeAlias = Literal["warning", "advice"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A suggested change to a valid definition."""

    rule: str
    severity: Severity  # a warning prevents clients or models from using it; advice makes it easier to use
    message: str  # the problem, with the name of the item
    fix: str  # how to solve it, in a Python file if the definition comes from one
    file: str = ""  # that declares it; empty if unknown
    line: int = 0  # from 1; 0 if unknown
    elsewhere: str = ""  # how to solve it in a server of unknown language; empty if that is the same

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "elsewhere"}

    def with_source(self, source: Any) -> "Finding":
        """Return the finding for a definition declared at a place, from the core; None if that is unknown."""
        if source is None:
            return replace(self, fix=self.elsewhere or self.fix)
        return replace(self, file=source["file"], line=source["line"])


# Receives the definition of one tool, resource, template or prompt.
Rule: TypeAlias = Callable[[Json], Iterable[Finding]]


def warning(rule: str, message: str, fix: str, elsewhere: str = "") -> Finding:
    """Return a finding about a problem that prevents clients or models from using the offer."""
    return Finding(rule, "warning", message, fix, elsewhere=elsewhere)


def advice(rule: str, message: str, fix: str, elsewhere: str = "") -> Finding:
    """Return a finding that makes the offer easier to use."""
    return Finding(rule, "advice", message, fix, elsewhere=elsewhere)


def schema_of(tool: Json) -> dict[str, Any]:
    """Return the input schema of a tool; empty if there is none."""
    return object_in(tool, "inputSchema")
