"""Stopping an idle core: one that was started by a terminal which has disappeared without stopping it.

A terminal that is quit through its dialog stops its core, or has it serve HTTP; one whose window is closed, or that is
killed, does neither.
"""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.core import Core

# Seconds between two checks: use of the core that begins and ends between them does not count.
CHECK_INTERVAL = 5.0


async def until_idle(core: "Core", seconds: float) -> None:
    """Return once the core has been idle for so long, which is recorded; never return if `seconds` is 0.

    Args:
        core: the core.
        seconds: how long there must have been no terminal, no open session and no HTTP.
    """
    if not seconds:
        await asyncio.Event().wait()
    loop = asyncio.get_running_loop()
    used = loop.time()
    while loop.time() - used < seconds:
        await asyncio.sleep(min(CHECK_INTERVAL, seconds / 4))
        if core.is_in_use:
            used = loop.time()
    core.tap.emit_event("idle_stopped", id=core.id, seconds=seconds)
