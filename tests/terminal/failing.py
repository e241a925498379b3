"""`python -m tests.terminal.failing HOW WORDS...`: the command `workbench`, with a bug injected into its terminal.

The bugs have a secret in their message and in their local variables.
"""

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from textual._xterm_parser import XTermParser

from workbench.__main__ import main
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.help import HelpLines
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.traffic import TrafficList

SECRET = "s3cret-" + "value"
"""Concatenated here, so that no line of this file contains it."""


def fail(*arguments: Any, **more: Any) -> NoReturn:
    """Fail with the secret in the text, in a local variable and in the cause."""
    local = {"password": SECRET}
    try:
        raise LookupError(local)
    except LookupError as error:
        raise RuntimeError(f"cannot use {SECRET}") from error


async def fail_later(*arguments: Any) -> NoReturn:
    """Fail in a coroutine."""
    fail(*arguments)


def in_a_worker(app: WorkbenchApp) -> None:
    """Start a worker that fails."""
    app.run_worker(fail_later())


def in_a_timer(app: WorkbenchApp) -> None:
    """Set a timer that fails."""
    app.set_timer(0.01, fail)


WAYS: dict[str, tuple[type, str, Callable[..., Any]]] = {
    "handler": (WorkbenchApp, "action_help", fail),
    "worker": (WorkbenchApp, "action_help", in_a_worker),
    "timer": (WorkbenchApp, "action_help", in_a_timer),
    "mount": (InspectorPane, "on_mount", fail),
    "paint": (TrafficList, "render_row", fail),
    "keyboard": (XTermParser, "_sequence_to_key_events", fail),
    "dialog": (HelpLines, "action_move", fail),
    "start": (WorkbenchApp, "on_mount", fail),
    "outside": (WorkbenchApp, "run", fail),
}
"""Each way to fail: the class, the method to replace, and its replacement."""

KEYS = {"handler": "?", "worker": "?", "timer": "?", "keyboard": "?", "mount": "2", "paint": "2", "dialog": "?j"}
"""The keys that trigger the failure, if it needs any."""


if __name__ == "__main__":
    owner, method, mistake = WAYS[sys.argv.pop(1)]
    setattr(owner, method, mistake)
    sys.exit(main(sys.argv[1:]))
