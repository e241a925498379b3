"""Handling of internal errors: restore the screen, and store what a report may contain.

Textual itself would print the traceback with the values of local variables: call arguments, and secrets among them.
"""

import asyncio
from typing import TYPE_CHECKING

from rich.console import RenderableType
from textual import events
from textual._context import active_message_pump
from textual.app import App
from textual.css.query import NoMatches
from textual.errors import NoWidget
from textual.screen import Screen
from textual.widget import MountError, Widget
from textual.worker import WorkerFailed, get_current_worker

from workbench.model.terminal_failure import TerminalFailed, TerminalFailure, failure_of, place_of, shortened_places

if TYPE_CHECKING:
    from rich.traceback import Trace

_MISSING = (NoMatches, NoWidget, MountError)
"""The errors raised when a widget queries another that does not exist."""


class FailureReportApp(App[int]):
    """An app that stores a report of the error that ends it, and prints no traceback.

    It overrides private methods of :class:`textual.app.App`: Textual has no public hook between an error and its
    traceback on the screen.
    """

    failed: TerminalFailed | None = None
    """The error that ended the app."""

    async def on_event(self, event: events.Event) -> None:
        # A removed widget may still be painted, and a click on it would reach a widget without an app.
        if isinstance(event, events.MouseDown) and not event.is_forwarded and not self._is_on_a_widget(event):
            return
        await super().on_event(event)

    def _is_on_a_widget(self, event: events.MouseDown) -> bool:
        try:
            widget, _ = self.get_widget_at(event.x, event.y)
        except NoWidget:
            return True
        return widget.parent is not None

    def fail(self, failure: TerminalFailure) -> None:
        """Shut down and store the state; errors during the shutdown are ignored."""
        if self._exit:
            return
        # What Textual does for an unhandled error, without its traceback.
        self._return_code = 1
        self.failed = self.failed or self.describe_failure(failure)
        self._close_messages_no_wait()

    def describe_failure(self, failure: TerminalFailure) -> TerminalFailed:
        return TerminalFailed(failure, shown="", size=self.size, core="")

    def _handle_exception(self, error: Exception) -> None:
        # The object whose handler raised the error; in a worker it is the node that started the worker.
        pump: object = active_message_pump.get(None)
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error, pump = error.error, get_current_worker().node
        if isinstance(error, _MISSING) and self._is_removed(pump):
            return
        if self._exception is None:
            # Textual's test pilot raises this exception again.
            self._exception = error
            self._exception_event.set()
        self.fail(failure_of(error))

    def _is_removed(self, pump: object) -> bool:
        """Whether a widget was removed from the screen: its timers or queries may still refer to removed children."""
        if not isinstance(pump, Widget):
            return False
        screen = next((node for node in pump.ancestors_with_self if isinstance(node, Screen)), None)
        # Private, but earlier than `is_attached`: they are set when the removal begins.
        return pump._pruning or pump._closing or screen not in self.screen_stack

    def panic(self, *renderables: RenderableType) -> None:
        # Imported late, with Pygments: it would delay the first paint by a tenth.
        from rich.traceback import Traceback

        # The driver calls this with a traceback when its thread, which reads the keyboard, fails.
        traces = [item.trace for item in renderables if isinstance(item, Traceback)]
        self.fail(_failure_of_trace(traces[0]) if traces else TerminalFailure("panic", ()))


def end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel all tasks of an event loop that was stopped while the app was running, so that it restores the screen."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def _failure_of_trace(trace: "Trace") -> TerminalFailure:
    """The parts of a traceback that are safe to report: no values of local variables."""
    failure = None
    # The first stack is the exception, the others are its causes.
    for stack in reversed(trace.stacks):
        places = [place_of(frame.filename, frame.lineno, frame.name) for frame in stack.frames]
        failure = TerminalFailure(stack.exc_type, shortened_places(places), () if failure is None else (failure,))
    return failure or TerminalFailure("panic", ())
