"""Find the files of a folder that declare tools, resources or prompts, and the server's identity, without importing."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from server_core.catalog.identity import Identity, identity_of_project
from server_core.errors import ConfigurationError
from server_core.loading.ast_scan import Note, ScannedFile, examine
from server_core.loading.file_walk import followed, walk

MAX_FILES = 5000


@dataclass(frozen=True)
class Discovery:
    """The result of scanning a folder.

    Attributes:
        files: the files to load, in the order in which their tools are listed; without duplicates through links.
        skipped: the Python files and folders that are not loaded, each with the reason.
        identity: the identity of the server: from `MCPApp(...)`, else from pyproject.toml, else from the folder.
        folders: the scanned folders, where new files may appear.
        tools: each file that is loaded or installed -> the names of the tools in it.
        notes: notes for the authors of these files, loaded or not.
    """

    files: tuple[Path, ...]
    skipped: tuple[tuple[Path, str], ...]
    identity: Identity
    folders: frozenset[Path]
    tools: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


class Discoverer:
    """Scans folders; files that have not changed since the last scan are not read again."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, int], ScannedFile]] = {}
        self._declaring: set[Path] = set()

    def discover(self, path: Path) -> Discovery:
        """Return the files to load.

        Args:
            path: a folder, or a single file, which is always loaded.

        Raises:
            ConfigurationError: when it does not exist, cannot be read, or is not a Python file.
        """
        path = path.resolve()
        if path.is_file():
            return self._file(path)
        if not path.is_dir():
            raise ConfigurationError(f"The file or folder {path} does not exist; give the folder with your tools.")
        if not os.access(path, os.R_OK | os.X_OK):
            raise ConfigurationError(f"The folder {path} cannot be read; check its permissions.")
        return self._folder(path)

    def forget(self, path: Path) -> None:
        """Read the file again next time, even if its modification time is unchanged."""
        self._known.pop(path, None)

    def _file(self, path: Path) -> Discovery:
        if path.suffix != ".py":
            raise ConfigurationError(f"{path} is not a Python file; give a .py file or a folder of them.")
        if not os.access(path, os.R_OK):
            raise ConfigurationError(f"The file {path} cannot be read; check its permissions.")
        examined = self._examine(path, path.parent)
        identity = examined.identity or identity_of_project(path.parent, path.stem)
        identity = replace(identity, has_middleware=examined.has_middleware, has_auth=examined.has_auth)
        return Discovery((path,), (), identity, frozenset({path.parent}), {path: examined.tools}, tuple(examined.notes))

    def _folder(self, folder: Path) -> Discovery:
        skipped: list[tuple[Path, str]] = []
        folders: set[Path] = {folder}
        tools: dict[Path, tuple[str, ...]] = {}
        notes: list[Note] = []
        identity: Identity | None = None
        has_middleware = has_auth = False
        entries = list(walk(folder, folders))
        real = {path for path, reason in entries if not reason and not path.is_symlink()}
        for count, (path, reason) in enumerate(entries):
            if not reason and path.is_symlink():
                path, reason = followed(path, real)
            if not reason and count >= MAX_FILES:
                reason = f"there are more than {MAX_FILES} files; open a smaller folder"
            if not reason:
                examined = self._examine(path, folder)
                reason, identity = examined.reason, identity or examined.identity
                has_middleware = has_middleware or examined.has_middleware
                has_auth = has_auth or examined.has_auth
                notes += examined.notes
                if not reason:
                    tools[path] = examined.tools
            if reason:
                skipped.append((path, reason))
        identity = identity or identity_of_project(folder, folder.name)
        identity = replace(identity, has_middleware=has_middleware, has_auth=has_auth)
        return Discovery(tuple(tools), tuple(skipped), identity, frozenset(folders), tools, tuple(notes))

    def _examine(self, path: Path, folder: Path) -> ScannedFile:
        try:
            facts = path.stat()
            stamp = (facts.st_mtime_ns, facts.st_size)
            if path in self._known and self._known[path][0] == stamp:
                return self._known[path][1]
            examined = examine(path.read_bytes(), path, folder)
        except OSError as error:
            return ScannedFile(f"it cannot be read: {error.strerror}")
        if examined.unreadable and path in self._declaring:
            examined = examined._replace(reason="")
        elif not examined.reason:
            self._declaring.add(path)
        self._known[path] = (stamp, examined)
        return examined


def discover(path: Path) -> Discovery:
    """Return the files to load at a path; see :meth:`Discoverer.discover`."""
    return Discoverer().discover(path)
