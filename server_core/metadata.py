"""What a tool is about and what it does, for whoever has to choose among many."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ToolMetadata:
    """What a tool is about and what it does.

    Attributes:
        classification: what it is about.
        behavior: what it does to the world.
        extras: whatever else orchestrators want to know, JSON-safe.
        strict: contradictions are refused.
    """

    classification: Any = None
    behavior: Any = None
    extras: dict[str, Any] = field(default_factory=dict)
    strict: bool = True
