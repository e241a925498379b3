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
from server_core.catalog.identity import Identity, identity_with
from server_core.catalog.problems import Problem
from server_core.loading.import_context import ContextValues
from server_core.loading.project_source import ProjectSource, SourceDeclarations, SourceLoad

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp
    from server_core.catalog.building.assembly import Assembler
    from server_core.catalog.declarations import Declaration


@dataclass(frozen=True, eq=False)
class Generation:
    """The result of a load."""

    number: int  # 1 for the first load of a project, then counting up
    catalog: Catalog
    identity: Identity
    problems: tuple[Problem, ...]  # sorted by file and line
    files: frozenset[Path]
    changes: Changes  # for clients, since the previous generation
    reloaded: tuple[str, ...]  # the names of modules
    duration_ms: float
    ok: bool  # whether every module could be loaded; if not, a reload retains the last good catalog
    apps: "tuple[DeclaredApp, ...]" = ()
    skipped: tuple[tuple[Path, str], ...] = ()  # the Python files that were not loaded, each with the reason
    context_values: ContextValues = ()  # set by the files, for calls of their tools


def empty_generation(path: Path, identity: Identity, error: BaseException) -> Generation:
    """Return an empty generation with the problem, for when even the discovery of tools fails."""
    from server_core.loading.load_problems import project_problem

    return Generation(0, EMPTY, identity, (project_problem(path, error),), frozenset(), Changes(), (), 0.0, ok=False)


class Project:
    """The tools of a source, through its changes."""

    def __init__(self, source: ProjectSource) -> None:
        self.source = source
        self.identity: Identity = identity_with(source.settings, source.discovery.identity)
        self.problems: tuple[Problem, ...] = ()  # of the last load
        self.apps: tuple[DeclaredApp, ...] = ()  # of the last load; their declarations may change without a load
        self._lock = threading.Lock()  # Files are reloaded, and changed apps refreshed, on different threads.
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
        """Reload changed, new or deleted files, and modules that import them; a folder may have new files."""
        with self._lock:
            start = time.perf_counter()
            try:
                with self.source.load(changed) as load:
                    return self._finish_load(load, start)
            except Exception as error:  # Not an error in the author's code, but it must be reported as a problem.
                return self._last_good_generation(error, start)

    def refresh(self) -> Generation | None:
        """Return a new generation if the declarations of an app have changed, else None; nothing is imported."""
        with self._lock:
            start = time.perf_counter()
            before = self._declarations
            source_declarations = self._collect_declarations()
            if source_declarations.declarations == before:
                return None
            catalog, problems = self._assemble(source_declarations)
            problems = [*self._load_problems, *problems]
            files = self.source.files.read
            return self._generation(catalog, problems, files, (), start, ok=not self._load_problems)

    @property
    def is_busy(self) -> bool:
        return self._lock.locked()

    def _finish_load(self, load: SourceLoad, start: float) -> Generation:
        self._load_problems, self._context_values = load.problems, load.context_values
        if load.is_reverted:
            return self._generation(self._catalog, load.problems, load.files, (), start, ok=False)
        catalog, problems = self._assemble(self._collect_declarations())
        problems = [*load.problems, *problems]
        return self._generation(catalog, problems, load.files, load.reloaded, start, ok=not load.problems)

    def _last_good_generation(self, error: Exception, start: float) -> Generation:
        """Return a generation with the last good catalog, for when even the discovery of tools fails."""
        from server_core.loading.load_problems import project_problem

        problem = project_problem(self.source.path, error)
        self._load_problems = [problem]
        return self._generation(self._catalog, [problem], self.source.files.read, (), start, ok=False)

    def _collect_declarations(self) -> SourceDeclarations:
        collected = self.source.collect_declarations()
        self.apps, self._declarations = collected.apps, collected.declarations
        self.identity = identity_with(self.source.settings, collected.identity)
        return collected

    def _assemble(self, collected: SourceDeclarations) -> tuple[Catalog, list[Problem]]:
        from server_core.catalog.building.assembly import Assembler

        if self._assembler is None:
            self._assembler = Assembler(self.source.naming)
        catalog, problems = self._assembler.assemble(collected.declarations)
        return catalog, [*problems, *collected.problems]

    def _generation(
        self,
        catalog: Catalog,
        problems: Sequence[Problem],
        files: frozenset[Path],
        reloaded: tuple[str, ...],
        start: float,
        *,
        ok: bool,
    ) -> Generation:
        self._number += 1
        changes = diff(self._catalog, catalog)
        self._catalog = catalog
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.file, problem.line)))
        duration = (time.perf_counter() - start) * 1000
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
