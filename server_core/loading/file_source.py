"""The tools in a folder or a file.

When a module that was loaded before can no longer be imported, the last good state is restored.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from server_core.catalog.problems import Problem
from server_core.loading.file_discovery import Discoverer, Discovery
from server_core.loading.import_context import ImportContext
from server_core.loading.modules import Importer, LoadedModules
from server_core.loading.project_source import SourceDeclarations, SourceFiles, SourceLoad
from server_core.runtime.processes import exit_fork
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp
    from server_core.catalog.declarations import Declaration
    from server_core.catalog.naming import Naming
    from server_core.catalog.toolkit import Toolkit


class FileSource:
    """A folder or file of tools.

    Args:
        settings: defaults to the environment and the project's `.env`.
        shares_modules: files that this process has already imported are not imported again.
        toolkit: the toolkit of tools that belong to no app; defaults to the toolkit in the settings, if any, else these
            tools have plain names.
        imports_from: the folder from which modules are imported; defaults to that of the tools.

    Raises:
        ConfigurationError: when nothing can be read at the path.
    """

    def __init__(
        self,
        path: Path,
        settings: Settings | None = None,
        *,
        shares_modules: bool = False,
        toolkit: "Toolkit | None" = None,
        imports_from: Path | None = None,
    ) -> None:
        self.path = path.resolve()
        self.folder = self.path.parent if self.path.is_file() else self.path
        self.settings = settings or Settings.of_project(self.folder)
        self._toolkit = toolkit or _toolkit_of(self.settings)
        self._discoverer = Discoverer()
        self._importer = Importer(imports_from or self.folder, shares=shares_modules)
        self._import_context = ImportContext()
        self._pending_files: set[Path] = set()
        self.discovery: Discovery = self._discover()

    @property
    def naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.from_settings(self.settings, self._toolkit)

    @property
    def files(self) -> SourceFiles:
        loaded, discovery = self._importer.loaded, self.discovery
        watched = frozenset(loaded.files) | discovery.folders | frozenset(discovery.files)
        return SourceFiles(self._read_files(), watched, dict(loaded.fingerprints))

    @contextmanager
    def load(self, changed: Iterable[Path]) -> Iterator[SourceLoad]:
        files = {path.resolve() for path in changed} | self._pending_files
        before = self._importer.loaded.copy()
        try:
            yield self._load(files, before)
        except Exception:  # Also of the body: the catalog of the load could not be assembled.
            self._importer.restore(before)
            self._pending_files = files
            raise

    def collect_declarations(self) -> SourceDeclarations:
        from server_core.loading.collection import apps_of, declarations_of

        modules = self._modules_in_order()
        apps = tuple(apps_of(modules))
        identity = apps[0].identity if apps else self.discovery.identity
        has_auth = identity.has_auth or self.discovery.identity.has_auth
        declarations = declarations_of(modules, apps)
        return SourceDeclarations(
            declarations, apps, replace(identity, has_auth=has_auth), self._declaration_problems(modules, declarations)
        )

    def leave(self) -> None:
        self._importer.deactivate()

    def _discover(self) -> Discovery:
        return self._discoverer.discover(self.path)

    def _load(self, changed: set[Path], before: LoadedModules) -> SourceLoad:
        for path in changed:
            self._discoverer.forget(path)
        self.discovery = self._discover()
        importer = self._importer
        importer.activate()
        importer.set_files(self.discovery.files, self.discovery.folders)
        # The watcher may not report files that were deleted together with their folder.
        deleted = {file for file in importer.loaded.files if not file.exists()}
        importer.unload(importer.affected_by(deleted.union(path for path in changed if path.suffix == ".py")))
        problems = self._import_context.run(self._import)
        context_values = self._import_context.values
        if problems and any(name not in importer.loaded.modules for name in self._expected_modules(before)):
            files = frozenset(importer.loaded.files) | frozenset(before.files)
            importer.restore(before)
            self._pending_files = {path for path in changed if path.suffix == ".py"}
            return SourceLoad(problems, is_reverted=True, files=files, context_values=context_values)
        self._pending_files = set()
        modules = importer.loaded.modules
        reloaded = tuple(sorted(name for name in modules if modules[name] is not before.modules.get(name)))
        return SourceLoad(problems, files=self._read_files(), reloaded=reloaded, context_values=context_values)

    def _import(self) -> list[Problem]:
        from server_core.authoring.declared_app import apps_run_while_loading
        from server_core.loading.load_problems import load_problem, run_call_warning

        problems: list[Problem] = []
        apps_run: list[DeclaredApp] = []
        process = os.getpid()
        token = apps_run_while_loading.set(apps_run)
        try:
            for file, load in self._loaders():
                try:
                    load()
                except BaseException as error:  # The author's code may raise anything, including SystemExit.
                    problems.append(load_problem(file, error, self._importer.loaded.files))
                finally:
                    if os.getpid() != process:
                        exit_fork()  # The child of a file that forks would load and serve the rest, too.
        finally:
            apps_run_while_loading.reset(token)
        return list(dict.fromkeys(problems)) + [run_call_warning(app.identity.name) for app in apps_run]

    def _loaders(self) -> list[tuple[Path, Callable[[], object]]]:
        return [(file, partial(self._importer.load, file)) for file in self.discovery.files]

    def _expected_modules(self, before: LoadedModules) -> list[str]:
        """Return the previously loaded modules whose files should still be loaded."""
        files = frozenset(self.discovery.files)
        return [name for file, name in before.files.items() if file in files and name in before.modules]

    def _read_files(self) -> frozenset[Path]:
        return frozenset(self._importer.loaded.files)

    def _modules_in_order(self) -> list[ModuleType]:
        """Return the loaded modules: those of discovered files in their order, then what they import."""
        modules = self._importer.loaded.modules
        names = [self._importer.locations.name_of(file) for file in self.discovery.files]
        return [modules[name] for name in dict.fromkeys([*names, *sorted(modules)]) if name in modules]

    def _declaration_problems(self, modules: list[ModuleType], declarations: "list[Declaration]") -> list[Problem]:
        from server_core.loading.collection import first_lines_of, unserved_problems
        from server_core.loading.load_problems import problems_of_notes, refusal_problem

        if self.discovery.refusal:
            return [refusal_problem(self.path, self.discovery.refusal)]
        return [*unserved_problems(modules), *problems_of_notes(self.discovery.notes, first_lines_of(declarations))]


def _toolkit_of(settings: Settings) -> "Toolkit | None":
    if not settings.toolkit:
        return None
    from server_core.catalog.toolkit import Toolkit

    return Toolkit(settings.toolkit, settings.server_version)
