"""One folder or file of tools, loaded as one generation after another.

A generation is made beside the one that serves, and takes its place in one step. When a module that was loaded before
can no longer be imported, everything goes back to the last good state, and only the problems are new.
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
    """The outcome of one load.

    Attributes:
        number: 1 for the first load of a project, then counting up.
        catalog: what the server offers from now on.
        identity: how the server names itself.
        problems: all that is wrong, in the order of files and lines.
        files: every file that the load read.
        changes: what clients see differ from the generation before.
        reloaded: the modules that were loaded anew.
        duration_ms: how long it took.
        ok: whether every module could be loaded; when a reload fails, the last good catalog is kept.
        apps: the app objects in it.
        skipped: the Python files that were found and not loaded, each with the reason.
        context_values: the context variables that the files have set, for their calls.
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


def nothing_loaded(path: Path, identity: Identity, error: BaseException) -> Generation:
    """Return what is served when not even looking for the tools succeeds: nothing, and the reason.

    Args:
        path: what was to be loaded.
        identity: who the server is.
        error: why it was not.
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
        settings: limits and switches; from the environment and the project's `.env` when not given.
        shares_modules: files that this process has imported already are not imported a second time.
        toolkit: the toolkit of the tools that belong to no app; the one that the settings name when not given, else
            their names are plain.

    Raises:
        ConfigurationError: when there is nothing that can be read at the path.
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
        """What there is to load; known before anything is imported."""
        self.identity: Identity = identity_with(self.settings, self.discovery.identity)
        """How the server names itself."""

    def _start(self) -> None:
        self._lock = threading.Lock()
        self._assembler: Assembler | None = None
        self._declared: list[Declaration] = []
        self._catalog = EMPTY
        self._number = 0
        self._of_imports: list[Problem] = []
        self._import_context = ImportContext()
        self.problems: tuple[Problem, ...] = ()
        """All that was wrong at the last load."""
        self.apps: tuple[MCPApp, ...] = ()
        """The app objects in it; what they offer may change without a load."""

    @classmethod
    def from_app(cls, app: "MCPApp", settings: Settings | None = None) -> "Project":
        """Return the project that is an app object as it stands: nothing to discover, nothing to load anew."""
        return AppProject(app, settings)

    def load(self) -> Generation:
        """Load everything for the first time; takes as long as the author's imports take."""
        return self.reload(self.discovery.files)

    def reload(self, changed: Iterable[Path]) -> Generation:
        """Load anew what changed and what imports it.

        Args:
            changed: files that were changed, made or deleted; folders stand for what may be new in them.
        """
        with self._lock:
            files = {path.resolve() for path in changed} | self._pending
            before = self._importer.loaded.copy()
            started = time.perf_counter()
            try:
                return self._reload(files, before, started)
            except Exception as error:  # No author's code is to blame, but whoever waits for tools has to hear of it.
                self._importer.restore(before)
                self._pending = files
                return self._last_good(error, started)

    def refresh(self) -> Generation | None:
        """Return what is offered now that an app may offer something else; None when none does.

        Nothing is imported.
        """
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
        """Whether a load runs, or a look at what the apps offer."""
        return self._lock.locked()

    def watched(self) -> frozenset[Path]:
        """Return every file that a load read, and the folders in which new ones may appear."""
        return frozenset(self._importer.loaded.files) | self.discovery.folders | frozenset(self.discovery.files)

    def leave(self) -> None:
        """Take the project's modules out of this process's imports; what runs goes on."""
        self._importer.deactivate()

    def read_fingerprints(self) -> dict[Path, str]:
        """Return each file that was read -> the fingerprint of its text at that time."""
        return dict(self._importer.loaded.fingerprints)

    def _discover(self) -> Discovery:
        """Look at what there is to load.

        Raises:
            ConfigurationError: when it cannot be read.
        """
        return self._discoverer.discover(self.path)

    def _loads(self) -> list[tuple[Path, Callable[[], object]]]:
        """Each file to load, with what does."""
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
        except ConfigurationError as error:  # The folder itself went away.
            return self._last_good(error, started)
        importer.activate()
        importer.settle(self.discovery.files, self.discovery.folders)
        # What went away together with its folder may not have been told.
        gone = {file for file in importer.loaded.files if not file.exists()}
        importer.drop(importer.affected_by(gone.union(path for path in changed if path.suffix == ".py")))
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
        """What was served before, when not even looking for the tools succeeds."""
        from server_core.loading.load_problems import project_problem

        problem = project_problem(self.path, error)
        self._of_imports = [problem]
        return self._generation(self._catalog, [problem], self._files(), (), started, ok=False)

    def _still_there(self, before: Loaded) -> list[str]:
        """The modules of before whose files ought to be loaded still."""
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
                except BaseException as error:  # Whatever the author's code raises, SystemExit among it.
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
        said = self.apps[0].identity if self.apps else self.discovery.identity
        has_auth = said.has_auth or self.discovery.identity.has_auth
        self.identity = identity_with(self.settings, replace(said, has_auth=has_auth))
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
        self.problems = tuple(sorted(problems, key=lambda one: (one.file, one.line)))
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
    """An app object as it stands.

    Args:
        app: the object.
        settings: limits and switches; from the environment and the project's `.env` when not given.
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
        """Read the app again: what was added to it since is offered from now on."""
        with self._lock:
            started = time.perf_counter()
            catalog, problems = self._assemble()
            return self._generation(catalog, problems, frozenset(), (), started, ok=True)

    def leave(self) -> None:
        """Leave everything as it is: nothing was imported."""

    def watched(self) -> frozenset[Path]:
        """Return nothing: there is no file to load anew."""
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
