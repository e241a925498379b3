"""The lifespan protocol of ASGI.

Specification: https://asgi.readthedocs.io/en/latest/specs/lifespan.html
"""

from contextlib import AbstractAsyncContextManager, AsyncExitStack

from server_core.errors import WorkbenchError
from server_core.transports.streamable.http_exchange import Receive, Send


async def run_lifespan(lifespan: AbstractAsyncContextManager[None], receive: Receive, send: Send) -> None:
    """Keep a context entered while the server runs.

    Args:
        lifespan: the context.
        receive, send: the arguments of an ASGI application.
    """
    await receive()
    async with AsyncExitStack() as entered:
        try:
            await entered.enter_async_context(lifespan)
        except WorkbenchError as error:
            # If raised, the server would assume that the application does not support lifespans, and serve it anyway.
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
    await send({"type": "lifespan.shutdown.complete"})
