"""Where the tools of a project come from: an app object, here, or files and packages, which have to be imported."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from server_core.catalog.identity import Identity
from server_core.catalog.problems import Problem
from server_core.loading.discovery import Discovery
from server_core.loading.import_context import ContextValues
from server_core.settings import Settings

if TYPE_CHECKING:
    from server_core.authoring.app import MCPApp
    from server_core.catalog.declarations import Declaration
    from server_core.catalog.naming import Naming


@dataclass(frozen=True)
class SourceFiles:
    """The files of a source.

    Attributes:
        read: every file that was read.
        watched: these files, and the folders in which new files may appear.
        fingerprints: the fingerprints of the texts that were read.
    """

    read: frozenset[Path] = frozenset()
    watched: frozenset[Path] = frozenset()
    fingerprints: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceLoad:
    """The result of importing what has changed.

    Attributes:
        problems: why files could not be imported.
        is_reverted: a module that was loaded before could not be imported, and the last good state is restored.
        files: every file that was read, also before.
        reloaded: the modules that were imported again.
        context_values: the context variables that the files have set.
    """

    problems: Sequence[Problem] = ()
    is_reverted: bool = False
    files: frozenset[Path] = frozenset()
    reloaded: tuple[str, ...] = ()
    context_values: ContextValues = ()


@dataclass(frozen=True)
class Declared:
    """What the author's code declares at the moment.

    Attributes:
        declarations: the declarations, in the order for clients.
        apps: the app objects.
        identity: the identity of the server, before the settings are applied.
        problems: what is declared but cannot be served, and notes for authors.
    """

    declarations: "list[Declaration]"
    apps: "tuple[MCPApp, ...]"
    identity: Identity
    problems: Sequence[Problem] = ()


class ProjectSource(Protocol):
    """Where the tools of a project come from.

    Attributes:
        path: the file or folder.
        folder: the folder with the settings and the secrets.
        settings: the settings.
        discovery: the files to load, and the identity of the server; available before anything is imported.
    """

    path: Path
    folder: Path
    settings: Settings
    discovery: Discovery

    @property
    def naming(self) -> "Naming":
        """How the tools are named."""

    @property
    def files(self) -> SourceFiles:
        """The files at the moment."""

    def load(self, changed: Iterable[Path]) -> AbstractContextManager[SourceLoad]:
        """Import files that have changed, and the modules that import them.

        Args:
            changed: files that were changed, created or deleted; a folder means that it may have new files.

        Returns:
            A context manager. When its body raises, the state before is restored.

        Raises:
            ConfigurationError: when nothing can be read at the path.
        """

    def declared(self) -> Declared:
        """Return what the loaded code declares at the moment."""

    def leave(self) -> None:
        """Undo the effects of imports on this process; running calls continue."""


class AppSource:
    """An app object: there are no files to load.

    Args:
        app: the object.
        settings: the settings; from the environment and the project's `.env` when not given.
    """

    files = SourceFiles()

    def __init__(self, app: "MCPApp", settings: Settings | None = None) -> None:
        main = getattr(sys.modules.get("__main__"), "__file__", None)
        self.path = Path(main).resolve() if main else Path.cwd()
        self.folder = self.path.parent if main else self.path
        self.settings = settings or Settings.of_project(self.folder)
        self.discovery = Discovery((), (), app.identity, frozenset())
        self._app = app

    @property
    def naming(self) -> "Naming":
        from server_core.catalog.naming import Naming

        return Naming.of(self.settings)

    def load(self, changed: Iterable[Path]) -> AbstractContextManager[SourceLoad]:
        return nullcontext(SourceLoad())

    def declared(self) -> Declared:
        return Declared(list(self._app.declarations), (self._app,), self.discovery.identity)

    def leave(self) -> None:
        pass
