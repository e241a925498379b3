"""Which files of a folder declare tools, resources or prompts: read, never imported."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Identity:
    """How a server names itself to clients.

    Attributes:
        name: its programmatic name.
        version: its version.
        title: its name for people.
        instructions: what a model should know to use it.
    """

    name: str
    version: str
    title: str | None = None
    instructions: str | None = None
