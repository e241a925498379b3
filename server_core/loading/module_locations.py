"""Where the modules of a project are: a file -> the name of its module, and a name -> a file or folders."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

from server_core.loading.module_names import RENAME_PREFIX, RESERVED, module_name_of, package_folder, root_of


class ModuleLocations:
    """The files and module names of the project in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # The folders to import from, each with the only top-level name to import, or an empty string for all.
        self._import_folders: list[tuple[Path, str]] = []
        self._names: dict[Path, str] = {}  # file -> the name of its module, loaded or not

    def set_names(self, names: Mapping[Path, str]) -> None:
        """Set the module names of files, instead of deriving them from the paths."""
        self._names.update(names)

    def set_files(self, files: Iterable[Path]) -> None:
        """Set the files of the project, and so the folders to import from."""
        import_folders = [(self._folder, ""), (self._folder / "src", "")]
        for file in files:
            root = root_of(file)
            if root == file.parent:
                import_folders.append((root, ""))
            elif not root.is_relative_to(self._folder):
                # The project is inside of a package: nothing else that is beside this package belongs to it.
                import_folders.append((root, file.relative_to(root).parts[0]))
        self._import_folders = list(dict.fromkeys(import_folders))

    def name_of(self, file: Path) -> str:
        """Return the name by which other modules import a file."""
        if file not in self._names:
            root = root_of(file)
            if root == file.parent or root.is_relative_to(self._folder):
                source = self._folder / "src"
                root = source if file.is_relative_to(source) and not (source / "__init__.py").exists() else self._folder
                root = root if file.is_relative_to(root) else file.parent
            self._names[file] = self._unused_name(module_name_of(file.relative_to(root)))
        return self._names[file]

    def locate(self, name: str, parents: Sequence[str]) -> Path | None:
        """Return the file of a module, which may also be below the folders of a namespace package."""
        for file, module_name in self._names.items():
            if module_name == name and file.is_file():
                return file
        parts = name.removeprefix(RENAME_PREFIX).split(".")
        bases = [folder.joinpath(*parts) for folder, only_name in self._import_folders if only_name in ("", parts[0])]
        for base in (*bases, *(Path(parent, parts[-1]) for parent in parents)):
            for candidate in (base / "__init__.py", base.with_name(f"{base.name}.py")):
                if candidate.is_file():
                    # A link to a file is the same module as its target; a package is located by its folder.
                    is_link = candidate.is_symlink() and candidate.name != "__init__.py"
                    return candidate.resolve() if is_link else candidate
        return None

    def namespace_folders(self, name: str) -> list[str]:
        """Return the folders of a namespace package; none if the name is not one of the project."""
        parts = name.removeprefix(RENAME_PREFIX).split(".")
        folders = [
            str(folder.joinpath(*parts))
            for folder, only_name in self._import_folders
            if only_name in ("", parts[0]) and folder.joinpath(*parts).is_dir()
        ]
        # Also derived from the paths of known files: the name of a folder may differ from that of its module.
        ours = [
            str(package_folder(file, module_name, name))
            for file, module_name in self._names.items()
            if module_name.startswith(f"{name}.")
        ]
        folders = list(dict.fromkeys([*folders, *ours]))
        # A plain folder is a namespace only if there is no such module elsewhere, as in Python itself.
        return folders if ours or (len(parts) == 1 and PathFinder.find_spec(name) is None) else []

    def _unused_name(self, name: str) -> str:
        """Return the name, prefixed if its top-level name belongs to a module outside of the project."""
        top = name.partition(".")[0]
        known = sys.modules.get(top)
        if top not in RESERVED and (known is None or self._is_ours(known)):
            return name
        return f"{RENAME_PREFIX}{name}"

    def _is_ours(self, module: ModuleType) -> bool:
        paths = [*getattr(module, "__path__", ()), getattr(module, "__file__", None) or ""]
        return any(path and Path(path).is_relative_to(self._folder) for path in paths)
