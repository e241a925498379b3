"""Validation issues, described without any part of the value: values may be secret or long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MAX_DESCRIBED = 20


@dataclass(frozen=True)
class ValidationIssue:
    """An issue with a value.

    Attributes:
        location: the keys and indexes from the root of the value.
        message: what is wrong, without any part of the value.
        code: the kind of issue.
    """

    location: tuple[str | int, ...]
    message: str
    code: str

    def field(self, whole: str) -> str:
        """Return the location as a dotted path.

        Args:
            whole: the name of the value itself.
        """
        return ".".join(str(part) for part in self.location)[:200] or whole


def describe_issues(issues: Sequence[ValidationIssue], whole: str) -> str:
    """Return `field: what is wrong` for the first issues, and the number of the others."""
    more = f"; and {len(issues) - MAX_DESCRIBED} more" if len(issues) > MAX_DESCRIBED else ""
    return _joined("; ", issues, lambda issue: f"{issue.field(whole)}: {issue.message}") + more


def codes(issues: Sequence[ValidationIssue], whole: str) -> str:
    """Return `field[code]` for the first issues."""
    return _joined(", ", issues, lambda issue: f"{issue.field(whole)}[{issue.code}]")


def _joined(separator: str, issues: Sequence[ValidationIssue], write: Callable[[ValidationIssue], str]) -> str:
    return separator.join(write(issue) for issue in issues[:MAX_DESCRIBED])
