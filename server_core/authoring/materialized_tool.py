"""`MaterializedTool` and `FullyQualifiedName`: a tool of a `ToolCatalog`, with Arcade's names."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from server_core.catalog.declarations import ToolDeclaration
from server_core.catalog.definitions import Tool
from server_core.catalog.toolkit import Toolkit


@dataclass(frozen=True)
class FullyQualifiedName:
    """The name of a tool with that of its toolkit; case-insensitive."""

    name: str
    toolkit_name: str
    toolkit_version: str | None = None  # the version of its toolkit; None for any

    def __str__(self) -> str:
        return f"{self.toolkit_name}.{self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FullyQualifiedName) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @classmethod
    def from_toolkit(cls, tool_name: str, toolkit: Toolkit) -> "FullyQualifiedName":
        """Return the name of a tool of a toolkit."""
        return cls(tool_name, toolkit.pascal_name, toolkit.version or None)

    def equals_ignoring_version(self, other: "FullyQualifiedName") -> bool:
        """Return whether both name the same tool, regardless of the version."""
        return self._key[:2] == other._key[:2]

    @property
    def _key(self) -> tuple[str, str, str]:
        return self.name.lower(), self.toolkit_name.lower(), (self.toolkit_version or "").lower()


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class ToolMeta:
    """The origin of a tool."""

    module: str
    toolkit: str | None = None  # the name of its toolkit, as its author wrote it
    package: str | None = None  # the installed package of the toolkit, if any
    path: str | None = None
    date_added: datetime = field(default_factory=_now)  # when it was added to the catalog
    date_updated: datetime = field(default_factory=_now)  # when it was last changed there


@dataclass(frozen=True, eq=False)
class MaterializedTool:
    """A tool that is ready to be served."""

    declaration: ToolDeclaration
    definition: Tool
    meta: ToolMeta

    @property
    def tool(self) -> Callable[..., Any]:
        """The author's function."""
        return self.definition.function

    @property
    def name(self) -> str:
        """Its name within its toolkit."""
        return self.definition.short_name

    @property
    def version(self) -> str | None:
        return self.definition.toolkit.version or None if self.definition.toolkit else None

    @property
    def description(self) -> str:
        return self.definition.description or ""

    @property
    def requires_auth(self) -> bool:
        """Whether it acts with an account."""
        return self.definition.requires_auth is not None

    @property
    def fully_qualified_name(self) -> FullyQualifiedName:
        toolkit = self.definition.toolkit
        assert toolkit is not None
        return FullyQualifiedName(self.name, toolkit.pascal_name, self.version)
