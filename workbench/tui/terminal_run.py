"""One run of the terminal application, from its start to its exit code or its failure."""

import sys
from typing import TYPE_CHECKING

from workbench.model.short_text import escaped_lines
from workbench.model.terminal_failure import failure_of
from workbench.tui.app import WorkbenchApp
from workbench.tui.config_check import MISTAKES
from workbench.tui.terminal_failures import end_tasks

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from workbench.model.terminal_memory import TerminalMemory
    from workbench.workspace.open_request import OpenWorkspace


def run_terminal(
    open_workspace: "OpenWorkspace",
    memory: "TerminalMemory | None" = None,
    notice: str = "",
    remark: str = "",
    theme: str = "",
    loop: "AbstractEventLoop | None" = None,
) -> int:
    """Run the terminal until the user quits, and return the exit code: 0, or 3 when the core was lost or never reached.

    Args:
        memory: what a terminal that has failed had remembered.
        notice: a message about that failure, or about mistakes in the configuration.
        remark: a message about what is no mistake, but may surprise: which actions have lost their keys.
        loop: the event loop of a core in this process; None for a new one.

    Raises:
        TerminalFailed: when an internal error has ended it.
    """
    app = WorkbenchApp(open_workspace, memory=memory)
    app.use_theme(theme)
    if remark:
        app.notices.add(remark)
    if notice:
        # A terminal that is opened again has one about its failure.
        app.notices.add(notice, "error", topic=MISTAKES if memory is None else "")
    try:
        code = app.run(loop=loop)
    except Exception as error:
        app.fail(failure_of(error))
        if app.failed is not None and loop is not None:
            end_tasks(loop)
            app.failed.core = ""
    if app.failed is not None:
        raise app.failed
    if app.farewell:
        print(escaped_lines(app.farewell), file=sys.stderr)
    return app.return_code or 0 if code is None else code
