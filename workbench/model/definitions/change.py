"""A change of a definition, with a verdict: whether it is breaking, and for whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

JsonPath: TypeAlias = tuple[str | int, ...]


class Verdict(StrEnum):
    """The values are shown on the screen."""

    CALLERS = "breaking for callers"  # a call that was valid may be refused, or a part of it ignored
    READERS = "breaking for readers of results"  # a result may be one that was not valid
    UNKNOWN = "not compared in full"
    NONE = "not breaking"


_BREAKING = (Verdict.CALLERS, Verdict.READERS)


@dataclass(frozen=True, slots=True)
class DefinitionChange:
    """One difference between two definitions; its sentence may contain text of a server, which is not escaped."""

    path: JsonPath  # in the definition
    sentence: str
    verdict: Verdict = Verdict.NONE

    @property
    def is_breaking(self) -> bool:
        return self.verdict in _BREAKING

    @property
    def place(self) -> str:
        """The path as text, such as `inputSchema.properties.limit`."""
        return ".".join(map(str, self.path))


def verdict_text(changes: Iterable[DefinitionChange]) -> str:
    """Return the verdict on several changes together; empty if there are none."""
    verdicts = {change.verdict for change in changes}
    if len(breaking := [verdict for verdict in _BREAKING if verdict in verdicts]) > 1:
        return "breaking for callers and for readers of results"
    return str(next((verdict for verdict in (*breaking, Verdict.UNKNOWN, Verdict.NONE) if verdict in verdicts), ""))
