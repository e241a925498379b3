"""Serve MCP over Streamable HTTP, with our own server for the ASGI application of `streamable`.

The server is uvicorn's HTTP protocol on our own listener: signals, logs and the end of the process remain the caller's
responsibility.
"""

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, cast

from server_core.errors import ConfigurationError
from server_core.transports.listener import ACCEPTS_PER_ITERATION, BACKLOG, Listener
from server_core.transports.source import ToolSource
from server_core.transports.streamable.endpoint import PATH, StreamableHttp

if TYPE_CHECKING:
    from server_core.settings import Settings
    from server_core.transports.streamable.connections import Connection

# Seconds without a request.
KEEP_ALIVE = 75
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"


async def serve_http(
    source: ToolSource, host: str, port: int, settings: "Settings", on_ready: Callable[[str], None]
) -> None:
    """Serve HTTP until cancelled; then running calls get a grace period, and every session ends.

    `on_ready` gets the URL once clients can connect; ConfigurationError if the host or port cannot be used.
    """
    application = StreamableHttp(source, settings, (host,))
    with _listener(host, port) as listener:
        async with _accept_connections(application, listener, settings.shutdown_grace):
            on_ready(_url(host, listener.getsockname()[1]))
            await asyncio.get_running_loop().create_future()


@contextlib.asynccontextmanager
async def _accept_connections(
    application: StreamableHttp, listener: socket.socket, grace: float
) -> AsyncIterator[None]:
    from uvicorn import Config
    from uvicorn.server import ServerState

    from server_core.transports.streamable.connections import connection_class, watch_connections

    config = Config(
        application,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        # Invalid requests are reported to their clients; logging them would only fill the user's terminal.
        log_level="error",
        access_log=False,
        server_header=False,
        # The peer is the client: forwarding headers could contain anything.
        proxy_headers=False,
        # Longer than clients keep idle connections: if the client closes first, it cannot lose a request.
        timeout_keep_alive=KEEP_ALIVE,
    )
    # What `uvicorn.Server` does at its start. That class is not used, since it also installs signal handlers, and
    # decides when connections are closed.
    config.load()
    state = ServerState()
    protocol_class = connection_class()
    server = await asyncio.get_running_loop().create_server(
        lambda: protocol_class(config=config, server_state=state, app_state={}),
        sock=listener,
        backlog=ACCEPTS_PER_ITERATION,
    )
    # asyncio has called `listen` with the small backlog; a second call only changes the number.
    listener.listen(BACKLOG)
    try:
        async with watch_connections(cast("set[Connection]", state.connections)):
            yield
    finally:
        # In this order: no new connections, then the responses to running calls, then the streams that would stay open.
        server.close()
        await application.settle(grace)
        application.close()
        for connection in list(state.connections):
            connection.shutdown()
        if state.tasks:
            await asyncio.wait(list(state.tasks), timeout=grace)
        for connection in list(state.connections):
            connection.transport.abort()
        await server.wait_closed()


def _listener(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server((str(address[0]), int(address[1])), family=family)
        # Inherited by every connection: head and body are sent in two packets, and the second must not wait until the
        # client acknowledges the first, which takes up to 40 ms (RFC 9293 section 3.7.4).
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Listener(listener, "clients over HTTP", _BUSY)
    except socket.gaierror:
        raise ConfigurationError(
            f"{host!r} is not an address of this machine; use 127.0.0.1, or omit --host."
        ) from None
    except OverflowError:
        raise ConfigurationError(f"{port} is not a port; use a number from 0 to 65535.") from None
    except OSError as error:
        raise ConfigurationError(_cannot_listen(host, port, error)) from error


def _cannot_listen(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is in use; stop what uses it, or choose another with --port (0 for any)."
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; use 127.0.0.1, or omit --host."
    if error.errno == errno.EACCES:
        return f"Port {port} needs more rights than this process has; choose one above 1023 with --port."
    return f"Cannot listen on {host}, port {port}: {error.strerror}."


def _url(host: str, port: int) -> str:
    # A server that listens on all addresses is also reachable on the loopback address.
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}{PATH}"
