"""`workbench ps`: the running cores on this machine."""

from typing import TYPE_CHECKING

from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded
from workbench.cli.options import JsonOption
from workbench.model.describe import plural

if TYPE_CHECKING:
    from server_core.link.descriptor import Descriptor

# The fields of a descriptor that `--json` prints; its `key` is secret.
_JSON_FIELDS = (
    *("id", "pid", "version", "project", "mode", "purpose", "started", "http"),
    *("terminals", "clients", "idle_since", "data"),
)


def command(as_json: JsonOption = False) -> int:
    """List the running cores, for `workbench attach` and `workbench stop`.

    A core that a terminal has started stops by itself when it has had no terminal, no session and no HTTP request for
    WORKBENCH_IDLE_SECONDS (default: 1800; 0: never), unless the user has chosen to leave it running.
    """
    return guarded(lambda: _print_running(as_json))


def _print_running(as_json: bool) -> int:
    from workbench.link.cores import list_own_cores

    own, others = list_own_cores(console.warn)
    cores = sorted([*own, *others], key=lambda core: core.started)
    if as_json:
        output.print_json([{key: getattr(core, key) for key in _JSON_FIELDS} for core in cores])
    elif cores:
        rows = [("ID", "PID", "MODE", "STARTED", "USED BY", "HTTP", "SERVES")]
        rows += [
            (
                core.id,
                str(core.pid),
                core.mode,
                output.timestamp(core.started),
                _users(core),
                core.http or "-",
                f"{core.project}  (data folder: {core.data})" if core in others else core.project,
            )
            for core in cores
        ]
        output.print_table(rows)
    else:
        console.write("No core is running. Start one: workbench, or workbench serve --http.")
    return DONE


def _users(core: "Descriptor") -> str:
    """Return how many terminals and clients a core has, or since when it has none; "?" if it states neither."""
    if core.idle_since is not None:
        return f"idle since {output.timestamp(core.idle_since)}"
    counts = ((core.terminals, "terminal"), (core.clients, "client"))
    return ", ".join(plural(count, noun) for count, noun in counts if count) or "?"
