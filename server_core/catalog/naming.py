"""The names of tools, and which tools are disabled.

Rule 1: a tool of a toolkit has two names: `EchoServer_SayHello` on the wire, and the qualified name
`EchoServer.SayHello`, which calls may use too. A tool without a toolkit has the name that its author gave it.
Rule 2: names are case-sensitive, except in the settings that disable tools and toolkits, since people type those.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from server_core.catalog.toolkit import Toolkit, pascal_case

if TYPE_CHECKING:
    from server_core.catalog.declarations import ToolDeclaration
    from server_core.settings import Settings

SEPARATOR = "."


@dataclass(frozen=True)
class ToolNames:
    """The names of a tool."""

    wire: str
    qualified: str  # its name, prefixed with that of its toolkit; empty for a tool without a toolkit
    tool: str  # its name within the toolkit
    title: str | None  # its default display name; None for a tool without a toolkit
    toolkit: Toolkit | None  # the toolkit that it belongs to, if any

    @classmethod
    def plain(cls, name: str) -> "ToolNames":
        """Return the names of a tool without a toolkit."""
        return cls(name, "", name, None, None)


def name_tool(written_name: str, function: str, toolkit: Toolkit | None, separator: str = SEPARATOR) -> ToolNames:
    """Return the names of a tool; `written_name` is the name that its author gave it, empty for none."""
    if toolkit is None or not toolkit.name:
        return ToolNames.plain(written_name or function)
    tool = pascal_case(written_name or function)
    wire = f"{toolkit.pascal_name}_{tool}".replace(".", "_")  # A dot separates qualified names.
    return ToolNames(wire, f"{toolkit.pascal_name}{separator}{tool}", tool, written_name or tool, toolkit)


@dataclass(frozen=True)
class Naming:
    """How the tools of one server are named, and which of them are not offered."""

    toolkit: Toolkit | None = None  # the toolkit of tools that declare none; None for plain names
    separator: str = SEPARATOR  # the separator between toolkit and tool in a qualified name
    disabled_tools: Collection[str] = ()  # the tools that are not offered, by any of their names
    disabled_toolkits: Collection[str] = ()  # the toolkits whose tools are not offered
    # The name of a package -> the toolkit of the tools in its modules that declare none.
    packages: Mapping[str, Toolkit] = field(default_factory=dict)

    @classmethod
    def from_settings(
        cls, settings: "Settings", toolkit: Toolkit | None = None, packages: Mapping[str, Toolkit] | None = None
    ) -> "Naming":
        return cls(
            toolkit,
            settings.tool_name_separator,
            _split_list(settings.disabled_tools),
            _split_list(settings.disabled_toolkits),
            packages or {},
        )

    def names_of(self, declaration: "ToolDeclaration") -> ToolNames:
        written_name = str(declaration.options.get("name") or "")
        toolkit = declaration.toolkit
        if toolkit is None:
            toolkit = self._package_toolkit(declaration) or self.toolkit
        return name_tool(written_name, declaration.name, toolkit, self.separator)

    def _package_toolkit(self, declaration: "ToolDeclaration") -> Toolkit | None:
        if not self.packages:
            return None
        module = str(getattr(declaration.function, "__module__", ""))
        # A package may contain another one that is also served; its tools belong to the inner one.
        owners = [name for name in self.packages if f"{module}.".startswith(f"{name}.")]
        return self.packages[max(owners, key=len)] if owners else None

    def entries_that_disable(self, names: ToolNames) -> set[str]:
        """Return the entries of both lists that disable a tool; empty when it is offered."""
        tool_names, toolkit = {names.wire.lower(), names.qualified.lower()}, names.toolkit
        toolkit_names = {toolkit.name.lower(), toolkit.pascal_name.lower()} if toolkit is not None else set()
        return {entry for entry in self.disabled_tools if entry.lower() in tool_names} | {
            entry for entry in self.disabled_toolkits if entry.lower() in toolkit_names
        }


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.strip() for entry in text.split(",") if entry.strip()))
