"""Which cores run on this machine, for this user. Standard library only."""

from pathlib import Path

from server_core.errors import ConfigurationError
from server_core.link.descriptor import SUFFIX, Descriptor, is_listening
from server_core.places import runtime_folder
from server_core.plain import escaped


def list_cores() -> list[Descriptor]:
    """Return the running cores, the oldest first, and clear away what dead ones left.

    Raises:
        ConfigurationError: when the runtime folder cannot be used.
    """
    found = [_living(path) for path in runtime_folder().glob(f"*{SUFFIX}")]
    return sorted((core for core in found if core is not None), key=lambda core: core.started)


def find_core(id: str | None = None) -> Descriptor:
    """Return the core with this id, or with the only id that begins so; without an id the only one that runs.

    Args:
        id: the id, or its beginning.

    Raises:
        ConfigurationError: when there is none, or more than one; the message lists those that run.
    """
    cores = list_cores()
    chosen = [core for core in cores if core.id == id] or [core for core in cores if core.id.startswith(id or "")]
    if len(chosen) == 1:
        return chosen[0]
    if not cores:
        raise ConfigurationError("No core is running; start one with `workbench` or `workbench serve`.")
    wanted = f"No core has the id {id!r}" if id and not chosen else "More than one core is running"
    running = "".join(f"\n  {core.id}  {escaped(core.project)}" for core in cores)
    raise ConfigurationError(f"{wanted}; choose one of:{running}")


def _living(path: Path) -> Descriptor | None:
    try:
        core = Descriptor.read(path)
    except OSError:
        return None  # It ended just now.
    except ValueError:
        # Descriptors are put in place whole, so this file is none, and nothing will ever read it.
        path.unlink(missing_ok=True)
        return None
    if is_listening(Path(core.socket)):
        return core
    core.remove()
    return None
