"""Import and reimport the files of a project.

Rule 1: the modules of the active project are ordinary entries of `sys.modules`, located by a meta path finder.
`sys.path` is not changed, so a file of the project never shadows a module of the standard library.
Rule 2: reloading creates new module objects; running calls continue with the old ones.
Rule 3: modules are always compiled from source: bytecode files are neither read nor written, since they would be stale
after two edits within a second.
"""

import ast
import importlib
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

# Modules that a core imports sooner or later: a file with such a name would be imported instead, and break the core.
# fmt: off
_NEEDED = (
    "_cffi_backend", "annotated_doc", "annotated_types", "anyio", "certifi", "cffi", "click", "cryptography",
    "dotenv", "h11", "httpcore", "httptools", "httpx", "idna", "jsonschema_rs", "jwt", "linkify_it",
    "markdown_it", "mdit_py_plugins", "mdurl", "opentelemetry", "platformdirs", "pydantic", "pydantic_core", "pygments",
    "rich", "shellingham", "sniffio", "textual", "typer", "typing_extensions", "typing_inspection", "uvicorn",
    "watchfiles", "websockets",
)
# fmt: on
# These names never refer to modules of the project, even if it has such files.
_RESERVED = frozenset({*sys.stdlib_module_names, *_NEEDED, "server_core", "workbench", "__main__"})
# Prefixes the module name of a folder or file whose own name belongs to another module.
_RENAMED = "_project_"


@dataclass
class Loaded:
    """The modules of a project at one moment.

    Attributes:
        modules: name -> module.
        files: file -> the name of its module.
        imports: name -> the names that the module imports, whether they exist or not.
        aliases: another name by which a module was imported -> its own name.
        namespaces: the imported namespace packages (folders without `__init__.py`).
        fingerprints: file -> the fingerprint of its text when it was read.
    """

    modules: dict[str, ModuleType] = field(default_factory=dict)
    files: dict[Path, str] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    namespaces: set[str] = field(default_factory=set)
    fingerprints: dict[Path, str] = field(default_factory=dict)

    def copy(self) -> "Loaded":
        """Return a copy, to restore later."""
        imports = {name: set(names) for name, names in self.imports.items()}
        return Loaded(
            dict(self.modules),
            dict(self.files),
            imports,
            dict(self.aliases),
            set(self.namespaces),
            dict(self.fingerprints),
        )


class Importer:
    """Finds and loads the modules of a project; a meta path finder.

    Args:
        folder: the folder of the project.
        shares: modules that the process has already imported are used instead of loading their files again, and are
            never reloaded.
    """

    def __init__(self, folder: Path, *, shares: bool = False) -> None:
        self._folder = folder
        self._shares = shares
        self._shared: dict[str, ModuleType] = {}
        self._places: list[tuple[Path, str]] = []  # folders to import from, each with the only name to import, or ""
        self._named: dict[Path, str] = {}
        self._executing: list[str] = []
        self._aside: dict[str, ModuleType] = {}
        self.loaded = Loaded()

    def call(self, names: Mapping[Path, str]) -> None:
        """Set the module names of files, instead of deriving them from the paths."""
        self._named.update(names)

    def settle(self, files: Iterable[Path], folders: Container[Path]) -> None:
        """Set the files of the project, and determine the folders to import from.

        Args:
            files: the files to load.
            folders: their folders; modules already imported from there are put aside, or shared.
        """
        files = tuple(files)
        if self._shares:
            self._share(files)
        else:
            self._put_aside(folders)
        places = [(self._folder, ""), (self._folder / "src", "")]
        for file in files:
            root = _root_of(file)
            if root == file.parent:
                places.append((root, ""))
            elif not root.is_relative_to(self._folder):
                places.append((root, file.relative_to(root).parts[0]))
        self._places = list(dict.fromkeys(places))

    def name_of(self, file: Path) -> str:
        """Return the name by which other modules import a file."""
        if file not in self._named:
            root = _root_of(file)
            if root == file.parent or root.is_relative_to(self._folder):
                source = self._folder / "src"
                root = source if file.is_relative_to(source) and not (source / "__init__.py").exists() else self._folder
                root = root if file.is_relative_to(root) else file.parent
            self._named[file] = self._free(_dotted(file.relative_to(root)))
        return self._named[file]

    def load(self, file: Path) -> ModuleType:
        """Return the module of a file, importing it if necessary.

        Raises:
            BaseException: whatever the author's code raises.
        """
        name = self.name_of(file)
        if name in self.loaded.modules:
            return self.loaded.modules[name]
        return importlib.import_module(name)

    def affected_by(self, files: Iterable[Path]) -> set[str]:
        """Return the modules of these files, and all modules that import them directly or indirectly.

        Args:
            files: changed, new or deleted files.
        """
        affected = {self.name_of(file) for file in files}
        waiting = list(affected)
        while waiting:
            changed = waiting.pop()
            for name, imported in self.loaded.imports.items():
                if name not in affected and any(
                    self.loaded.aliases.get(imported_name, imported_name) == changed for imported_name in imported
                ):
                    affected.add(name)
                    waiting.append(name)
        return affected

    def drop(self, names: Iterable[str]) -> None:
        """Unload modules, so that they are loaded again when they are next imported."""
        dropped = set(names) - self._shared.keys()
        for name in dropped:
            module = self.loaded.modules.pop(name, None)
            self.loaded.imports.pop(name, None)
            sys.modules.pop(name, None)
            # `from package import module` uses an attribute of the package before it imports a module.
            parent, _, child = name.rpartition(".")
            if module is not None and getattr(sys.modules.get(parent), child, None) is module:
                delattr(sys.modules[parent], child)
        for alias in [alias for alias, name in self.loaded.aliases.items() if name in dropped]:
            del self.loaded.aliases[alias]
            sys.modules.pop(alias, None)
        self.loaded.files = {file: name for file, name in self.loaded.files.items() if name not in dropped}

    def restore(self, moment: Loaded) -> None:
        """Restore an earlier copy of `loaded`."""
        self._leave()
        self.loaded = moment
        self._enter()

    def activate(self) -> None:
        """Make the modules of this project importable, and put those of another project aside."""
        global _active
        if _active is not self:
            if _active is not None:
                _active.deactivate()
            _active = self
            sys.meta_path.insert(0, self)
            self._enter()
        importlib.invalidate_caches()

    def deactivate(self) -> None:
        """Put the modules of this project aside."""
        global _active
        if _active is self:
            _active = None
            if self in sys.meta_path:  # A tool may have changed it.
                sys.meta_path.remove(self)
            self._leave()
            sys.modules.update(self._aside | self._shared)
            self._aside.clear()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the project, else None; see `importlib.abc.MetaPathFinder`."""
        if self._executing:
            self.loaded.imports.setdefault(self._executing[-1], set()).add(name)
        if name.partition(".")[0] in _RESERVED:
            return None
        file = self._locate(name, path or () if name.rpartition(".")[0] in self.loaded.namespaces else ())
        if file is None:
            return self._namespace(name)
        own = self.name_of(file)
        if own != name:
            self.loaded.aliases[name] = own
            alias: Any = _Alias(own)  # Not a subclass of Loader: importlib.abc is slow to import.
            return ModuleSpec(name, alias, origin=str(file))
        folders = [str(file.parent)] if file.name == "__init__.py" else None
        return spec_from_file_location(
            name, file, loader=ProjectLoader(name, str(file), self), submodule_search_locations=folders
        )

    @contextmanager
    def executing(self, module: ModuleType) -> Iterator[None]:
        """Record the imports of a module while its code runs, and register the module if that succeeds."""
        self._executing.append(module.__name__)
        try:
            yield
            self.loaded.modules[module.__name__] = module
        finally:
            self._executing.pop()

    def read(self, name: str, file: Path, imported: set[str]) -> None:
        """Record the file and the imports of a module before it runs."""
        self.loaded.files[file] = name
        self.loaded.imports.setdefault(name, set()).update(imported)

    def _put_aside(self, folders: Container[Path]) -> None:
        ours = {id(module) for module in self.loaded.modules.values()}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file is None or id(module) in ours or name.partition(".")[0] in _RESERVED:
                continue
            if Path(file).parent in folders:
                self._aside[name] = sys.modules.pop(name)

    def _share(self, files: Sequence[Path]) -> None:
        names = {file.name for file in files}
        wanted = set(files).difference(self.loaded.files)
        for name, module in list(sys.modules.items()):
            origin = Path(getattr(module, "__file__", None) or "")
            if origin.name not in names or name.partition(".")[0] in _RESERVED:
                continue
            if (file := origin.resolve()) in wanted:
                self._named[file] = self.loaded.files[file] = name
                self._shared[name] = self.loaded.modules[name] = module

    def _locate(self, name: str, parents: Sequence[str]) -> Path | None:
        for file, own in self._named.items():
            if own == name and file.is_file():
                return file
        parts = name.removeprefix(_RENAMED).split(".")
        bases = [place.joinpath(*parts) for place, only in self._places if only in ("", parts[0])]
        for base in (*bases, *(Path(parent, parts[-1]) for parent in parents)):
            for candidate in (base / "__init__.py", base.with_name(f"{base.name}.py")):
                if candidate.is_file():
                    # A link to a file is the same module as its target; a package is located by its folder.
                    is_link = candidate.is_symlink() and candidate.name != "__init__.py"
                    return candidate.resolve() if is_link else candidate
        return None

    def _namespace(self, name: str) -> ModuleSpec | None:
        parts = name.removeprefix(_RENAMED).split(".")
        folders = [
            str(place.joinpath(*parts))
            for place, only in self._places
            if only in ("", parts[0]) and place.joinpath(*parts).is_dir()
        ]
        # Also derived from the paths of known files: the name of a folder may differ from that of its module.
        ours = [str(_above(file, own, name)) for file, own in self._named.items() if own.startswith(f"{name}.")]
        folders = list(dict.fromkeys([*folders, *ours]))
        if not folders or not (ours or (len(parts) == 1 and PathFinder.find_spec(name) is None)):
            return None
        self.loaded.namespaces.add(name)
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = folders
        return spec

    def _free(self, name: str) -> str:
        """Return the name, prefixed if its top-level name belongs to a module outside of the project."""
        top = name.partition(".")[0]
        known = sys.modules.get(top)
        if top not in _RESERVED and (known is None or self._is_ours(known)):
            return name
        return f"{_RENAMED}{name}"

    def _is_ours(self, module: ModuleType) -> bool:
        places = [*getattr(module, "__path__", ()), getattr(module, "__file__", None) or ""]
        return any(place and Path(place).is_relative_to(self._folder) for place in places)

    def _enter(self) -> None:
        sys.modules.update(self._shared | self.loaded.modules)
        for alias, name in self.loaded.aliases.items():
            if name in self.loaded.modules:
                sys.modules[alias] = self.loaded.modules[name]
        for name, module in self.loaded.modules.items():
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, module)

    def _leave(self) -> None:
        for name in (*self.loaded.modules, *self.loaded.aliases, *self.loaded.namespaces):
            sys.modules.pop(name, None)


class ProjectLoader(SourceFileLoader):
    """Loads a module from its source, and reports it to the importer."""

    def __init__(self, name: str, path: str, importer: Importer) -> None:
        super().__init__(name, path)
        self._importer = importer

    def get_code(self, fullname: str) -> CodeType:
        """Return the compiled source."""
        file = Path(self.path)
        package = fullname if file.name == "__init__.py" else fullname.rpartition(".")[0]
        source = file.read_bytes()
        # Recorded before parsing, so that a file with a syntax error is watched too.
        self._importer.read(fullname, file, _parents(fullname))
        self._importer.loaded.fingerprints[file] = fingerprint(source)
        tree = ast.parse(source, self.path)
        self._importer.read(fullname, file, _imported(tree, package))
        code: CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        with self._importer.executing(module):
            super().exec_module(module)


class _Alias:
    """Loads a module under a second name: the same object, not a copy."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module itself."""
        module = importlib.import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the spec of the module, which importing it by another name has replaced."""
        module.__spec__ = self._spec


_active: Importer | None = None


def fingerprint(text: bytes) -> str:
    """Return a fingerprint of a text; only valid within this process."""
    return f"{len(text)}:{hash(text):x}"


def _root_of(file: Path) -> Path:
    """Return the folder that contains the outermost package of a file, or the folder of a file in no package."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _dotted(path: Path) -> str:
    # A dot in a file name would separate packages.
    parts = [part.replace(".", "_") for part in path.with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _above(file: Path, own: str, name: str) -> Path:
    """Return the folder of a package, given a file in it and the module name of that file."""
    inside = file.parent if file.name == "__init__.py" else file
    return inside.parents[own.count(".") - name.count(".") - 1]


def _parents(name: str) -> set[str]:
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def _imported(tree: ast.Module, package: str) -> set[str]:
    """Return every name that the source imports; `from a import b` counts as `a.b` too, since b may be a module."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names |= {alias.name} | _parents(alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            names |= {module} | _parents(module) | {f"{module}.{alias.name}" for alias in node.names}
    return names


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if node.level == 0:
        return node.module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base
