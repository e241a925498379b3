"""How tools are called: by clients, and by people who tell toolkits apart."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Toolkit:
    """A group of tools.

    Attributes:
        name: as its author wrote it.
        version: its version.
        description: what its tools are for.
    """

    name: str
    version: str = ""
    description: str | None = None
