"""Names of modules: those of files, those that a source imports, and those that a project cannot have."""

import ast
import sys
from pathlib import Path

# Modules that a core imports sooner or later: a file with such a name would be imported instead, and break the core.
# fmt: off
_CORE_IMPORTS = (
    "_cffi_backend", "annotated_doc", "annotated_types", "anyio", "certifi", "cffi", "click", "cryptography",
    "dotenv", "h11", "httpcore", "httptools", "httpx", "idna", "jsonschema_rs", "jwt", "linkify_it",
    "markdown_it", "mdit_py_plugins", "mdurl", "opentelemetry", "platformdirs", "pydantic", "pydantic_core", "pygments",
    "rich", "shellingham", "sniffio", "textual", "typer", "typing_extensions", "typing_inspection", "uvicorn",
    "watchfiles", "websockets",
)
# fmt: on
# These names never refer to modules of the project, even if it has such files.
RESERVED = frozenset({*sys.stdlib_module_names, *_CORE_IMPORTS, "server_core", "workbench", "__main__"})
# The prefix of the module name of a folder or file whose own name belongs to another module.
RENAME_PREFIX = "_project_"


def root_of(file: Path) -> Path:
    """Return the folder that contains the outermost package of a file, or the folder of a file in no package."""
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def module_name_of(path: Path) -> str:
    """Return the dotted name of a file, given its path relative to the folder from which it is imported."""
    # A dot in a file name would separate packages.
    parts = [part.replace(".", "_") for part in path.with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def package_folder(file: Path, module_name: str, package: str) -> Path:
    """Return the folder of a package, given a file in it and the module name of that file."""
    module_path = file.parent if file.name == "__init__.py" else file
    return module_path.parents[module_name.count(".") - package.count(".") - 1]


def parent_names(name: str) -> set[str]:
    """Return the names of the packages that contain a module."""
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}


def imported_names(tree: ast.Module, package: str) -> set[str]:
    """Return every name that the source imports; `from a import b` counts as `a.b` too, since b may be a module."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names |= {alias.name} | parent_names(alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute_name(node, package)
            names |= {module} | parent_names(module) | {f"{module}.{alias.name}" for alias in node.names}
    return names


def _absolute_name(node: ast.ImportFrom, package: str) -> str:
    if node.level == 0:
        return node.module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - node.level + 1])
    return f"{base}.{node.module}" if node.module else base
