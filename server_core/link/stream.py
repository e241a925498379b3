"""The stream of records to one viewer: after a number, in order, in batches."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from server_core.link.backlog import TURNS_PER_SECOND, Backlog


async def stream(backlog: Backlog, after: int, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    """Send every record after a number, until the backlog is closed and everything was sent.

    The viewer sets the pace: the next batch is read only after the previous batch was sent.

    Args:
        backlog: the records of the core.
        after: the number of the last record that the viewer has; 0 at first.
        send: sends the params of one `records` notification: `records` as JSON values, and `dropped`, the number of
            records that are lost for this viewer.
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
