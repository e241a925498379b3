"""Packages of tools instead of a folder; their tools have the prefix of their toolkits.

Rule 1: the files of an editable package are loaded like those of a project, and reloaded when they change.
Rule 2: an installed package is imported normally, and only once: its files do not change while a process runs.
"""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from server_core.catalog.identity import DEFAULT_NAME, DEFAULT_VERSION, Identity
from server_core.catalog.problems import Problem
from server_core.errors import ConfigurationError, ErrorKind, ToolkitLoadError
from server_core.loading.file_discovery import Discovery
from server_core.loading.file_source import FileSource
from server_core.loading.package_search import PackageSearch, installed_packages, packages_by_name
from server_core.loading.packages import Package
from server_core.loading.project import Project
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.catalog.declarations import Declaration
    from server_core.catalog.naming import Naming


def open_project(path: Path, settings: Settings | None = None) -> Project:
    """Return the project at a path, or the packages that the settings name instead."""
    settings = settings or Settings.of_project(path)
    is_of_packages = settings.tool_package or settings.discover_installed
    return Project(PackageSource(path, settings) if is_of_packages else FileSource(path, settings))


# Modules are only imported from the packages, and not from the folder from which they are served.
_NO_FOLDER = Path(os.devnull)


class PackageSource(FileSource):
    """The packages that the settings name, or all installed ones; ConfigurationError if none has tools."""

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        path = path.resolve()
        folder = path.parent if path.is_file() else path
        settings = settings or Settings.of_project(folder)
        self._search = _search_packages(settings)
        self._installed: dict[Path, str] = {}  # the files of installed packages -> the names of their modules
        super().__init__(folder, settings, imports_from=_NO_FOLDER)

    @property
    def title(self) -> str:
        return ", ".join(package.facts.package_name for package in self._search.packages)

    def _discover(self) -> Discovery:
        scanned = [(package, self._scan(package)) for package in self._search.packages]
        editable = [discovery for package, discovery in scanned if package.is_editable]
        self._installed = {
            file: package.name_of(file)
            for package, discovery in scanned
            if not package.is_editable
            for file in discovery.files
        }
        for package, discovery in scanned:
            if package.is_editable:
                # Also the files that declare nothing: others import them by these names.
                files = [*discovery.files, *(path for path, _ in discovery.skipped if path.suffix == ".py")]
                self._importer.locations.set_names({file: package.name_of(file) for file in files})
        return Discovery(
            tuple(file for discovery in editable for file in discovery.files),
            tuple(skipped for _, discovery in scanned for skipped in discovery.skipped),
            self._identity([discovery for _, discovery in scanned]),
            frozenset(folder for discovery in editable for folder in discovery.folders),
            {file: names for _, discovery in scanned for file, names in discovery.tools.items()},
            tuple(note for _, discovery in scanned for note in discovery.notes),
        )

    def _scan(self, package: Package) -> Discovery:
        try:
            return package.discover(self._discoverer)
        except ToolkitLoadError as error:
            raise ConfigurationError(str(error)) from error

    def _identity(self, scanned: list[Discovery]) -> Identity:
        """Return the identity of an app in the packages, else of the only package; several packages have a default."""
        identity = next((discovery.identity for discovery in scanned if discovery.identity.is_of_app), None)
        has_middleware = any(discovery.identity.has_middleware for discovery in scanned)
        has_auth = any(discovery.identity.has_auth for discovery in scanned)
        if identity is None:
            facts = [package.facts for package in self._search.packages]
            name, version = DEFAULT_NAME, DEFAULT_VERSION
            if len(facts) == 1:
                name, version = facts[0].name, facts[0].version
            identity = Identity(name, version, is_of_app=False)
        return replace(identity, has_middleware=has_middleware, has_auth=has_auth)

    @property
    def naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.from_settings(
            self.settings, packages={package.module: package.facts for package in self._search.packages}
        )

    def _loaders(self) -> list[tuple[Path, Callable[[], object]]]:
        return [*super()._loaders(), *((file, partial(import_module, name)) for file, name in self._installed.items())]

    def _declaration_problems(self, modules: list[ModuleType], declarations: "list[Declaration]") -> list[Problem]:
        # A missing package is an error if it was requested by name, and a warning if it was discovered.
        missing = _missing_packages(self._search, "error" if self.settings.tool_package else "warning")
        return [*super()._declaration_problems(modules, declarations), *missing]

    def _read_files(self) -> frozenset[Path]:
        return super()._read_files() | self._installed.keys()

    def _modules_in_order(self) -> list[ModuleType]:
        installed = [sys.modules[name] for name in self._installed.values() if name in sys.modules]
        return [*super()._modules_in_order(), *installed]


def _search_packages(settings: Settings) -> PackageSearch:
    names = [name.strip() for name in settings.tool_package.split(",") if name.strip()]
    search = packages_by_name(names) if names else installed_packages()
    if search.packages:
        return search
    reasons = " ".join(f"{str(error).rstrip('.')}." for error in search.failures.values())
    if names:
        raise ConfigurationError(f"No tools found. {reasons} Install the missing packages, or correct the names.")
    raise ConfigurationError(
        f"No tools found. {reasons}{' ' if reasons else ''}No installed package of tools has an entry point "
        "`toolkit_name` in the group `arcade_toolkits`, or a name that begins with `arcade_`."
    )


def _missing_packages(search: PackageSearch, severity: Literal["error", "warning"]) -> Iterator[Problem]:
    for name, error in search.failures.items():
        yield Problem(
            severity,
            f"The package {name!r} is not served: {error}",
            fix="Install it, correct its name, or remove it from the list.",
            kind=ErrorKind.TOOLKIT_LOAD_FAILED.value,
        )
