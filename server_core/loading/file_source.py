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
from server_core.loading.discovery import Discoverer, Discovery
from server_core.loading.import_context import ImportContext
from server_core.loading.modules import Importer, Loaded
from server_core.loading.project_source import Declared, SourceFiles, SourceLoad
from server_core.runtime.process_exit import exit_fork
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.catalog.declarations import Declaration
    from server_core.catalog.naming import Naming, Toolkit


class FileSource:
    """A folder or file of tools.

    Args:
        path: the folder or file.
        settings: the settings; from the environment and the project's `.env` when not given.
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
        self._pending: set[Path] = set()
        self.discovery: Discovery = self._discover()

    @property
    def naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.of(self.settings, self._toolkit)

    @property
    def files(self) -> SourceFiles:
        loaded, discovery = self._importer.loaded, self.discovery
        watched = frozenset(loaded.files) | discovery.folders | frozenset(discovery.files)
        return SourceFiles(self._read(), watched, dict(loaded.fingerprints))

    @contextmanager
    def load(self, changed: Iterable[Path]) -> Iterator[SourceLoad]:
        files = {path.resolve() for path in changed} | self._pending
        before = self._importer.loaded.copy()
        try:
            yield self._load(files, before)
        except Exception:
            self._importer.restore(before)
            self._pending = files
            raise

    def declared(self) -> Declared:
        from server_core.loading.collection import apps_of, declarations_of

        modules = self._modules_in_order()
        apps = tuple(apps_of(modules))
        identity = apps[0].identity if apps else self.discovery.identity
        has_auth = identity.has_auth or self.discovery.identity.has_auth
        declarations = declarations_of(modules, apps)
        return Declared(declarations, apps, replace(identity, has_auth=has_auth), self._unserved(modules, declarations))

    def leave(self) -> None:
        self._importer.deactivate()

    def _discover(self) -> Discovery:
        """Return the files to load.

        Raises:
            ConfigurationError: when they cannot be read.
        """
        return self._discoverer.discover(self.path)

    def _load(self, changed: set[Path], before: Loaded) -> SourceLoad:
        for path in changed:
            self._discoverer.forget(path)
        self.discovery = self._discover()
        importer = self._importer
        importer.activate()
        importer.settle(self.discovery.files, self.discovery.folders)
        # The watcher may not report files that were deleted together with their folder.
        deleted = {file for file in importer.loaded.files if not file.exists()}
        importer.drop(importer.affected_by(deleted.union(path for path in changed if path.suffix == ".py")))
        problems = self._import_context.run(self._import)
        context_values = self._import_context.values
        if problems and any(name not in importer.loaded.modules for name in self._still_there(before)):
            files = frozenset(importer.loaded.files) | frozenset(before.files)
            importer.restore(before)
            self._pending = {path for path in changed if path.suffix == ".py"}
            return SourceLoad(problems, is_reverted=True, files=files, context_values=context_values)
        self._pending = set()
        modules = importer.loaded.modules
        reloaded = tuple(sorted(name for name in modules if modules[name] is not before.modules.get(name)))
        return SourceLoad(problems, files=self._read(), reloaded=reloaded, context_values=context_values)

    def _import(self) -> list[Problem]:
        from server_core.authoring.app import loading
        from server_core.loading.load_problems import load_problem, ran_while_loading

        problems: list[Problem] = []
        run: list[MCPApp] = []
        process = os.getpid()
        token = loading.set(run)
        try:
            for file, load in self._loads():
                try:
                    load()
                except BaseException as error:  # The author's code may raise anything, including SystemExit.
                    problems.append(load_problem(file, error, self._importer.loaded.files))
                finally:
                    if os.getpid() != process:
                        exit_fork()
        finally:
            loading.reset(token)
        return list(dict.fromkeys(problems)) + [ran_while_loading(app.identity.name) for app in run]

    def _loads(self) -> list[tuple[Path, Callable[[], object]]]:
        """Return each file to load, with the function that loads it."""
        return [(file, partial(self._importer.load, file)) for file in self.discovery.files]

    def _still_there(self, before: Loaded) -> list[str]:
        """Return the previously loaded modules whose files should still be loaded."""
        wanted = frozenset(self.discovery.files)
        return [name for file, name in before.files.items() if file in wanted and name in before.modules]

    def _read(self) -> frozenset[Path]:
        return frozenset(self._importer.loaded.files)

    def _modules_in_order(self) -> list[ModuleType]:
        modules = self._importer.loaded.modules
        names = [self._importer.name_of(file) for file in self.discovery.files]
        return [modules[name] for name in dict.fromkeys([*names, *sorted(modules)]) if name in modules]

    def _unserved(self, modules: list[ModuleType], declarations: "list[Declaration]") -> list[Problem]:
        from server_core.loading.collection import places_of, unserved
        from server_core.loading.load_problems import problems_of_notes

        return [*unserved(modules), *problems_of_notes(self.discovery.notes, places_of(declarations))]


def _toolkit_of(settings: Settings) -> "Toolkit | None":
    if not settings.toolkit:
        return None
    from server_core.catalog.naming import Toolkit

    return Toolkit(settings.toolkit, settings.server_version)
