"""The running cores of this user on this machine. Standard library only."""

import os
from collections.abc import Callable
from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.link.descriptor import SUFFIX, Descriptor, check_id, descriptor_path, is_listening
from server_core.runtime.paths import data_path, runtime_folder
from server_core.runtime.terminal_text import escaped

Report = Callable[[str], object]  # Receives one line for each descriptor that cannot be used.


def list_cores(report: Report = str) -> list[Descriptor]:
    """Return the running cores, the oldest first, and remove the descriptors of dead ones."""
    candidates = [_living(path, report) for path in sorted(runtime_folder().glob(f"*{SUFFIX}"))]
    return sorted((core for core in candidates if core is not None), key=lambda core: core.started)


def list_own_cores(report: Report = str) -> tuple[list[Descriptor], list[Descriptor]]:
    """Return the running cores that use the data folder of this process, and the others, each the oldest first.

    The others share the runtime folder: they were started with another home, `WORKBENCH_HOME` or `XDG_DATA_HOME`.
    """
    cores, own = list_cores(report), {"", str(data_path())}
    return [core for core in cores if core.data in own], [core for core in cores if core.data not in own]


def find_core(core_id: str | None = None, report: Report = str, project: Path | None = None) -> Descriptor:
    """Return the core whose id begins with a text; ConfigurationError unless there is exactly one.

    Without a text, it is the only core that serves the current folder, else the only core at all. With a project, only
    the cores that serve this folder or file are considered.
    """
    cores = list_cores(report)
    if project is not None:
        served = str(project.expanduser().resolve())
        cores = [core for core in cores if core.project == served]
        if not cores:
            raise ConfigurationError(f"No core serves {escaped(served)}; `workbench ps` lists the cores.")
    chosen = [core for core in cores if core.id == core_id] or [
        core for core in cores if core.id.startswith(core_id or "")
    ]
    if not core_id and len(here := [core for core in cores if core.project == _current_folder()]) == 1:
        return here[0]
    if core_id and not chosen and os.path.lexists(path := descriptor_path(check_id(core_id))):
        Descriptor.read(path)
    if len(chosen) == 1:
        return chosen[0]
    if not cores:
        raise ConfigurationError("No core is running; start one with `workbench` or `workbench serve`.")
    reason = f"No core has the id {core_id!r}" if core_id and not chosen else "More than one core is running"
    running = "".join(f"\n  {core.id}  {escaped(core.project)}" for core in cores)
    raise ConfigurationError(f"{reason}; choose one of:{running}")


def _current_folder() -> str:
    try:
        return str(Path.cwd().resolve())
    except FileNotFoundError:
        return ""  # It was removed.


def _living(path: Path, report: Report) -> Descriptor | None:
    try:
        core = Descriptor.read(path)
    except FileNotFoundError:
        return None  # The core has just ended.
    except ConfigurationError as error:
        report(str(error))
        return None
    if is_listening(Path(core.socket)):
        return core
    core.remove()
    return None
