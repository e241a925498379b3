"""Toolkits: groups of tools that share the first part of their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Toolkit:
    """A group of tools.

    Attributes:
        name: as its author wrote it, for a package without `arcade_`; empty for tools with plain names.
        version: its version.
        description: what its tools are for.
        package_name: the name of its installed package; empty for none.
        tools: the name of a module -> the names of the tools in it; empty if the package was not scanned.
        author: the authors in the package metadata.
        homepage: the URL of its homepage.
        repository: the URL of its source repository.
    """

    name: str
    version: str = ""
    description: str | None = None
    package_name: str = ""
    tools: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False, repr=False)
    author: Sequence[str] = field(default=(), compare=False, repr=False)
    homepage: str | None = field(default=None, compare=False, repr=False)
    repository: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.package_name:
            # The dataclass is frozen, so that it can be part of a key.
            object.__setattr__(self, "name", self.name.removeprefix("arcade_"))

    @property
    def pascal_name(self) -> str:
        """The prefix of its tools' names."""
        return pascal_case(self.name.replace(" ", "_").replace("-", "_"))

    @property
    def authors(self) -> Sequence[str]:
        return self.author

    @classmethod
    def from_module(cls, module: ModuleType) -> "Toolkit":
        """Return the toolkit of the installed package that a module belongs to.

        Raises:
            ToolkitLoadError: when the package is not installed or has no tools.
        """
        return cls.from_package(module.__name__.partition(".")[0])

    @classmethod
    def from_package(cls, package: str) -> "Toolkit":
        """Return the toolkit of an installed package without importing it.

        Args:
            package: the name under which it was installed.

        Raises:
            ToolkitLoadError: when it is not installed, has no tools, or a file of it cannot be read as Python.
        """
        from server_core.loading.packages import find_package

        return find_package(package).checked_toolkit()

    @classmethod
    def from_directory(cls, directory: Path) -> "Toolkit":
        """Return the toolkit of the package in a folder with a pyproject.toml, installed or not.

        Raises:
            ToolkitLoadError: when there is no pyproject.toml, it names no project, or there are no tools.
        """
        from server_core.loading.packages import package_in

        return package_in(directory).checked_toolkit()

    @classmethod
    def from_entrypoint(cls, entry: "EntryPoint") -> "Toolkit":
        """Return the toolkit that an entry point of the group `arcade_toolkits` names.

        Raises:
            ToolkitLoadError: as for :meth:`from_package`, or when the entry point belongs to no package.
        """
        from server_core.loading.packages import package_of_entry

        return package_of_entry(entry).checked_toolkit()

    @classmethod
    def find_all_arcade_toolkits(cls) -> "list[Toolkit]":
        """Return every installed toolkit: those with an entry point, then those named `arcade_...`, without duplicates.

        A toolkit that cannot be loaded is logged as a warning.
        """
        from server_core.loading.package_search import installed_toolkits

        return installed_toolkits()


def pascal_case(name: str) -> str:
    """Return a name in PascalCase: `say_hello` -> `SayHello`; a name that starts with a capital letter is unchanged."""
    if "_" in name:
        return "".join(part.capitalize() or "_" for part in name.split("_"))
    return name if name[:1].isupper() else name.capitalize()
