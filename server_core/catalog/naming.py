"""How tools are called: by clients, by people who tell toolkits apart, and which of them are not offered at all.

Rule 1: a tool of a toolkit has two names for the same thing: `EchoServer_SayHello` on the wire, and the qualified
`EchoServer.SayHello`, which calls may use as well. A tool without a toolkit is called as its author called it.
Rule 2: names are told apart by case; only what disables tools and toolkits is not, since people type it.
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
    """What one tool is called.

    Attributes:
        wire: as clients call it.
        qualified: with the name of its toolkit before it; empty for a tool without a toolkit.
        tool: its name within the toolkit.
        title: its name for people, unless its author gives another; None for a tool without a toolkit.
        toolkit: the group that it belongs to; None for a tool without a toolkit.
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
    """Return what a tool is called.

    Args:
        given: the name that its author gave it; empty for none.
        function: the name of its function.
        toolkit: the group that it belongs to.
        separator: stands between the names of toolkit and tool in a qualified name.
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
        toolkit: the toolkit of those that name none themselves; None for their plain names.
        separator: stands between the names of toolkit and tool in a qualified name.
        disabled_tools: the tools that are not offered, by any of their names.
        disabled_toolkits: the toolkits whose tools are not offered.
        packages: the name of a package -> the toolkit of the tools in its modules that name none themselves.
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
        """Return the rules that the settings make.

        Args:
            settings: the separator and what is disabled.
            toolkit: the toolkit of tools that name none themselves.
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
        """Return what a tool is called."""
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
        """Return the entries of both lists that keep a tool from being offered; none when it is offered."""
        own = {names.wire.lower(), names.qualified.lower()}
        kit = names.toolkit
        group = {kit.name.lower(), kit.pascal_name.lower()} if kit is not None else set()
        by_name = {entry for entry in self.disabled_tools if entry.lower() in own}
        return by_name | {entry for entry in self.disabled_toolkits if entry.lower() in group}


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.strip() for entry in text.split(",") if entry.strip()))
