"""`context.notify`: how progress was spelled before; today it is `context.progress.report`."""

from types import TracebackType

from server_core.execution.context.client_port import Namespace
from server_core.execution.context.progress import Progress


class Notify(Namespace):
    """`context.notify`: tell the client."""

    def progress(self, message: str | None = None, total: float | None = None) -> "Tracker":
        """Return what tells of progress: `async with context.notify.progress("Counting", 3) as tracker:`.

        Args:
            message: what is being done; told at once, together with a progress of zero.
            total: so much is to do, where it is known.
        """
        return Tracker(self._context.progress, message, total)


class Tracker:
    """The progress of one piece of work.

    Args:
        progress: of the call.
        message: what is being done.
        total: so much is to do.
    """

    def __init__(self, progress: Progress, message: str | None, total: float | None) -> None:
        self._progress = progress
        self._message = message
        self._total = total

    async def __aenter__(self) -> "Tracker":
        """Tell that the work begins."""
        await self.update(0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Tell nothing: the end of the work is the last update, or the result."""

    async def update(self, current: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work has come; what is not given is as it was.

        Args:
            current: so much is done.
            total: so much is to do.
            message: what is being done.
        """
        self._total = self._total if total is None else total
        self._message = self._message if message is None else message
        await self._progress.report(current, self._total, self._message)
