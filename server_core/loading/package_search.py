"""Search for the packages of tools to serve: every installed package, or packages by name."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import TypeAlias

from server_core.catalog.toolkit import Toolkit
from server_core.errors import ToolkitLoadError
from server_core.loading.packages import (
    PREFIX,
    Package,
    find_package,
    normalized_name,
    package_by_name,
    package_of_entry,
)

# Arcade's own libraries, which contain no tools.
_LIBRARIES = frozenset({"arcade_ai", "arcade_core", "arcade_evals", "arcade_mcp", "arcade_mcp_server", "arcade_serve",
                        "arcade_tdk"})  # fmt: skip

_log = logging.getLogger(__name__)

PackageOpener: TypeAlias = tuple[str, Callable[[], Package]]
"""The name of a package, and a function that opens it."""


@dataclass(frozen=True)
class PackageSearch:
    """The result of a search for packages."""

    packages: tuple[Package, ...]
    # The name of a package that was discovered or requested, but is not served -> the reason.
    failures: Mapping[str, ToolkitLoadError]


def packages_by_name(names: Iterable[str]) -> PackageSearch:
    return _open_packages((name, partial(package_by_name, name)) for name in names)


def installed_packages() -> PackageSearch:
    """Return every installed package of tools: those with an entry point, then those named `arcade_...`."""
    return _open_packages([*_entry_point_openers(), *_prefix_openers()])


def installed_toolkits() -> list[Toolkit]:
    """Return every installed toolkit; a toolkit that cannot be loaded is logged as a warning."""
    search = installed_packages()
    toolkits = []
    failures = dict(search.failures)
    for package in search.packages:
        try:
            toolkits.append(package.checked_toolkit())
        except ToolkitLoadError as error:
            failures[package.facts.package_name] = error
    for name, reason in failures.items():
        _log.warning("The toolkit %s is skipped: %s", name, reason)
    return toolkits


def _entry_point_openers() -> Iterator[PackageOpener]:
    for entry in metadata.entry_points(group="arcade_toolkits", name="toolkit_name"):
        name = entry.dist.name if entry.dist is not None else entry.value
        yield name, partial(package_of_entry, entry)


def _prefix_openers() -> Iterator[PackageOpener]:
    names = {normalized_name(distribution.metadata["Name"] or "") for distribution in metadata.distributions()}
    for name in sorted(names - _LIBRARIES):
        if name.startswith(PREFIX):
            yield name, partial(find_package, name)


def _open_packages(openers: Iterable[PackageOpener]) -> PackageSearch:
    """Open the packages, and return them with the failures; the first of several with the same name is used."""
    packages: dict[str, Package] = {}
    failures: dict[str, ToolkitLoadError] = {}
    for name, open_package in openers:
        if normalized_name(name) in packages:
            continue
        try:
            package = open_package()
            package.discover()
        except ToolkitLoadError as error:
            failures[name] = error
        else:
            packages.setdefault(normalized_name(package.facts.package_name), package)
    return PackageSearch(tuple(packages.values()), failures)
