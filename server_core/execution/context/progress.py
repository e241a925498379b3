"""`context.progress`: report the progress of a call; `context.notify.progress` is its older spelling.

Rule 1: progress only increases, and is never sent after the response (basic/utilities/progress).
Rule 2: a tool never waits for a client that does not read: only the newest pending report is kept, and it is always
sent before the response.
Rule 3: a tool that reports in a tight loop yields to the event loop from time to time.
"""

import asyncio
import math
from types import TracebackType
from typing import TYPE_CHECKING, Any

from server_core.execution.context.call import Namespace
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from server_core.execution.context.context import Context

PROGRESS = "notifications/progress"
YIELD_INTERVAL = 0.002
"""Seconds after which a tool that reports in a tight loop yields to the event loop."""


class Progress:
    """Reports the progress of one call to its client.

    Args:
        context: the context of the call.
        token: the progress token of the client's request; None if it did not request progress.

    Source: basic/utilities/progress.
    """

    def __init__(self, context: "Context", token: str | int | None) -> None:
        self._context = context
        self._token = token
        self._reported = self._last = -math.inf  # What the tool has reported, and what the client was sent.
        self._pending: dict[str, Any] | None = None
        self._sender: asyncio.Task[None] | None = None
        self._yielded_at = -math.inf

    async def report(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress to the client; nothing is sent if the client gave no progress token.

        Args:
            progress: the amount of work done. It must increase, as the specification demands; a report that does not
                is dropped.
            total: the total amount of work, if known.
            message: what is being done.

        Raises:
            ValueError: when a number is NaN or infinite.
        """
        if not math.isfinite(progress) or not math.isfinite(total or 0):
            raise ValueError("progress and total must be finite numbers.")
        if self._token is None or progress <= self._reported or self._context.has_ended:
            return
        self._reported = progress
        self._queue(max(progress, math.nextafter(self._last, math.inf)), total, message)
        await self._yield_to_loop()

    def keep_alive(self, message: str) -> bool:
        """Report that the call takes longer, which restarts the timeout of many clients; False if it reaches no client.

        The reported progress hardly increases, so that what the tool reports next does.
        """
        if self._token is None or self._context.has_ended or not self._context.port.is_reachable:
            return False
        self._queue(max(0, math.nextafter(self._last, math.inf)), None, message)
        return True

    def _queue(self, progress: float, total: float | None, message: str | None) -> None:
        self._last = progress
        params: dict[str, Any] = {"progressToken": self._token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None and self._context.port.client.revision.progress_messages:
            params["message"] = self._context.masked(message)
        self._pending = params
        if not self._context.port.is_full:
            self._send_pending()
        elif self._sender is None:
            self._sender = spawn(self._send_when_drained(), "send progress to a slow client")

    def end(self, answered: bool) -> None:
        """Send the pending report, because the call is over; nothing if the request will not be answered."""
        if self._sender is not None:
            self._sender.cancel()
        if answered:
            self._send_pending()

    def _send_pending(self) -> None:
        params, self._pending = self._pending, None
        if params is not None:
            self._context.send_notification(PROGRESS, params)

    async def _send_when_drained(self) -> None:
        try:
            while self._pending is not None:
                await self._context.port.drain()
                self._send_pending()
        finally:
            self._sender = None

    async def _yield_to_loop(self) -> None:
        # Not at each report: a switch of tasks takes longer than the report itself.
        now = asyncio.get_running_loop().time()
        if now - self._yielded_at > YIELD_INTERVAL:
            await asyncio.sleep(0)
            self._yielded_at = asyncio.get_running_loop().time()


class Notify(Namespace):
    """`context.notify`: the older spelling of `context.progress`."""

    def progress(self, message: str | None = None, total: float | None = None) -> "Tracker":
        """Return a tracker: `async with context.notify.progress("Counting", 3) as tracker:`.

        Args:
            message: what is being done; sent at once, together with a progress of zero.
            total: the total amount of work, if known.
        """
        return Tracker(self._context.progress, message, total)


class Tracker:
    """The progress of one piece of work."""

    def __init__(self, progress: Progress, message: str | None, total: float | None) -> None:
        self._progress = progress
        self._message = message
        self._total = total

    async def __aenter__(self) -> "Tracker":
        await self.update(0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: the last update, or the result, marks the end of the work."""

    async def update(self, current: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress; the total or the message is the last one if it is not given."""
        self._total = self._total if total is None else total
        self._message = self._message if message is None else message
        await self._progress.report(current, self._total, self._message)
