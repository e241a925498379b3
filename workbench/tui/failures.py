"""How the terminal fails: it gives the screen back, and keeps what may be told for a report.

Textual itself would print the traceback with the values of the local variables: arguments of calls, secrets among them.
"""

from rich.console import RenderableType
from rich.traceback import Trace, Traceback
from textual._context import active_message_pump
from textual.app import App
from textual.css.query import NoMatches
from textual.errors import NoWidget
from textual.screen import Screen
from textual.widget import MountError, Widget
from textual.worker import WorkerFailed, get_current_worker

from workbench.model.failure import Failure, TerminalFailed, failure_of, place_of, shortened_places

_MISSING = (NoMatches, NoWidget, MountError)
"""What it comes to when a widget looks for another that is not there."""


class FailingApp(App[int]):
    """An app that prints nothing of the error that ends it.

    Attributes:
        failed: how it was ended; None as long as nothing did.
    """

    failed: TerminalFailed | None = None

    def fail(self, failure: Failure) -> None:
        """Go down, and remember how things stood; what fails on the way down, whoever began it, is no news.

        Args:
            failure: what ends it.
        """
        if self._exit:
            return
        self._return_code = 1
        self.failed = self.failed or self.describe_failure(failure)
        self._close_messages_no_wait()

    def describe_failure(self, failure: Failure) -> TerminalFailed:
        """Return the failure with how things stand now."""
        return TerminalFailed(failure, shown="", size=self.size, core="")

    def _handle_exception(self, error: Exception) -> None:
        pump: object = active_message_pump.get(None)
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error, pump = error.error, get_current_worker().node
        if isinstance(error, _MISSING) and self._was_removed(pump):
            return
        if self._exception is None:
            # Tests that drive the app raise this one again.
            self._exception = error
            self._exception_event.set()
        self.fail(failure_of(error))

    def _was_removed(self, pump: object) -> bool:
        """Whether something was taken off the screen: a timer or a search of it may still miss what it had."""
        if not isinstance(pump, Widget):
            return False
        screen = next((node for node in pump.ancestors_with_self if isinstance(node, Screen)), None)
        return pump._pruning or pump._closing or screen not in self.screen_stack

    def panic(self, *renderables: RenderableType) -> None:
        """Go down because the thread that reads the keyboard has failed, which shows as a traceback only."""
        traces = [one.trace for one in renderables if isinstance(one, Traceback)]
        self.fail(_failure_of_trace(traces[0]) if traces else Failure("panic", ()))


def _failure_of_trace(trace: Trace) -> Failure:
    """What may be told of a traceback: the exception is its first part, and the others are what it was raised from."""
    failure = None
    for stack in reversed(trace.stacks):
        places = [place_of(frame.filename, frame.lineno, frame.name) for frame in stack.frames]
        failure = Failure(stack.exc_type, shortened_places(places), () if failure is None else (failure,))
    return failure or Failure("panic", ())
