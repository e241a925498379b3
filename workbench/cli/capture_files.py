"""The captures that commands are given: by path, by file name, or by the name that a user has given one."""

from pathlib import Path
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from server_core.records.capture.capture_listing import CaptureInfo


def find(capture: Path) -> Path:
    """Return the path of a capture, which may be given by the name of its file, with or without its ending, or its own.

    Raises:
        ConfigurationError: when there is no such capture, or several have the name.
    """
    from server_core.records.capture.capture_schema import SUFFIX
    from server_core.runtime.paths import captures_folder

    if capture.exists():
        return capture
    for name in (capture.name, f"{capture.name}{SUFFIX}"):
        if (stored := captures_folder() / name).exists():
            return stored
    if (named := _named(str(capture))) is None:
        raise ConfigurationError(f"There is no capture {escaped(str(capture))}: `workbench captures` lists them.")
    return named


def _named(name: str) -> Path | None:
    from server_core.records.capture.capture_listing import list_captures

    paths = [capture.path for capture in list_captures() if capture.name and capture.name == name]
    if len(paths) > 1:
        files = ", ".join(escaped(path.name) for path in paths)
        raise ConfigurationError(f"{len(paths)} captures are named {escaped(name)}: give one of {files}.")
    return paths[0] if paths else None


def readable(capture: Path) -> "CaptureInfo":
    """Return the facts about a capture; ConfigurationError if it cannot be read."""
    from server_core.records.capture.capture_listing import describe_capture

    info = describe_capture(find(capture))
    if info.problem:
        raise ConfigurationError(info.problem)
    return info
