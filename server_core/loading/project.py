"""Load tools from a source, as a sequence of generations.

A generation is built while the previous one serves, and replaces it in a single step. When the source cannot be loaded
any more, the last good catalog is served, and only the problems are new.
"""

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from server_core.catalog.catalog import EMPTY, Catalog, Changes, diff
from server_core.catalog.identity import Identity
from server_core.catalog.problems import Problem
from server_core.loading.import_context import ContextValues
from server_core.loading.project_source import Declared, ProjectSource, SourceLoad
from server_core.settings.identity import identity_with

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.catalog.building.assembly import Assembler
    from server_core.catalog.declarations import Declaration


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


class Project:
    """The tools of a source, through its changes.

    Args:
        source: where the tools come from.
    """

    def __init__(self, source: ProjectSource) -> None:
        self.source = source
        self.identity: Identity = identity_with(source.settings, source.discovery.identity)
        """The identity of the server."""
        self.problems: tuple[Problem, ...] = ()
        """The problems of the last load."""
        self.apps: tuple[MCPApp, ...] = ()
        """The app objects of the last load; their declarations may change without a load."""
        self._lock = threading.Lock()
        self._assembler: Assembler | None = None
        self._declarations: list[Declaration] = []
        self._catalog = EMPTY
        self._number = 0
        self._load_problems: Sequence[Problem] = ()
        self._context_values: ContextValues = ()

    def load(self) -> Generation:
        """Load everything for the first time; takes as long as the author's imports."""
        return self.reload(self.source.discovery.files)

    def reload(self, changed: Iterable[Path]) -> Generation:
        """Reload changed files, and the modules that import them.

        Args:
            changed: files that were changed, created or deleted; a folder means that it may have new files.
        """
        with self._lock:
            started = time.perf_counter()
            try:
                with self.source.load(changed) as load:
                    return self._loaded(load, started)
            except Exception as error:  # Not an error in the author's code, but it must be reported as a problem.
                return self._last_good(error, started)

    def refresh(self) -> Generation | None:
        """Return a new generation if the declarations of an app have changed, else None; nothing is imported."""
        with self._lock:
            started = time.perf_counter()
            before = self._declarations
            declared = self._declared()
            if declared.declarations == before:
                return None
            catalog, problems = self._assemble(declared)
            problems = [*self._load_problems, *problems]
            files = self.source.files.read
            return self._generation(catalog, problems, files, (), started, ok=not self._load_problems)

    @property
    def is_busy(self) -> bool:
        """Whether a load or a refresh is running."""
        return self._lock.locked()

    def _loaded(self, load: SourceLoad, started: float) -> Generation:
        self._load_problems, self._context_values = load.problems, load.context_values
        if load.is_reverted:
            return self._generation(self._catalog, load.problems, load.files, (), started, ok=False)
        catalog, problems = self._assemble(self._declared())
        problems = [*load.problems, *problems]
        return self._generation(catalog, problems, load.files, load.reloaded, started, ok=not load.problems)

    def _last_good(self, error: Exception, started: float) -> Generation:
        """Return a generation with the last good catalog, for when even the discovery of tools fails."""
        from server_core.loading.load_problems import project_problem

        problem = project_problem(self.source.path, error)
        self._load_problems = [problem]
        return self._generation(self._catalog, [problem], self.source.files.read, (), started, ok=False)

    def _declared(self) -> Declared:
        declared = self.source.declared()
        self.apps, self._declarations = declared.apps, declared.declarations
        self.identity = identity_with(self.source.settings, declared.identity)
        return declared

    def _assemble(self, declared: Declared) -> tuple[Catalog, list[Problem]]:
        from server_core.catalog.building.assembly import Assembler

        if self._assembler is None:
            self._assembler = Assembler(self.source.naming)
        catalog, problems = self._assembler.assemble(declared.declarations)
        return catalog, [*problems, *declared.problems]

    def _generation(
        self,
        catalog: Catalog,
        problems: Sequence[Problem],
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
        skipped = self.source.discovery.skipped
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
            tuple((path, reason) for path, reason in skipped if path.suffix == ".py"),
            self._context_values,
        )
