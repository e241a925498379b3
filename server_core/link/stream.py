"""One viewer's place in the records of a core: from a number on, in order, in batches, for as long as it stays."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from server_core.link.backlog import TURNS_PER_SECOND, Backlog


async def stream(backlog: Backlog, after: int, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    """Send every record after a number, until the backlog is closed and everything was sent.

    Sending sets the pace: while a viewer does not take a batch, the next one is not even read.

    Args:
        backlog: the records of the core.
        after: the number of the last record that the viewer has; 0 at first.
        send: takes the params of one `records` notification: `records` as JSON values, and `dropped`, how many
            this viewer will never get.
    """
    seq, dropped = after, 0
    while True:
        await backlog.newer(seq)
        records, lost = await backlog.after(seq)
        if not records:
            return
        dropped += lost
        seq = records[-1].seq
        await send({"records": [record.to_wire() for record in records], "dropped": dropped})
        await asyncio.sleep(1 / TURNS_PER_SECOND)
