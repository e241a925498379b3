"""Packages of tools, installed or editable, served instead of a folder: their tools are named after their toolkits.

Rule 1: the files of an editable package are loaded as those of a project are, and anew when they change.
Rule 2: an installed package is imported as everybody else imports it, once: its files do not change under a process.
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

from server_core.catalog import app_identity
from server_core.catalog.identity import Identity
from server_core.catalog.problems import Problem
from server_core.errors import ConfigurationError, ErrorKind, ToolkitLoadError
from server_core.loading.discovery import Discoverer, Discovery
from server_core.loading.modules import Importer
from server_core.loading.packages import Package, PackageSearch, chosen_packages, installed_packages
from server_core.loading.project import Project
from server_core.settings import Settings
from server_core.settings.identity import identity_with

if TYPE_CHECKING:
    from server_core.catalog.naming import Naming


def open_project(path: Path, settings: Settings | None = None) -> Project:
    """Return the tools at a path, or the packages that the settings name instead.

    Args:
        path: a folder or file.
        settings: limits and switches; from the environment and the project's `.env` when not given.

    Raises:
        ConfigurationError: when there is nothing that can be read, or no package.
    """
    settings = settings or Settings.of_project(path)
    is_of_packages = settings.tool_package or settings.discover_installed
    return PackageProject(path, settings) if is_of_packages else Project(path, settings)


# Modules are looked for in the packages alone, not in the folder from which they are served.
_NOWHERE = Path(os.devnull)


class PackageProject(Project):
    """The packages that the settings name, or all that are installed.

    Args:
        path: the folder whose settings and secrets count, or a file in it.
        settings: which packages, limits and switches; from the environment and that folder's `.env` when not given.

    Raises:
        ConfigurationError: when none of the packages has tools.
    """

    def __init__(self, path: Path, settings: Settings | None = None) -> None:
        path = path.resolve()
        self.path = self.folder = path.parent if path.is_file() else path
        self.settings = settings or Settings.of_project(self.folder)
        self.toolkit = None
        self._discoverer = Discoverer()
        self._importer = Importer(_NOWHERE)
        self._start()
        self._pending = set()
        self._search = _find(self.settings)
        self._installed: dict[Path, str] = {}
        """The files of installed packages -> the names of their modules."""
        self.discovery = self._discover()
        self.identity = identity_with(self.settings, self.discovery.identity)

    @property
    def title(self) -> str:
        """What people call it: the names of the packages."""
        return ", ".join(package.facts.package_name for package in self._search.packages)

    def _discover(self) -> Discovery:
        looked = [(package, self._scan(package)) for package in self._search.packages]
        editable = [found for package, found in looked if package.is_editable]
        self._installed = {
            file: package.name_of(file) for package, found in looked if not package.is_editable for file in found.files
        }
        for package, found in looked:
            if package.is_editable:
                files = [*found.files, *(path for path, _ in found.skipped if path.suffix == ".py")]
                self._importer.call({file: package.name_of(file) for file in files})
        return Discovery(
            tuple(file for found in editable for file in found.files),
            tuple(skipped for _, found in looked for skipped in found.skipped),
            self._identity([found for _, found in looked]),
            frozenset(folder for found in editable for folder in found.folders),
            {file: names for _, found in looked for file, names in found.tools.items()},
            tuple(note for _, found in looked for note in found.notes),
        )

    def _scan(self, package: Package) -> Discovery:
        try:
            return package.discover(self._discoverer)
        except ToolkitLoadError as error:
            raise ConfigurationError(str(error)) from error

    def _identity(self, looked: list[Discovery]) -> Identity:
        """That of an app in them, else of the only package; several packages have none in common."""
        of_app = next((found.identity for found in looked if found.identity.is_of_app), None)
        has_middleware = any(found.identity.has_middleware for found in looked)
        has_auth = any(found.identity.has_auth for found in looked)
        if of_app is None:
            facts = [package.facts for package in self._search.packages]
            name, version = app_identity.NAME, app_identity.VERSION
            if len(facts) == 1:
                name, version = facts[0].name, facts[0].version
            of_app = Identity(name, version, is_of_app=False)
        return replace(of_app, has_middleware=has_middleware, has_auth=has_auth)

    def _naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.of(self.settings, packages={package.module: package.facts for package in self._search.packages})

    def _loads(self) -> list[tuple[Path, Callable[[], object]]]:
        return [*super()._loads(), *((file, partial(import_module, name)) for file, name in self._installed.items())]

    def _unserved(self) -> list[Problem]:
        # What was asked for by its name is missed; what was only looked for may be anything.
        missing = _missing(self._search, "error" if self.settings.tool_package else "warning")
        return [*super()._unserved(), *missing]

    def _files(self) -> frozenset[Path]:
        return super()._files() | self._installed.keys()

    def _modules_in_order(self) -> list[ModuleType]:
        installed = [sys.modules[name] for name in self._installed.values() if name in sys.modules]
        return [*super()._modules_in_order(), *installed]


def _find(settings: Settings) -> PackageSearch:
    names = [name.strip() for name in settings.tool_package.split(",") if name.strip()]
    found = chosen_packages(names) if names else installed_packages()
    if found.packages:
        return found
    reasons = " ".join(f"{str(error).rstrip('.')}." for error in found.failures.values())
    if names:
        raise ConfigurationError(f"No tools found. {reasons} Install what is missing, or correct the name.")
    raise ConfigurationError(
        f"No tools found. {reasons}{' ' if reasons else ''}No installed package of tools has an entry point "
        "`toolkit_name` in the group `arcade_toolkits`, or a name that begins with `arcade_`."
    )


def _missing(found: PackageSearch, severity: Literal["error", "warning"]) -> Iterator[Problem]:
    for name, error in found.failures.items():
        yield Problem(
            severity,
            f"The package {name!r} is not served: {error}",
            fix="Install it, correct its name, or leave it out.",
            kind=ErrorKind.TOOLKIT_LOAD_FAILED.value,
        )
