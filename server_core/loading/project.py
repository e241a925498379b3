"""Load a folder or file of tools, as a sequence of generations.

A generation is built while the previous one serves, and replaces it in a single step. When a module that was loaded
before can no longer be imported, the last good state is restored, and only the problems are new.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from server_core.catalog.catalog import EMPTY, Catalog, Changes, diff
from server_core.catalog.identity import Identity
from server_core.catalog.problems import Problem
from server_core.errors import ConfigurationError
from server_core.loading.discovery import Discoverer, Discovery
from server_core.loading.import_context import ContextValues, ImportContext
from server_core.loading.modules import Importer, Loaded
from server_core.runtime.forks import end_if_forked
from server_core.settings import Settings
from server_core.settings.identity import identity_with

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.catalog.building.assembly import Assembler
    from server_core.catalog.declarations import Declaration
    from server_core.catalog.naming import Naming, Toolkit


@dataclass(frozen=True, eq=False)
class Generation:
    """The result of a load.

    Attributes:
        number: 1 for the first load of a project, then counting up.
        catalog: the new catalog of the server.
        identity: the identity of the server.
        problems: the problems, sorted by file and line.
        files: every file that was read.
        changes: the changes for clients since the previous generation.
        reloaded: the modules that were reloaded.
        duration_ms: the duration of the load.
        ok: whether every module could be loaded; if not, a reload retains the last good catalog.
        apps: the app objects in the modules.
        skipped: the Python files that were not loaded, each with the reason.
        context_values: the context variables that the files have set, for calls of their tools.
    """

    number: int
    catalog: Catalog
    identity: Identity
    problems: tuple[Problem, ...]
    files: frozenset[Path]
    changes: Changes
    reloaded: tuple[str, ...]
    duration_ms: float
    ok: bool
    apps: "tuple[MCPApp, ...]" = ()
    skipped: tuple[tuple[Path, str], ...] = ()
    context_values: ContextValues = ()


def empty_generation(path: Path, identity: Identity, error: BaseException) -> Generation:
    """Return an empty generation with the problem, for when even the discovery of tools fails.

    Args:
        path: the file or folder that was to be loaded.
        identity: the identity of the server.
        error: the exception.
    """
    from server_core.loading.load_problems import project_problem

    return Generation(0, EMPTY, identity, (project_problem(path, error),), frozenset(), Changes(), (), 0.0, ok=False)


def _toolkit_of(settings: Settings) -> "Toolkit | None":
    if not settings.toolkit:
        return None
    from server_core.catalog.naming import Toolkit

    return Toolkit(settings.toolkit, settings.server_version)


class Project:
    """A folder or file of tools.

    Args:
        path: the folder or file.
        settings: the settings; from the environment and the project's `.env` when not given.
        shares_modules: files that this process has already imported are not imported again.
        toolkit: the toolkit of tools that belong to no app; defaults to the toolkit in the settings, if any, else these
            tools have plain names.

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
    ) -> None:
        self.path = path.resolve()
        self.folder = self.path.parent if self.path.is_file() else self.path
        self.settings = settings or Settings.of_project(self.folder)
        self.toolkit = toolkit or _toolkit_of(self.settings)
        self._discoverer = Discoverer()
        self._importer = Importer(self.folder, shares=shares_modules)
        self._start()
        self._pending: set[Path] = set()
        self.discovery: Discovery = self._discover()
        """The files to load; available before anything is imported."""
        self.identity: Identity = identity_with(self.settings, self.discovery.identity)
        """The identity of the server."""

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._assembler: Assembler | None = None
        self._declared: list[Declaration] = []
        self._catalog = EMPTY
        self._number = 0
        self._of_imports: list[Problem] = []
        self._import_context = ImportContext()
        self.problems: tuple[Problem, ...] = ()
        """The problems of the last load."""
        self.apps: tuple[MCPApp, ...] = ()
        """The app objects in the modules; their declarations may change without a load."""

    @classmethod
    def from_app(cls, app: "MCPApp", settings: Settings | None = None) -> "Project":
        """Return a project for an app object: there is nothing to discover or to reload."""
        return AppProject(app, settings)

    def load(self) -> Generation:
        """Load everything for the first time; takes as long as the author's imports."""
        return self.reload(self.discovery.files)

    def reload(self, changed: Iterable[Path]) -> Generation:
        """Reload changed files, and the modules that import them.

        Args:
            changed: files that were changed, created or deleted; a folder means that it may have new files.
        """
        with self._lock:
            files = {path.resolve() for path in changed} | self._pending
            before = self._importer.loaded.copy()
            started = time.perf_counter()
            try:
                return self._reload(files, before, started)
            except Exception as error:  # Not an error in the author's code, but it must be reported as a problem.
                self._importer.restore(before)
                self._pending = files
                return self._last_good(error, started)

    def refresh(self) -> Generation | None:
        """Return a new generation if the declarations of an app have changed, else None; nothing is imported."""
        with self._lock:
            started = time.perf_counter()
            if self._declarations() == self._declared:
                return None
            catalog, problems = self._assemble()
            files = self._files()
            return self._generation(
                catalog, [*self._of_imports, *problems], files, (), started, ok=not self._of_imports
            )

    @property
    def is_busy(self) -> bool:
        """Whether a load or a refresh is running."""
        return self._lock.locked()

    def watched(self) -> frozenset[Path]:
        """Return every file that was read, and the folders in which new files may appear."""
        return frozenset(self._importer.loaded.files) | self.discovery.folders | frozenset(self.discovery.files)

    def leave(self) -> None:
        """Remove the project's modules from `sys.modules`; running calls continue."""
        self._importer.deactivate()

    def read_fingerprints(self) -> dict[Path, str]:
        """Return each file that was read, with the fingerprint of its text at that time."""
        return dict(self._importer.loaded.fingerprints)

    def _discover(self) -> Discovery:
        """Return the files to load.

        Raises:
            ConfigurationError: when they cannot be read.
        """
        return self._discoverer.discover(self.path)

    def _loads(self) -> list[tuple[Path, Callable[[], object]]]:
        """Return each file to load, with the function that loads it."""
        return [(file, partial(self._importer.load, file)) for file in self.discovery.files]

    def _naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.of(self.settings, self.toolkit)

    def _reload(self, changed: set[Path], before: Loaded, started: float) -> Generation:
        for path in changed:
            self._discoverer.forget(path)
        importer = self._importer
        try:
            self.discovery = self._discover()
        except ConfigurationError as error:  # The folder itself was deleted.
            return self._last_good(error, started)
        importer.activate()
        importer.settle(self.discovery.files, self.discovery.folders)
        # The watcher may not report files that were deleted together with their folder.
        deleted = {file for file in importer.loaded.files if not file.exists()}
        importer.drop(importer.affected_by(deleted.union(path for path in changed if path.suffix == ".py")))
        problems = self._of_imports = self._import_context.run(self._import)
        regressed = bool(problems) and any(name not in importer.loaded.modules for name in self._still_there(before))
        if regressed:
            files = frozenset(importer.loaded.files) | frozenset(before.files)
            importer.restore(before)
            self._pending = {path for path in changed if path.suffix == ".py"}
            return self._generation(self._catalog, problems, files, (), started, ok=False)
        self._pending = set()
        catalog, of_definitions = self._assemble()
        files = self._files()
        modules = importer.loaded.modules
        reloaded = tuple(sorted(name for name in modules if modules[name] is not before.modules.get(name)))
        return self._generation(catalog, problems + of_definitions, files, reloaded, started, ok=not problems)

    def _last_good(self, error: Exception, started: float) -> Generation:
        """Return a generation with the last good catalog, for when even the discovery of tools fails."""
        from server_core.loading.load_problems import project_problem

        problem = project_problem(self.path, error)
        self._of_imports = [problem]
        return self._generation(self._catalog, [problem], self._files(), (), started, ok=False)

    def _still_there(self, before: Loaded) -> list[str]:
        """Return the previously loaded modules whose files should still be loaded."""
        wanted = frozenset(self.discovery.files)
        return [name for file, name in before.files.items() if file in wanted and name in before.modules]

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
                    end_if_forked(process)
        finally:
            loading.reset(token)
        return list(dict.fromkeys(problems)) + [ran_while_loading(app.identity.name) for app in run]

    def _assemble(self) -> tuple[Catalog, list[Problem]]:
        from server_core.catalog.building.assembly import Assembler

        if self._assembler is None:
            self._assembler = Assembler(self._naming())
        self._declared = self._declarations()
        catalog, problems = self._assembler.assemble(self._declared)
        return catalog, [*problems, *self._unserved()]

    def _declarations(self) -> "list[Declaration]":
        from server_core.loading.collection import apps_of, declarations_of

        modules = self._modules_in_order()
        self.apps = tuple(apps_of(modules))
        identity = self.apps[0].identity if self.apps else self.discovery.identity
        has_auth = identity.has_auth or self.discovery.identity.has_auth
        self.identity = identity_with(self.settings, replace(identity, has_auth=has_auth))
        return declarations_of(modules, self.apps)

    def _unserved(self) -> list[Problem]:
        from server_core.loading.collection import places_of, unserved
        from server_core.loading.load_problems import problems_of_notes

        noted = problems_of_notes(self.discovery.notes, places_of(self._declared))
        return [*unserved(self._modules_in_order()), *noted]

    def _files(self) -> frozenset[Path]:
        return frozenset(self._importer.loaded.files)

    def _modules_in_order(self) -> list[ModuleType]:
        modules = self._importer.loaded.modules
        names = [self._importer.name_of(file) for file in self.discovery.files]
        return [modules[name] for name in dict.fromkeys([*names, *sorted(modules)]) if name in modules]

    def _generation(
        self,
        catalog: Catalog,
        problems: list[Problem],
        files: frozenset[Path],
        reloaded: tuple[str, ...],
        started: float,
        *,
        ok: bool,
    ) -> Generation:
        self._number += 1
        changes = diff(self._catalog, catalog)
        self._catalog = catalog
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.file, problem.line)))
        duration = (time.perf_counter() - started) * 1000
        return Generation(
            self._number,
            catalog,
            self.identity,
            self.problems,
            files,
            changes,
            reloaded,
            round(duration, 1),
            ok,
            self.apps,
            tuple((path, reason) for path, reason in self.discovery.skipped if path.suffix == ".py"),
            self._import_context.values,
        )


class AppProject(Project):
    """A project that consists of an app object.

    Args:
        app: the object.
        settings: the settings; from the environment and the project's `.env` when not given.
    """

    def __init__(self, app: "MCPApp", settings: Settings | None = None) -> None:
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        self.path = Path(main).resolve() if main else Path.cwd()
        self.folder = self.path.parent if main else self.path
        self.settings = settings or Settings.of_project(self.folder)
        self.toolkit = None
        self.identity = identity_with(self.settings, app.identity)
        self.discovery = Discovery((), (), app.identity, frozenset())
        self._start()
        self.apps = (app,)

    def reload(self, changed: Iterable[Path]) -> Generation:
        """Read the declarations of the app again."""
        with self._lock:
            started = time.perf_counter()
            catalog, problems = self._assemble()
            return self._generation(catalog, problems, frozenset(), (), started, ok=True)

    def leave(self) -> None:
        """Do nothing: no module was imported."""

    def watched(self) -> frozenset[Path]:
        """Return nothing: there is no file to reload."""
        return frozenset()

    def read_fingerprints(self) -> dict[Path, str]:
        """Return nothing: no file was read."""
        return {}

    def _declarations(self) -> "list[Declaration]":
        return list(self.apps[0].declarations)

    def _unserved(self) -> list[Problem]:
        return []

    def _files(self) -> frozenset[Path]:
        return frozenset()
