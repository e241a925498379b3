"""Where the tools of a project come from: an app object, here, or files and packages, which have to be imported."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from server_core.catalog.identity import Identity
from server_core.catalog.problems import Problem
from server_core.loading.file_discovery import Discovery
from server_core.loading.import_context import ContextValues
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.declared_app import DeclaredApp
    from server_core.catalog.declarations import Declaration
    from server_core.catalog.naming import Naming


@dataclass(frozen=True)
class SourceFiles:
    """The files of a source."""

    read: frozenset[Path] = frozenset()
    watched: frozenset[Path] = frozenset()  # these files, and the folders in which new files may appear
    fingerprints: Mapping[Path, str] = field(default_factory=dict)  # of the texts that were read


@dataclass(frozen=True)
class SourceLoad:
    """The result of importing what has changed."""

    problems: Sequence[Problem] = ()
    is_reverted: bool = False  # a module could no longer be imported, and the last good state is restored
    files: frozenset[Path] = frozenset()  # every file that was read, also before
    reloaded: tuple[str, ...] = ()  # the names of modules
    context_values: ContextValues = ()


@dataclass(frozen=True)
class SourceDeclarations:
    """What the author's code declares at the moment."""

    declarations: "list[Declaration]"  # in the order for clients
    apps: "tuple[DeclaredApp, ...]"
    identity: Identity  # before the settings are applied
    problems: Sequence[Problem] = ()  # what is declared but cannot be served, and notes for authors


class ProjectSource(Protocol):
    """Where the tools of a project come from."""

    path: Path  # the file or folder
    folder: Path  # the folder with the settings and the secrets
    settings: Settings
    discovery: Discovery  # the files to load, and the identity of the server; available before anything is imported

    @property
    def naming(self) -> "Naming": ...

    @property
    def files(self) -> SourceFiles: ...

    def load(self, changed: Iterable[Path]) -> AbstractContextManager[SourceLoad]:
        """Import changed, new or deleted files, and modules that import them; a folder may have new files.

        When the body of the context manager raises, the state before is restored.
        """

    def collect_declarations(self) -> SourceDeclarations:
        """Return what the loaded code declares at the moment."""

    def leave(self) -> None:
        """Undo the effects of imports on this process; running calls continue."""


class AppSource:
    """An app object: there are no files to load."""

    files = SourceFiles()

    def __init__(self, app: "DeclaredApp", settings: Settings | None = None) -> None:
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        self.path = Path(main).resolve() if main else Path.cwd()
        self.folder = self.path.parent if main else self.path
        self.settings = settings or Settings.of_project(self.folder)
        self.discovery = Discovery((), (), app.identity, frozenset())
        self._app = app

    @property
    def naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.from_settings(self.settings)

    def load(self, changed: Iterable[Path]) -> AbstractContextManager[SourceLoad]:
        return nullcontext(SourceLoad())

    def collect_declarations(self) -> SourceDeclarations:
        return SourceDeclarations(list(self._app.declarations), (self._app,), self.discovery.identity)

    def leave(self) -> None:
        pass
