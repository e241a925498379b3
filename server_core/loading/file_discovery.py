"""Find the files of a folder that declare tools, resources or prompts, and the server's identity, without importing."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from server_core.catalog.identity import Identity, identity_of_project
from server_core.errors import ConfigurationError
from server_core.loading.ast_scan import Note, ScannedFile, scan_source

MAX_FILES = 2000
"""Python files, beyond which a folder is not searched."""
MAX_ENTRIES = 100_000
"""Files and folders of any kind, beyond which a folder is not searched."""

_GENERATED_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "venv", "env"})


@dataclass(frozen=True)
class Discovery:
    """The result of scanning a folder."""

    files: tuple[Path, ...]  # the files to load, in the order of their tools; without duplicates through links
    skipped: tuple[tuple[Path, str], ...]  # the Python files and folders that are not loaded, each with the reason
    identity: Identity  # of the server: from `MCPApp(...)`, else from pyproject.toml, else from the folder
    folders: frozenset[Path]  # the scanned folders, where new files may appear
    tools: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)  # the names of the tools in each file
    notes: tuple[Note, ...] = ()  # about these files, loaded or not
    refusal: str = ""  # why the folder is not searched at all: it is too large, or not a project


class Discoverer:
    """Scans folders; files that have not changed since the last scan are not read again."""

    def __init__(self) -> None:
        self._scans: dict[Path, tuple[tuple[int, int], ScannedFile]] = {}
        self._declaring_files: set[Path] = set()

    def discover(self, path: Path) -> Discovery:
        """Return the files to load, or the single file, which always is; ConfigurationError if it is unusable."""
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
        self._scans.pop(path, None)

    def _file(self, path: Path) -> Discovery:
        if path.suffix != ".py":
            raise ConfigurationError(f"{path} is not a Python file; give a .py file or a folder of them.")
        if not os.access(path, os.R_OK):
            raise ConfigurationError(f"The file {path} cannot be read; check its permissions.")
        scan = self._scan(path, path.parent)
        identity = scan.identity or identity_of_project(path.parent, path.stem)
        identity = replace(identity, has_middleware=scan.has_middleware, has_auth=scan.has_auth)
        return Discovery((path,), (), identity, frozenset({path.parent}), {path: scan.tools}, tuple(scan.notes))

    def _folder(self, folder: Path) -> Discovery:
        if reason := why_not_project(folder):
            return _refused(folder, f"{folder} is {reason}, and is not searched for tools.")
        skipped: list[tuple[Path, str]] = []
        folders: set[Path] = {folder}
        tools: dict[Path, tuple[str, ...]] = {}
        notes: list[Note] = []
        identity: Identity | None = None
        has_middleware = has_auth = False
        walk = _Walk(folders)
        try:
            entries = list(walk.entries_of(folder))
        except _TooLargeError as error:
            return _refused(folder, f"{folder} has {error}, and is not searched for tools.")
        # A link to one of these is a second name for it; a link to a file elsewhere is loaded.
        real_files = {path for path, reason in entries if not reason and not path.is_symlink()}
        for path, reason in entries:
            if not reason and path.is_symlink():
                path, reason = _resolve_link(path, real_files)
            if not reason:
                scan = self._scan(path, folder)
                reason, identity = scan.reason, identity or scan.identity
                has_middleware = has_middleware or scan.has_middleware
                has_auth = has_auth or scan.has_auth
                notes += scan.notes
                if not reason:
                    tools[path] = scan.tools
            if reason:
                skipped.append((path, reason))
        identity = identity or identity_of_project(folder, folder.name)
        identity = replace(identity, has_middleware=has_middleware, has_auth=has_auth)
        return Discovery(tuple(tools), tuple(skipped), identity, frozenset(folders), tools, tuple(notes))

    def _scan(self, path: Path, folder: Path) -> ScannedFile:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if path in self._scans and self._scans[path][0] == stamp:
                return self._scans[path][1]
            scan = scan_source(path.read_bytes(), path, folder)
        except OSError as error:
            return ScannedFile(f"it cannot be read: {error.strerror}")
        if scan.unreadable and path in self._declaring_files:
            # It declared something before the syntax error: it is loaded, so that the error is reported.
            scan = scan._replace(reason="")
        elif not scan.reason:
            self._declaring_files.add(path)
        self._scans[path] = (stamp, scan)
        return scan


def discover(path: Path) -> Discovery:
    return Discoverer().discover(path)


def why_not_project(folder: Path) -> str:
    """Return what a folder is that contains everything of a user or a machine; empty for any other folder.

    With a pyproject.toml it is a project all the same, as the home folder of a container may be.
    """
    if (folder / "pyproject.toml").is_file():
        return ""
    home = Path(os.path.expanduser("~")).resolve()
    if folder == home:
        return "your home folder"
    if folder == folder.parent:
        return "the root folder"
    if folder in {Path(path).resolve() for path in (os.environ.get("TMPDIR") or "/tmp", "/tmp", "/var/tmp")}:
        return "a folder for temporary files of all programs"
    return ""


def _refused(folder: Path, refusal: str) -> Discovery:
    # No folder is watched, either.
    identity = identity_of_project(folder, folder.name)
    return Discovery((), ((folder, refusal),), identity, frozenset(), refusal=refusal)


class _TooLargeError(Exception):
    """A folder has more files than are searched; the text names how many."""


class _Walk:
    """Walks through folders; `folders` receives every folder that is read."""

    def __init__(self, folders: set[Path]) -> None:
        self._folders = folders
        self._files = self._entries = 0

    def entries_of(self, folder: Path) -> Iterator[tuple[Path, str]]:
        """Yield every Python file, and every skipped folder with the reason; _TooLargeError if there are too many."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield folder, f"it cannot be read: {error.strerror}"
            return
        self._entries += len(entries)
        if self._entries > MAX_ENTRIES:
            raise _TooLargeError(f"more than {MAX_ENTRIES:,} files")
        for entry in entries:
            if entry.name.endswith(".py") and entry.is_file():
                self._files += 1
                yield Path(entry.path), _reason_to_skip_file(entry.name)
        if self._files > MAX_FILES:
            raise _TooLargeError(f"more than {MAX_FILES:,} Python files")
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):  # A link may lead to a folder above, and so on forever.
                continue
            path = Path(entry.path)
            if reason := _reason_to_skip_folder(path):
                yield path, reason
            else:
                self._folders.add(path)
                yield from self.entries_of(path)


def _resolve_link(link: Path, files: set[Path]) -> tuple[Path, str]:
    """Return a link's target, which is added to the files; or the link and why it is skipped: it is loaded already."""
    file = link.resolve()
    if file in files:
        return link, f"it is a link to {file}, which is loaded under that name"
    files.add(file)
    return file, ""


def _reason_to_skip_file(name: str) -> str:
    if name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py":
        return "it is a test"
    return ""


def _reason_to_skip_folder(folder: Path) -> str:
    if folder.name.startswith("."):
        return "it is hidden"
    if folder.name in _GENERATED_FOLDERS or folder.name.endswith(".egg-info"):
        return "it contains installed or built files"
    if (folder / "pyvenv.cfg").is_file():
        return "it is a virtual environment"
    if (folder / "pyproject.toml").is_file():
        return "it is a separate project; open it by itself"
    return ""
