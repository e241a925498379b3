"""`ToolCatalog`: a collection of tools that a program fills itself; it has the interface of Arcade's class.

Adding an invalid tool raises its first error, with the other errors as notes; other tools are not affected. Disabled
tools and toolkits are ignored silently.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from server_core.authoring.materialized_tool import FullyQualifiedName, MaterializedTool, ToolMeta
from server_core.authoring.module_tools import functions_of, tools_in
from server_core.catalog.building.assembly import clash_message
from server_core.catalog.building.definition_building import build
from server_core.catalog.declarations import ToolDeclaration, declaration_of
from server_core.catalog.definitions import Tool
from server_core.catalog.naming import Naming
from server_core.catalog.problems import Problem, error_of
from server_core.catalog.toolkit import Toolkit
from server_core.errors import ToolkitLoadError


class ToolCatalog:
    """Tools by their fully-qualified names, in the order in which they were added.

    Args:
        naming: how tools are named, and which are disabled; from the environment when not given.
    """

    def __init__(self, naming: Naming | None = None) -> None:
        if naming is None:
            from server_core.settings import Settings

            naming = Naming.from_settings(Settings.from_environment())
        self._naming = naming
        self._tools: dict[FullyQualifiedName, MaterializedTool] = {}

    def add_tool(
        self,
        tool_func: Callable[..., Any],
        toolkit_or_name: str | Toolkit,
        module: ModuleType | None = None,
        toolkit_version: str | None = None,
        toolkit_description: str | None = None,
    ) -> None:
        """Add a function as a tool, with or without a decorator.

        Args:
            tool_func: the function.
            toolkit_or_name: the toolkit, or its name.
            module: the module of the function.
            toolkit_version: overrides the version of the toolkit.
            toolkit_description: overrides the description of the toolkit.

        Raises:
            ToolDefinitionError: when its declaration is invalid; other errors are added as notes.
            ToolkitLoadError: when there already is a tool with this name.
            ValueError: when the toolkit has no name.
        """
        toolkit = Toolkit(toolkit_or_name) if isinstance(toolkit_or_name, str) else toolkit_or_name
        if not toolkit.name:
            raise ValueError("A server name or server must be provided.")
        toolkit = replace(
            toolkit,
            version=toolkit_version or toolkit.version,
            description=toolkit_description or toolkit.description,
        )
        declared = declaration_of(tool_func)
        if not isinstance(declared, ToolDeclaration):
            declared = ToolDeclaration.declarer({})(tool_func)
        declaration = replace(declared, toolkit=toolkit)
        names = self._naming.names_of(declaration)
        if self._naming.entries_that_disable(names):
            return
        built = build(declaration, names)
        if not isinstance(built.offer, Tool):
            raise _error_of([problem for problem in built.problems if problem.severity == "error"])
        meta = ToolMeta(
            module=module.__name__ if module else str(getattr(tool_func, "__module__", "")),
            toolkit=toolkit.name,
            package=toolkit.package_name or None,
            path=getattr(module, "__file__", None),
        )
        self._add(MaterializedTool(declaration, built.offer, meta))

    def add_module(
        self,
        module: ModuleType,
        name: str | None = None,
        version: str | None = None,
        description: str | None = None,
    ) -> None:
        """Add every function with `@tool` in a module, or in the modules of a package, which need not be installed.

        Args:
            module: the module or package.
            name: the name of the toolkit; defaults to the name of the module without the prefix `arcade_`.
            version: its version.
            description: what it is for.

        Raises:
            ToolkitLoadError: when there are none, or a module cannot be imported.
            ToolDefinitionError: when a declaration is invalid.
        """
        top = module.__name__.partition(".")[0].removeprefix("arcade_")
        toolkit = Toolkit(name or top, version or "", description)
        for function in tools_in(module):
            self.add_tool(function, toolkit, module)

    def add_toolkit(self, toolkit: Toolkit, version: str | None = None, description: str | None = None) -> None:
        """Add the tools of a toolkit.

        Args:
            toolkit: the toolkit, with the names of its modules and of the functions in them.
            version: overrides its version.
            description: overrides its description.

        Raises:
            ToolkitLoadError: when a module cannot be imported, or lacks a function.
            ToolDefinitionError: when a declaration is invalid.
        """
        for module, name, function in functions_of(toolkit):
            if function is None:
                raise ToolkitLoadError(f"Could not import tool {name} in module {module.__name__}: it is not there.")
            self.add_tool(function, toolkit, module, version, description)

    def get_tool(self, name: FullyQualifiedName) -> MaterializedTool:
        """Return a tool; a name without a version matches any version.

        Raises:
            ValueError: when there is no such tool.
        """
        if name.toolkit_version:
            if name in self._tools:
                return self._tools[name]
            raise ValueError(f"Tool {name}@{name.toolkit_version} not found in the catalog.")
        for known, tool in self._tools.items():
            if known.equals_ignoring_version(name):
                return tool
        raise ValueError(f"Tool {name} not found.")

    def get_tool_by_name(self, name: str, version: str | None = None, separator: str | None = None) -> MaterializedTool:
        """Return a tool by its name, ignoring case.

        Args:
            name: the name of the tool, with or without that of its toolkit.
            version: the version of its toolkit; None for any.
            separator: the separator between toolkit and tool; defaults to that of qualified names.

        Raises:
            ValueError: when there is no such tool.
        """
        toolkit, has_toolkit, tool = name.partition(self._naming.separator if separator is None else separator)
        if has_toolkit:
            return self.get_tool(FullyQualifiedName(tool, toolkit, version))
        for qualified_name, materialized in self._tools.items():
            if qualified_name.name.lower() == name.lower() and (
                version is None or qualified_name.toolkit_version == version
            ):
                return materialized
        raise ValueError(f"Tool {name} not found in the catalog.")

    def find_tool_by_func(self, func: Callable[..., Any]) -> Tool:
        """Return the tool with this function.

        Raises:
            ValueError: when there is none.
        """
        for materialized in self:
            if materialized.tool == func:
                return materialized.definition
        raise ValueError(f"Tool {func} not found in the catalog.")

    def get_tool_names(self) -> list[FullyQualifiedName]:
        """Return the names of all tools."""
        return list(self._tools)

    def get_tool_count(self) -> int:
        """Return the number of tools."""
        return len(self._tools)

    def is_empty(self) -> bool:
        """Return whether there is no tool."""
        return not self._tools

    def __getitem__(self, name: FullyQualifiedName) -> MaterializedTool:
        return self.get_tool(name)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[MaterializedTool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def _add(self, tool: MaterializedTool) -> None:
        name = tool.fully_qualified_name
        if name in self._tools:
            raise ToolkitLoadError(clash_message(tool.definition))
        self._tools[name] = tool


def _error_of(problems: list[Problem]) -> Exception:
    error = error_of(problems[0])
    for other in problems[1:]:
        error.add_note(f"{other.file}:{other.line}: {other.message} {other.fix}")
    return error
