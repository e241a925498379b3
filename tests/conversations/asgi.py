"""Serve any ASGI application in this process, with its lifespan."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn


@asynccontextmanager
async def running(application: Any) -> AsyncIterator[str]:
    """Serve the application on a free port; yields its URL, without a path."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application, log_config=None, lifespan="on", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await server.shutdown(sockets=[listener])
