"""The end of a core that nobody needs: one that a terminal has started, and whose terminal has gone without a word.

A terminal that is left by its dialog stops its core, or has it serve HTTP; one whose window is closed, or that is
killed, does neither.
"""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.core import Core

# Seconds between two looks: what comes and goes between them was no use of the core.
LOOK = 5.0


async def until_idle(core: "Core", seconds: float) -> None:
    """Return when the core was of no use to anybody for so long, which is recorded; never when it is 0 seconds.

    Args:
        core: the core.
        seconds: how long there must be no terminal, no open session and no HTTP.
    """
    if not seconds:
        await asyncio.Event().wait()
    loop = asyncio.get_running_loop()
    used = loop.time()
    while loop.time() - used < seconds:
        await asyncio.sleep(min(LOOK, seconds / 4))
        if core.in_use:
            used = loop.time()
    core.tap.lifecycle("idle_stopped", id=core.id, seconds=seconds)
