"""One folder or file of tools, loaded as one generation after another."""

from dataclasses import dataclass
from pathlib import Path

from server_core.catalog.catalog import Catalog, Changes
from server_core.catalog.discovery import Identity
from server_core.catalog.problems import Problem


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
