"""The files whose changes are changes of a resource: from what its author wrote to absolute paths."""

import os
from pathlib import Path

from server_core.catalog.building.signature import Finding
from server_core.catalog.building.source_lines import plain_function
from server_core.catalog.declarations import ResourceDeclaration


def is_pattern(name: str) -> bool:
    """Return whether a name stands for several: `*.md`, `?.txt`, `[ab].txt`."""
    return any(one in name for one in "*?[")


def folder_of(declaration: ResourceDeclaration) -> Path:
    """Return the folder that relative paths are seen from: that of the file with the function."""
    code = getattr(plain_function(declaration.function), "__code__", None)
    return Path(getattr(code, "co_filename", "")).parent.absolute()


def read_watched(declaration: ResourceDeclaration) -> tuple[tuple[str, ...], list[Finding]]:
    """Return the absolute paths to watch, perhaps with wildcards in their last parts, and all that is wrong."""
    given = declaration.watch
    paths = [given] if isinstance(given, str | os.PathLike) else list(given)
    if any(not isinstance(one, str | os.PathLike) for one in paths):
        return (), [Finding("The files to watch must be paths.", 'Write `watch=["notes/*.md"]`.')]
    folder = folder_of(declaration)
    watched = [folder / one for one in paths]
    findings = [
        Finding(
            f"The path {str(one)!r} to watch has wildcards in a folder: whole trees are not watched.",
            "Use wildcards in the last part only, and name each folder.",
        )
        for one in watched
        if is_pattern(str(one.parent.relative_to(folder) if one.is_relative_to(folder) else one.parent))
    ]
    return tuple(map(str, watched)), findings
