"""What is wrong with a value, in words that repeat nothing of it: values may be secrets, or long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_TOLD = 20


@dataclass(frozen=True)
class ValidationIssue:
    """One thing that is wrong with a value.

    Attributes:
        location: where, as keys and indexes from the root of the value.
        message: what is wrong; says nothing of the value.
        code: the kind of mistake.
    """

    location: tuple[str | int, ...]
    message: str
    code: str

    def field(self, whole: str) -> str:
        """Return where it is, as one word.

        Args:
            whole: the word for the value itself.
        """
        return ".".join(str(part) for part in self.location)[:200] or whole


def describe_issues(issues: Sequence[ValidationIssue], whole: str) -> str:
    """Return `field: what is wrong` for the first of them, and how many more there are."""
    more = f"; and {len(issues) - MOST_TOLD} more" if len(issues) > MOST_TOLD else ""
    return _joined("; ", issues, lambda one: f"{one.field(whole)}: {one.message}") + more


def codes(issues: Sequence[ValidationIssue], whole: str) -> str:
    """Return `field[code]` for the first of them."""
    return _joined(", ", issues, lambda one: f"{one.field(whole)}[{one.code}]")


def _joined(separator: str, issues: Sequence[ValidationIssue], write: Callable[[ValidationIssue], str]) -> str:
    return separator.join(write(one) for one in issues[:MOST_TOLD])
