"""The lifespan of an application, in the terms of ASGI.

Specification: https://asgi.readthedocs.io/en/latest/specs/lifespan.html
"""

from contextlib import AbstractAsyncContextManager, AsyncExitStack

from server_core.errors import WorkbenchError
from server_core.transports.streamable.http_exchange import Receive, Send


async def run_lifespan(lifespan: AbstractAsyncContextManager[None], receive: Receive, send: Send) -> None:
    """Keep a context entered for as long as the server runs.

    Args:
        lifespan: the context.
        receive, send: as ASGI hands them over.
    """
    await receive()
    async with AsyncExitStack() as entered:
        try:
            await entered.enter_async_context(lifespan)
        except WorkbenchError as error:
            # Raised, it would pass for an application that knows no lifespan, and be served all the same.
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})
