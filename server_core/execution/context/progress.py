"""`context.progress`: report the progress of a call.

Rule 1: progress only increases, and is never sent after the response (basic/utilities/progress).
Rule 2: a tool never waits for a client that does not read: only the newest pending report is kept, and it is always
sent before the response.
Rule 3: a tool that reports in a tight loop yields to the event loop from time to time.
"""

import asyncio
import math
from typing import TYPE_CHECKING, Any

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
        self._last = -math.inf
        self._waiting: dict[str, Any] | None = None
        self._catching_up: asyncio.Task[None] | None = None
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
        if self._token is None or progress <= self._last or self._context.over:
            return
        self._last = progress
        params: dict[str, Any] = {"progressToken": self._token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None and self._context.port.client.revision.progress_messages:
            params["message"] = self._context.masked(message)
        self._waiting = params
        if not self._context.port.is_full:
            self._send()
        elif self._catching_up is None:
            self._catching_up = spawn(self._catch_up(), "send progress to a slow client")
        await self._yield_to_loop()

    def end(self, answered: bool) -> None:
        """Send the pending report, because the call is over.

        Args:
            answered: whether the client's request will be answered; if not, nothing is sent.
        """
        if self._catching_up is not None:
            self._catching_up.cancel()
        if answered:
            self._send()

    def _send(self) -> None:
        params, self._waiting = self._waiting, None
        if params is not None:
            self._context.send_notification(PROGRESS, params)

    async def _catch_up(self) -> None:
        try:
            while self._waiting is not None:
                await self._context.port.drain()
                self._send()
        finally:
            self._catching_up = None

    async def _yield_to_loop(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._yielded_at > YIELD_INTERVAL:
            await asyncio.sleep(0)
            self._yielded_at = asyncio.get_running_loop().time()
