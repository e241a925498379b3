"""`context.notify`: the older spelling of `context.progress.report`."""

from types import TracebackType

from server_core.execution.context.client_port import Namespace
from server_core.execution.context.progress import Progress


class Notify(Namespace):
    """`context.notify`: notify the client."""

    def progress(self, message: str | None = None, total: float | None = None) -> "Tracker":
        """Return a tracker: `async with context.notify.progress("Counting", 3) as tracker:`.

        Args:
            message: what is being done; sent at once, together with a progress of zero.
            total: the total amount of work, if known.
        """
        return Tracker(self._context.progress, message, total)


class Tracker:
    """The progress of one piece of work.

    Args:
        progress: the progress of the call.
        message: what is being done.
        total: the total amount of work.
    """

    def __init__(self, progress: Progress, message: str | None, total: float | None) -> None:
        self._progress = progress
        self._message = message
        self._total = total

    async def __aenter__(self) -> "Tracker":
        """Report a progress of zero."""
        await self.update(0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: the last update, or the result, marks the end of the work."""

    async def update(self, current: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress; an argument that is not given keeps its last value.

        Args:
            current: the amount of work done.
            total: the total amount of work.
            message: what is being done.
        """
        self._total = self._total if total is None else total
        self._message = self._message if message is None else message
        await self._progress.report(current, self._total, self._message)
