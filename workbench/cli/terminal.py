"""Open the terminal on a project, another server, or a running core; a child process starts after the first paint."""

import asyncio
import difflib
import gc
import math
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from server_core.errors import ConfigurationError
from workbench.cli.command_run import BROKEN
from workbench.cli.raw_arguments import COMMANDS
from workbench.cli.workspaces import HostedCore, RunningCore, StartedCore
from workbench.client.target import Era, Target
from workbench.model.terminal_failure import TerminalFailed

if TYPE_CHECKING:
    from workbench.workspace.open_request import OpenWorkspace

REOPENING_SECONDS = 10.0
"""A terminal that fails is opened again on its core, unless it has failed within so many seconds before."""


def open_terminal(target: Target, *, in_process: bool = False, era: Era = Era.AUTO, fresh: bool = False) -> int:
    """Open the terminal on a server, relayed if it is no project, and return the exit code; `fresh` joins no core."""
    _check_project(target)
    _check_screen()
    if in_process:
        return _run_hosted(HostedCore(target, era))
    core = StartedCore(target, era, fresh=fresh)
    try:
        return _run(core)
    finally:
        core.leave()


def open_demo(*, in_process: bool = False, era: Era = Era.AUTO, fresh: bool = False) -> int:
    import scaffolds

    return open_terminal(Target(project=scaffolds.demo_project()), in_process=in_process, era=era, fresh=fresh)


def attach(core_id: str | None, era: Era = Era.AUTO) -> int:
    """Open the terminal on a running core, given by its id or the beginning of it; None for the only running core."""
    from workbench.cli import console
    from workbench.link.cores import find_core

    core = RunningCore(find_core(core_id, console.warn).id, era)
    _check_screen()
    try:
        return _run(core)
    finally:
        core.leave()


def _run_hosted(core: HostedCore) -> int:
    """Run the terminal and the core on one event loop, which continues while a failed terminal is opened again."""
    with asyncio.Runner() as runner:
        try:
            return _run(core, runner.get_loop())
        finally:
            runner.run(core.leave())


def _run(open_workspace: "OpenWorkspace", loop: asyncio.AbstractEventLoop | None = None) -> int:
    # Imports leave hardly any garbage, and collecting it would delay the first paint: the application enables it then.
    gc.disable()
    from workbench.tui.key_remapping import use_keys
    from workbench.workspace.config_file import read_config

    config = read_config()
    # Before the import of the application, whose bindings and texts are made from the keys.
    remark = "\n".join(use_keys(config.keys, config.key_lines).losses)
    if config.editor:
        # For everything that opens an editor.
        os.environ["VISUAL"] = config.editor
    from workbench.tui.config_check import config_mistakes, mistakes_notice

    # Imported last, because it takes the longest: errors in the arguments are reported before.
    from workbench.tui.terminal_run import run_terminal

    # If nohup or a wrapper made it ignore hangups, it would never end after its window is closed.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    memory, failed = None, -math.inf
    notice = mistakes_notice(config_mistakes(config))
    while True:
        try:
            return run_terminal(open_workspace, memory, notice, remark, read_config().theme, loop)
        except TerminalFailed as error:
            from workbench.cli.failure_report import reopening_notice, report, write_report

            path = write_report(error)
            before, failed = failed, time.monotonic()
            if not error.core or failed - before < REOPENING_SECONDS:
                report(error, path)
                return BROKEN
            memory, notice, remark = error.memory, reopening_notice(path), ""


def _check_screen() -> None:
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise ConfigurationError(
            "the workbench needs a terminal, and standard input or output is not one;"
            " without a terminal, use `workbench list`, `workbench call` or `workbench serve`"
        )


def _check_project(target: Target) -> None:
    path = target.project
    if path is None or os.path.exists(path):
        return
    close = difflib.get_close_matches(str(path), COMMANDS, n=1)
    guess = f"; did you mean the command {close[0]!r}?" if close else "; `workbench new NAME` creates a project"
    raise ConfigurationError(f"no folder, file or command is named {str(path)!r}{guess}")
