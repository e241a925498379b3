"""Resolve the files that a resource watches into absolute paths."""

import os
from pathlib import Path

from server_core.catalog.building.signature import DefinitionFinding
from server_core.catalog.building.source_lines import plain_function
from server_core.catalog.declarations import ResourceDeclaration


def is_pattern(name: str) -> bool:
    """Return whether a name contains wildcards: `*.md`, `?.txt`, `[ab].txt`."""
    return any(wildcard in name for wildcard in "*?[")


def folder_of(declaration: ResourceDeclaration) -> Path:
    """Return the base folder of relative paths: that of the file with the function."""
    code = getattr(plain_function(declaration.function), "__code__", None)
    return Path(getattr(code, "co_filename", "")).parent.absolute()


def read_watched(declaration: ResourceDeclaration) -> tuple[tuple[str, ...], list[DefinitionFinding]]:
    """Return the absolute paths to watch, possibly with wildcards in the last part, and the findings about them."""
    given = declaration.options.get("watch", ())
    paths = [given] if isinstance(given, str | os.PathLike) else list(given)
    if any(not isinstance(path, str | os.PathLike) for path in paths):
        return (), [DefinitionFinding("The files to watch must be paths.", 'Write `watch=["notes/*.md"]`.')]
    folder = folder_of(declaration)
    watched = [folder / path for path in paths]
    findings = [
        DefinitionFinding(
            f"The path {str(path)!r} to watch has wildcards in a folder: folder trees are not watched.",
            "Use wildcards in the last part only, and list each folder.",
        )
        for path in watched
        if is_pattern(str(path.parent.relative_to(folder) if path.is_relative_to(folder) else path.parent))
    ]
    return tuple(map(str, watched)), findings
