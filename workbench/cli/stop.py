"""`workbench stop`: stop running cores."""

from typing import Annotated

import typer

from server_core.errors import ConfigurationError
from server_core.link.descriptor import Descriptor
from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded, run
from workbench.cli.options import JsonOption

CLIENT_PURPOSE = "stdio"
"""The purpose of a core that is the server of a client, which ends with it."""


def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="IDs of cores, or their prefixes (see `workbench ps`)."),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Stop every core of your data folder except those that clients started over stdio."),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="With --all: stop the cores of clients as well.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Stop cores: with a request, so that running calls may finish, and with signals if a core does not respond.

    Without an ID, the core of this folder or else the only running core is stopped, unless a client has started it over
    stdio. Terminals that are attached to a core show that it was stopped. Captures are kept.
    """
    return guarded(lambda: run(stop(select_cores(ids or [], every=every, force=force), as_json)))


def select_cores(ids: list[str], *, every: bool, force: bool) -> list[Descriptor]:
    from workbench.link.cores import find_core, list_own_cores

    if every and ids:
        raise ConfigurationError("give the IDs of cores, or --all")
    if force and not every:
        raise ConfigurationError("--force requires --all; a core that is given by ID is stopped in any case")
    if ids:
        return list({core.id: core for core in (find_core(core_id, console.warn) for core_id in ids)}.values())
    if every:
        own, others = list_own_cores(console.warn)
        for core in others:
            console.write(f"Left the core {core.id} of the data folder {core.data}: workbench stop {core.id}")
        return [core for core in own if force or core.purpose != CLIENT_PURPOSE]
    core = find_core(report=console.warn)
    if core.purpose == CLIENT_PURPOSE:
        raise ConfigurationError(
            f"the core {core.id} is the server of a client; to stop it anyway: workbench stop {core.id}"
        )
    return [core]


async def stop(cores: list[Descriptor], as_json: bool) -> int:
    """Stop cores and report the results; ConnectionFailed names those that do not stop."""
    from server_core.errors import ConnectionFailed
    from workbench.link.core_stop import stop_core

    stopped, failures = [], []
    for core in cores:
        try:
            by = await stop_core(core)
        except ConnectionFailed as error:
            failures.append(str(error))
            continue
        stopped.append({"id": core.id, "pid": core.pid, "project": core.project, "by": by})
        how = "" if by == "order" else f" by {by}, since it did not answer"
        console.write(f"Stopped the core {core.id}{how}: {core.project}")
    if as_json:
        output.print_json(stopped)
    elif not cores:
        console.write("There is no core to stop.")
    if failures:
        raise ConnectionFailed("\n".join(failures))
    return DONE
