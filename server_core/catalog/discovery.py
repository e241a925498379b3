"""Which files of a folder declare tools, resources or prompts, and how the server is called: read, never imported.

A file declares something when a function in it carries a decorator of ours (under any name that it was imported by),
or a decorator of an app that the file makes or takes from another file of the project, or when it makes an app.
"""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

from server_core import app_identity
from server_core.app_identity import checked_name, checked_version
from server_core.errors import ConfigurationError

MOST_FILES = 5000

_TEXTS = ("name", "version", "title", "instructions", "description", "website_url")
"""The arguments of `MCPApp` that are texts of its identity."""
# fmt: off
_POSITIONAL = (
    "name", "version", "title", "instructions", "log_level", "transport", "host", "port", "reload", "auth", "icons",
    "description", "website_url", "allowed_origins",
)
# fmt: on
"""Those that may come without their names."""

_DECORATORS = frozenset({"tool", "resource", "prompt", "completion"})
# What a file must at least hold to be worth its syntax being read.
_HINT = re.compile(rb"server_core|\.(?:tool|resource|prompt|completion)\b")
_FOLDERS_OF_OTHERS = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist", "venv", "env"})


@dataclass(frozen=True)
class Identity:
    """How a server names itself to clients.

    Attributes:
        name: its programmatic name.
        version: its version.
        title: its name for people.
        instructions: what a model should know to use it.
        description: what it is for.
        website_url: where people read more.
        icons: as on the wire.
        has_middleware: its messages pass an author's code; what it can do is only known once that is loaded.
        is_of_app: an `MCPApp` says it; else the project does, which nobody has asked.
    """

    name: str
    version: str
    title: str | None = None
    instructions: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: tuple[dict[str, Any], ...] = ()
    has_middleware: bool = False
    is_of_app: bool = True

    @property
    def about(self) -> dict[str, Any]:
        """What the latest revisions tell of it besides, as on the wire. Source: 2025-11-25, Implementation."""
        facts = {"description": self.description, "websiteUrl": self.website_url, "icons": list(self.icons)}
        return {name: fact for name, fact in facts.items() if fact}


@dataclass(frozen=True)
class Discovery:
    """What was found in a folder.

    Attributes:
        files: the files to load, in the order in which their tools are listed; each once, whatever links to it.
        skipped: the Python files and folders that are not loaded, each with the reason.
        identity: how the server names itself: from `MCPApp(...)`, else from pyproject.toml, else from the folder.
        folders: the folders that were looked into, where new files may appear.
    """

    files: tuple[Path, ...]
    skipped: tuple[tuple[Path, str], ...]
    identity: Identity
    folders: frozenset[Path]


@dataclass(frozen=True)
class Examined:
    """What one file declares.

    Attributes:
        reason: why it is not to be loaded; empty when it is.
        identity: from the `MCPApp(...)` in it, if there is one.
        unreadable: its syntax is wrong, so that nothing is known of it.
        has_middleware: an `MCPApp(...)` in it is given middleware.
    """

    reason: str
    identity: Identity | None = None
    unreadable: bool = False
    has_middleware: bool = False


@dataclass
class Discoverer:
    """Look through a folder, again and again; a file that did not change is read only once."""

    _known: dict[Path, tuple[tuple[int, int], Examined]] = field(default_factory=dict)
    _declaring: set[Path] = field(default_factory=set)

    def discover(self, path: Path) -> Discovery:
        """Return what there is to load.

        Args:
            path: a folder, or a single file, which is loaded whatever it holds.

        Raises:
            ConfigurationError: when it does not exist, cannot be read, or is no Python file.
        """
        path = path.resolve()
        if path.is_file():
            return self._file(path)
        if not path.is_dir():
            raise ConfigurationError(f"There is no file or folder {path}; give the folder with your tools.")
        if not os.access(path, os.R_OK | os.X_OK):
            raise ConfigurationError(f"The folder {path} cannot be read; check its permissions.")
        return self._folder(path)

    def forget(self, path: Path) -> None:
        """Read the file again next time, whatever its date says."""
        self._known.pop(path, None)

    def _file(self, path: Path) -> Discovery:
        if path.suffix != ".py":
            raise ConfigurationError(f"{path} is no Python file; give a .py file or a folder of them.")
        if not os.access(path, os.R_OK):
            raise ConfigurationError(f"The file {path} cannot be read; check its permissions.")
        examined = self._examine(path, path.parent)
        identity = examined.identity or _default_identity(path.parent, path.stem)
        identity = replace(identity, has_middleware=examined.has_middleware)
        return Discovery((path,), (), identity, frozenset({path.parent}))

    def _folder(self, folder: Path) -> Discovery:
        files: list[Path] = []
        skipped: list[tuple[Path, str]] = []
        folders: set[Path] = {folder}
        identity: Identity | None = None
        has_middleware = False
        found = list(_walk(folder, folders))
        real = {path for path, reason in found if not reason and not path.is_symlink()}
        for count, (path, reason) in enumerate(found):
            if not reason and path.is_symlink():
                path, reason = _followed(path, real)
            if not reason and count >= MOST_FILES:
                reason = f"there are more than {MOST_FILES} files; open a smaller folder"
            if not reason:
                examined = self._examine(path, folder)
                reason, identity = examined.reason, identity or examined.identity
                has_middleware = has_middleware or examined.has_middleware
            if reason:
                skipped.append((path, reason))
            else:
                files.append(path)
        identity = replace(identity or _default_identity(folder, folder.name), has_middleware=has_middleware)
        return Discovery(tuple(files), tuple(skipped), identity, frozenset(folders))

    def _examine(self, path: Path, folder: Path) -> Examined:
        try:
            facts = path.stat()
            stamp = (facts.st_mtime_ns, facts.st_size)
            if path in self._known and self._known[path][0] == stamp:
                return self._known[path][1]
            examined = examine(path.read_bytes(), path, folder)
        except OSError as error:
            return Examined(f"it cannot be read: {error.strerror}")
        if examined.unreadable and path in self._declaring:
            examined = Examined("")
        elif not examined.reason:
            self._declaring.add(path)
        self._known[path] = (stamp, examined)
        return examined


def discover(path: Path) -> Discovery:
    """Return what there is to load at a path; see :meth:`Discoverer.discover`."""
    return Discoverer().discover(path)


def examine(source: bytes, path: Path, folder: Path) -> Examined:
    """Return what a file declares.

    Args:
        source: its text.
        path: where it lies.
        folder: the project's folder.
    """
    if not _HINT.search(source):
        return Examined("it declares no tools")
    try:
        tree = ast.parse(source, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # The last two: nested too deeply.
        # It is loaded when it seems to be ours, so that the mistake in it is told.
        reason = "" if b"server_core" in source else "its syntax is wrong, and it does not speak of server_core"
        return Examined(reason, unreadable=True)
    reader = _Reader(path, folder)
    reader.read(tree)
    if reader.declares:
        return Examined("", reader.identity, has_middleware=reader.has_middleware)
    if reader.foreign:
        return Examined(f"its @tool comes from {reader.foreign}, not from server_core")
    return Examined("it declares no tools")


def project_root(folder: Path) -> Path | None:
    """Return the nearest folder, from this one upwards, that holds a pyproject.toml."""
    return next((one for one in (folder, *folder.parents) if (one / "pyproject.toml").is_file()), None)


class _Reader:
    """Go once through the syntax of a file."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._folders = (folder, path.parent, folder / "src")
        self._ours: dict[str, str] = {}  # name in the file -> name in server_core
        self._modules: set[str] = set()  # names of server_core itself
        self._apps: set[str] = set()
        self._foreign: dict[str, str] = {}  # name in the file -> the module it comes from
        self.declares = False
        self.foreign = ""
        self.identity: Identity | None = None
        self.has_middleware = False

    def read(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.Import):
                self._import(node)
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                self._assign(node)
            if isinstance(node, ast.Call) and self._is_ours(node.func, {"MCPApp"}):
                self.declares = True
                self.identity = self.identity or _identity(node)
                # What is given as `**options` may hold some as well.
                self.has_middleware |= any(one.arg in ("middleware", None) for one in node.keywords)
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for decorator in node.decorator_list:
                    self._decorated(decorator.func if isinstance(decorator, ast.Call) else decorator)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if alias.name.partition(".")[0] == "server_core":
                self._modules.add(name)
            elif self._in_project(alias.name):
                self._apps.add(name)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        for alias in node.names:
            name = alias.asname or alias.name
            if node.level == 0 and module.partition(".")[0] == "server_core":
                self._ours[name] = alias.name
            elif node.level or self._in_project(module):
                self._apps.add(name)
            else:
                self._foreign[name] = module

    def _in_project(self, module: str) -> bool:
        top = module.partition(".")[0]
        return any((folder / f"{top}.py").is_file() or (folder / top).is_dir() for folder in self._folders)

    def _assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        if isinstance(node.value, ast.Call) and self._is_ours(node.value.func, {"MCPApp"}):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._apps.update(_dotted(target) for target in targets)

    def _is_ours(self, function: ast.expr, names: frozenset[str] | set[str]) -> bool:
        """Whether the expression is one of these names of server_core."""
        if isinstance(function, ast.Name):
            return self._ours.get(function.id) in names
        return isinstance(function, ast.Attribute) and function.attr in names and self._root(function) in self._modules

    def _decorated(self, decorator: ast.expr) -> None:
        if self._is_ours(decorator, _DECORATORS):
            self.declares = True
        elif isinstance(decorator, ast.Attribute) and decorator.attr in _DECORATORS:
            if _dotted(decorator.value) in self._apps or self._root(decorator) in self._apps:
                self.declares = True
            else:
                self.foreign = self.foreign or self._foreign.get(self._root(decorator), "")
        elif isinstance(decorator, ast.Name) and decorator.id == "tool":
            self.foreign = self.foreign or self._foreign.get("tool", "")

    def _root(self, node: ast.expr) -> str:
        return _dotted(node).partition(".")[0]


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def _identity(call: ast.Call) -> Identity | None:
    """Who an app is, as its constructor would have it; None when only running it would tell, or it would refuse."""
    given = dict(zip(_POSITIONAL, call.args, strict=False)) | {one.arg: one.value for one in call.keywords if one.arg}
    literal = {name: _literal(value) for name, value in given.items() if name in (*_TEXTS, "icons")}
    texts = {name: literal[name] for name in _TEXTS if isinstance(literal.get(name), str)}
    has_unknown_name = "name" in given or any(one.arg is None for one in call.keywords)
    if "name" not in texts and has_unknown_name:
        return None
    try:
        name = checked_name(texts.pop("name", app_identity.NAME))
        version = checked_version(texts.pop("version", app_identity.VERSION))
    except ValueError:
        return None
    icons = literal.get("icons")
    title = texts.pop("title", "") or name
    return Identity(name, version, title, **texts, icons=tuple(icons) if are_icons(icons) else ())


def are_icons(value: Any) -> TypeGuard[Sequence[dict[str, Any]]]:
    """Return whether these are icons as on the wire. Source: 2025-11-25, Icon."""
    return isinstance(value, list | tuple) and all(
        isinstance(one, dict) and isinstance(one.get("src"), str) and all(map(_is_text, one.values())) for one in value
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _literal(value: ast.expr) -> Any:
    """The value of an expression that is one; None for what only running it would tell."""
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _default_identity(folder: Path, name: str) -> Identity:
    root = project_root(folder)
    if root is not None:
        import tomllib

        try:
            project = tomllib.loads((root / "pyproject.toml").read_text("utf-8")).get("project", {})
        except (OSError, ValueError):
            project = {}
        if isinstance(project, dict) and isinstance(project.get("name"), str):
            return Identity(project["name"], str(project.get("version", "0.1.0")), is_of_app=False)
    return Identity(name or "tools", "0.1.0", is_of_app=False)


def _walk(folder: Path, folders: set[Path]) -> Iterator[tuple[Path, str]]:
    """Every Python file below a folder, its own first, and every folder left out; each with the reason or none."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield folder, f"it cannot be read: {error.strerror}"
        return
    for entry in entries:
        if entry.name.endswith(".py") and entry.is_file():
            yield Path(entry.path), _is_test(entry.name)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            continue
        path = Path(entry.path)
        if reason := _leave_out(path):
            yield path, reason
        else:
            folders.add(path)
            yield from _walk(path, folders)


def _followed(link: Path, taken: set[Path]) -> tuple[Path, str]:
    """The file behind a link, to be loaded once; the link itself, with the reason, when the file is taken already."""
    file = link.resolve()
    if file in taken:
        return link, f"it is a link to {file}, which is loaded by that name"
    taken.add(file)
    return file, ""


def _is_test(name: str) -> str:
    if name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py":
        return "it is a test"
    return ""


def _leave_out(folder: Path) -> str:
    if folder.name.startswith("."):
        return "it is hidden"
    if folder.name in _FOLDERS_OF_OTHERS or folder.name.endswith(".egg-info"):
        return "it holds what was installed or built"
    if (folder / "pyvenv.cfg").is_file():
        return "it is a virtual environment"
    if (folder / "pyproject.toml").is_file():
        return "it is a project of its own; open it by itself"
    return ""
