"""The lifespan of an application, in the terms of ASGI.

Specification: https://asgi.readthedocs.io/en/latest/specs/lifespan.html
"""

from contextlib import AbstractAsyncContextManager

from server_core.transports.streamable.exchange import Receive, Send


async def run_lifespan(lifespan: AbstractAsyncContextManager[None], receive: Receive, send: Send) -> None:
    """Keep a context entered for as long as the server runs.

    Args:
        lifespan: the context.
        receive, send: as ASGI hands them over.
    """
    await receive()
    async with lifespan:
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})
