"""The names of tools, and which tools are disabled.

Rule 1: a tool of a toolkit has two names: `EchoServer_SayHello` on the wire, and the qualified name
`EchoServer.SayHello`, which calls may use too. A tool without a toolkit has the name that its author gave it.
Rule 2: names are case-sensitive, except in the settings that disable tools and toolkits, since people type those.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from server_core.catalog.toolkit import PLAIN, Toolkit, pascal_case

if TYPE_CHECKING:
    from server_core.catalog.declarations import ToolDeclaration
    from server_core.settings import Settings

__all__ = ["PLAIN", "SEPARATOR", "Naming", "ToolNames", "Toolkit", "name_tool", "pascal_case"]

SEPARATOR = "."


@dataclass(frozen=True)
class ToolNames:
    """The names of a tool.

    Attributes:
        wire: its name on the wire.
        qualified: its name, prefixed with that of its toolkit; empty for a tool without a toolkit.
        tool: its name within the toolkit.
        title: its default display name; None for a tool without a toolkit.
        toolkit: the toolkit that it belongs to, if any.
    """

    wire: str
    qualified: str
    tool: str
    title: str | None
    toolkit: Toolkit | None

    @classmethod
    def plain(cls, name: str) -> "ToolNames":
        """Return the names of a tool without a toolkit."""
        return cls(name, "", name, None, None)


def name_tool(given: str, function: str, toolkit: Toolkit | None, separator: str = SEPARATOR) -> ToolNames:
    """Return the names of a tool.

    Args:
        given: the name that its author gave it; empty for none.
        function: the name of its function.
        toolkit: the toolkit that it belongs to, if any.
        separator: the separator between toolkit and tool in a qualified name.
    """
    if toolkit is None or not toolkit.name:
        return ToolNames.plain(given or function)
    tool = pascal_case(given or function)
    wire = f"{toolkit.pascal_name}_{tool}".replace(".", "_")
    return ToolNames(wire, f"{toolkit.pascal_name}{separator}{tool}", tool, given or tool, toolkit)


@dataclass(frozen=True)
class Naming:
    """How the tools of one server are named, and which of them are not offered.

    Attributes:
        toolkit: the toolkit of tools that declare none; None for plain names.
        separator: the separator between toolkit and tool in a qualified name.
        disabled_tools: the tools that are not offered, by any of their names.
        disabled_toolkits: the toolkits whose tools are not offered.
        packages: the name of a package -> the toolkit of the tools in its modules that declare none.
    """

    toolkit: Toolkit | None = None
    separator: str = SEPARATOR
    disabled_tools: Collection[str] = ()
    disabled_toolkits: Collection[str] = ()
    packages: Mapping[str, Toolkit] = field(default_factory=dict)

    @classmethod
    def of(
        cls, settings: "Settings", toolkit: Toolkit | None = None, packages: Mapping[str, Toolkit] | None = None
    ) -> "Naming":
        """Return the naming that the settings define.

        Args:
            settings: the separator, and what is disabled.
            toolkit: the toolkit of tools that declare none.
            packages: the name of a package -> its toolkit.
        """
        return cls(
            toolkit,
            settings.tool_name_separator,
            _listed(settings.disabled_tools),
            _listed(settings.disabled_toolkits),
            packages or {},
        )

    def names_of(self, declaration: "ToolDeclaration") -> ToolNames:
        """Return the names of a tool."""
        given = str(declaration.options.get("name") or "")
        toolkit = declaration.toolkit
        if toolkit is None:
            toolkit = self._of_package(declaration) or self.toolkit
        return name_tool(given, declaration.name, toolkit, self.separator)

    def _of_package(self, declaration: "ToolDeclaration") -> Toolkit | None:
        if not self.packages:
            return None
        module = str(getattr(declaration.function, "__module__", ""))
        owners = [name for name in self.packages if f"{module}.".startswith(f"{name}.")]
        return self.packages[max(owners, key=len)] if owners else None

    def entries_that_disable(self, names: ToolNames) -> set[str]:
        """Return the entries of both lists that disable a tool; empty when it is offered."""
        own = {names.wire.lower(), names.qualified.lower()}
        kit = names.toolkit
        group = {kit.name.lower(), kit.pascal_name.lower()} if kit is not None else set()
        by_name = {entry for entry in self.disabled_tools if entry.lower() in own}
        return by_name | {entry for entry in self.disabled_toolkits if entry.lower() in group}


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.strip() for entry in text.split(",") if entry.strip()))
