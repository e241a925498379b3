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
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from server_core.loading.module_locations import ModuleLocations
from server_core.loading.module_names import RESERVED, imported_names, parent_names


@dataclass
class LoadedModules:
    """The modules of a project at one moment."""

    modules: dict[str, ModuleType] = field(default_factory=dict)  # by name
    files: dict[Path, str] = field(default_factory=dict)  # file -> the name of its module
    # Name -> the names that the module imports, whether they exist or not.
    imports: dict[str, set[str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)  # another name by which a module was imported -> its own name
    namespaces: set[str] = field(default_factory=set)  # the imported namespace packages (folders without `__init__.py`)
    fingerprints: dict[Path, str] = field(default_factory=dict)  # file -> the fingerprint of its text when it was read

    def copy(self) -> "LoadedModules":
        imports = {name: set(names) for name, names in self.imports.items()}
        return LoadedModules(
            dict(self.modules),
            dict(self.files),
            imports,
            dict(self.aliases),
            set(self.namespaces),
            dict(self.fingerprints),
        )


class Importer:
    """Finds and loads a project's modules, as a meta path finder; with `shares`, imported ones are used unchanged."""

    def __init__(self, folder: Path, *, shares: bool = False) -> None:
        self.locations = ModuleLocations(folder)
        self._shares = shares
        self._shared: dict[str, ModuleType] = {}
        self._running_modules: list[str] = []  # the names of modules whose code runs now, the innermost last
        self._modules_aside: dict[str, ModuleType] = {}  # modules of others that were imported from the same files
        self.loaded = LoadedModules()

    def set_files(self, files: Iterable[Path], folders: Container[Path]) -> None:
        """Set the project's files and folders; modules already imported from there are put aside, or shared."""
        files = tuple(files)
        if self._shares:
            self._share(files)
        else:
            self._put_aside(folders)
        self.locations.set_files(files)

    def load(self, file: Path) -> ModuleType:
        """Return the module of a file, importing it if necessary."""
        name = self.locations.name_of(file)
        if name in self.loaded.modules:
            return self.loaded.modules[name]
        return importlib.import_module(name)

    def affected_by(self, files: Iterable[Path]) -> set[str]:
        """Return the modules of these files, and all modules that import them directly or indirectly."""
        affected = {self.locations.name_of(file) for file in files}
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

    def unload(self, names: Iterable[str]) -> None:
        """Unload modules, so that they are loaded again when they are next imported."""
        unloaded = set(names) - self._shared.keys()
        for name in unloaded:
            module = self.loaded.modules.pop(name, None)
            self.loaded.imports.pop(name, None)
            sys.modules.pop(name, None)
            # `from package import module` uses an attribute of the package before it imports a module.
            parent, _, child = name.rpartition(".")
            if module is not None and getattr(sys.modules.get(parent), child, None) is module:
                delattr(sys.modules[parent], child)
        for alias in [alias for alias, name in self.loaded.aliases.items() if name in unloaded]:
            del self.loaded.aliases[alias]
            sys.modules.pop(alias, None)
        self.loaded.files = {file: name for file, name in self.loaded.files.items() if name not in unloaded}

    def restore(self, state: LoadedModules) -> None:
        self._uninstall()
        self.loaded = state
        self._install()

    def activate(self) -> None:
        """Make the modules of this project importable, and put those of another project aside."""
        global _active_importer
        if _active_importer is not self:
            if _active_importer is not None:
                _active_importer.deactivate()
            _active_importer = self
            # First: if the folder is on `sys.path` too, Python's own finder must not load its files, which would then
            # not be registered here and not be reloaded.
            sys.meta_path.insert(0, self)
            self._install()
        importlib.invalidate_caches()  # Finders cache folder listings; files may have been created since.

    def deactivate(self) -> None:
        """Put the modules of this project aside."""
        global _active_importer
        if _active_importer is self:
            _active_importer = None
            if self in sys.meta_path:  # A tool may have changed it.
                sys.meta_path.remove(self)
            self._uninstall()
            sys.modules.update(self._modules_aside | self._shared)
            self._modules_aside.clear()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the project, else None; see `importlib.abc.MetaPathFinder`."""
        if self._running_modules:
            self.loaded.imports.setdefault(self._running_modules[-1], set()).add(name)
        if name.partition(".")[0] in RESERVED:
            return None
        in_namespace = name.rpartition(".")[0] in self.loaded.namespaces
        file = self.locations.locate(name, path or () if in_namespace else ())
        if file is None:
            return self._namespace_spec(name)
        module_name = self.locations.name_of(file)
        if module_name != name:
            self.loaded.aliases[name] = module_name
            alias: Any = _AliasLoader(module_name)  # Not a subclass of Loader: importlib.abc is slow to import.
            return ModuleSpec(name, alias, origin=str(file))
        folders = [str(file.parent)] if file.name == "__init__.py" else None
        return spec_from_file_location(
            name, file, loader=ProjectLoader(name, str(file), self), submodule_search_locations=folders
        )

    @contextmanager
    def recording(self, module: ModuleType) -> Iterator[None]:
        """Record the imports of a module while its code runs, and register the module if that succeeds."""
        self._running_modules.append(module.__name__)
        try:
            yield
            self.loaded.modules[module.__name__] = module
        finally:
            self._running_modules.pop()

    def record(self, name: str, file: Path, imported: set[str]) -> None:
        """Record the file and the imports of a module before it runs."""
        self.loaded.files[file] = name
        self.loaded.imports.setdefault(name, set()).update(imported)

    def _put_aside(self, folders: Container[Path]) -> None:
        ours = {id(module) for module in self.loaded.modules.values()}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file is None or id(module) in ours or name.partition(".")[0] in RESERVED:
                continue
            if Path(file).parent in folders:
                self._modules_aside[name] = sys.modules.pop(name)

    def _share(self, files: Sequence[Path]) -> None:
        names = {file.name for file in files}
        wanted = set(files).difference(self.loaded.files)
        for name, module in list(sys.modules.items()):
            origin = Path(getattr(module, "__file__", None) or "")
            if origin.name not in names or name.partition(".")[0] in RESERVED:
                continue
            if (file := origin.resolve()) in wanted:
                self.locations.set_names({file: name})
                self.loaded.files[file] = name
                self._shared[name] = self.loaded.modules[name] = module

    def _namespace_spec(self, name: str) -> ModuleSpec | None:
        folders = self.locations.namespace_folders(name)
        if not folders:
            return None
        self.loaded.namespaces.add(name)
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = folders
        return spec

    def _install(self) -> None:
        sys.modules.update(self._shared | self.loaded.modules)
        for alias, name in self.loaded.aliases.items():
            if name in self.loaded.modules:
                sys.modules[alias] = self.loaded.modules[name]
        for name, module in self.loaded.modules.items():
            parent, _, child = name.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], child, module)

    def _uninstall(self) -> None:
        for name in (*self.loaded.modules, *self.loaded.aliases, *self.loaded.namespaces):
            sys.modules.pop(name, None)


class ProjectLoader(SourceFileLoader):
    """Loads a module from its source, and reports it to the importer."""

    def __init__(self, name: str, path: str, importer: Importer) -> None:
        super().__init__(name, path)
        self._importer = importer

    def get_code(self, fullname: str) -> CodeType:
        # The base class would read and write bytecode here; see rule 3.
        file = Path(self.path)
        package = fullname if file.name == "__init__.py" else fullname.rpartition(".")[0]
        source = file.read_bytes()
        # Recorded before parsing, so that a file with a syntax error is watched too.
        self._importer.record(fullname, file, parent_names(fullname))
        self._importer.loaded.fingerprints[file] = fingerprint(source)
        tree = ast.parse(source, self.path)
        self._importer.record(fullname, file, imported_names(tree, package))
        code: CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        with self._importer.recording(module):
            super().exec_module(module)


class _AliasLoader:
    """Loads a module under a second name: the same object, not a copy."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The module has run already; importing it by another name has replaced its spec.
        module.__spec__ = self._spec


_active_importer: Importer | None = None


def fingerprint(text: bytes) -> str:
    """Return a fingerprint of a text; only valid within this process, since `hash` is seeded."""
    return f"{len(text)}:{hash(text):x}"
