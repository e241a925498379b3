"""The link over WebSockets on a Unix socket: each connection to `/control` is a terminal, to `/mcp` an MCP session.

`/control` uses JSON-RPC 2.0 (:mod:`~server_core.link.control`) and carries the notifications `records`; `/mcp`
carries plain MCP messages, one in a frame. A token decides the role before the WebSocket is opened.
"""

import asyncio
import contextlib
import http
import logging
import os
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import Server, ServerConnection, unix_serve
from websockets.http11 import Request, Response

from server_core.errors import ConfigurationError
from server_core.execution.observation import observe_calls
from server_core.link.descriptor import Descriptor, check_id, environment_digest, is_listening, socket_path
from server_core.link.roles import LinkTokenRefused, Role, verify_token
from server_core.link.terminal_connection import TerminalConnection
from server_core.runtime.background import spawn
from server_core.runtime.paths import data_path
from server_core.runtime.version import VERSION
from server_core.transports.listener import ACCEPTS_PER_ITERATION, BACKLOG, Listener
from server_core.transports.websocket import SESSION_ID, serve_websocket

if TYPE_CHECKING:
    from server_core.core import Core

# The paths of the link, and the role that each path requires.
REQUIRED_ROLES = {"/control": Role.VIEWER, "/mcp": Role.OPERATOR}

# Seconds for sending the last records to terminals when the core stops.
CLOSE_TIMEOUT = 1.0
# Seconds between a change of the users of the core and the update of its descriptor.
PUBLISH_AFTER = 0.25
_USE_EVENTS = frozenset({"session_opened", "session_closed"})

_log = logging.getLogger(__name__)
# Protocol errors of a terminal are answered on the connection, and not logged to standard error.
_wire_log = logging.getLogger(f"{__name__}.wire")
_wire_log.addHandler(logging.NullHandler())
_wire_log.propagate = False


class LinkServer:
    """The server of the link, with which terminals attach to one core; ConfigurationError if its id is unusable."""

    def __init__(self, core: "Core") -> None:
        self._core = core
        self._id = check_id(core.id)
        self._key = os.urandom(32).hex()
        self._start_task: asyncio.Task[None] | None = None
        self._server: Server | None = None
        self._streams: set[asyncio.Task[None]] = set()
        self._options = environment_digest()
        self._idle_since: float | None = core.started
        self._publish_timer: asyncio.TimerHandle | None = None
        self._is_withdrawn = False
        # The number of connections to `/control`.
        self.terminals = 0

    async def start(self) -> None:
        """Accept connections, then write the descriptor; ConfigurationError if that is impossible, or already done."""
        if not hasattr(socket, "AF_UNIX"):
            raise ConfigurationError("This system has no Unix sockets, which terminals need to attach.")
        if is_listening(socket_path(self._id)):
            raise ConfigurationError(f"A core with the id {self._id!r} is already running; choose another --core-id.")
        # Shielded from the shutdown of the core, since a half-started server could not be closed.
        loop = asyncio.get_running_loop()
        self._core.tap.watch_events(lambda event: self._on_event(event, loop))
        self._start_task = spawn(self._listen(), "open the link")
        await asyncio.shield(self._start_task)

    def publish(self) -> None:
        """Update the descriptor."""
        if self._server is not None and not self._is_withdrawn:
            self._descriptor().write()

    def withdraw(self) -> None:
        """Delete the descriptor: the core is about to stop."""
        self._is_withdrawn = True
        if self._server is not None:
            self._descriptor().remove()

    async def stop(self) -> None:
        """Send the last records to terminals, then close; safe to call twice."""
        if self._start_task is not None:
            await asyncio.wait({self._start_task})
        if self._server is None:
            return
        server, self._server = self._server, None
        self._descriptor().remove()
        if self._streams:
            await asyncio.wait(self._streams, timeout=CLOSE_TIMEOUT)
        server.close()
        await server.wait_closed()

    async def _listen(self) -> None:
        listener = _listener(socket_path(self._id))
        self._server = await unix_serve(
            self._serve,
            sock=listener,
            # asyncio accepts as many connections in one iteration as this; the real backlog is set below.
            backlog=ACCEPTS_PER_ITERATION,
            process_request=self._admit,
            compression=None,  # Within one machine, compression costs more than it saves.
            max_size=self._core.settings.max_message_bytes,
            # A Unix socket reports a closed peer by itself, and a terminal may be stopped (Ctrl+Z) for long.
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT,
            server_header=None,
            logger=_wire_log,
        )
        listener.listen(BACKLOG)
        self.publish()

    def _on_event(self, event: Mapping[str, Any], loop: asyncio.AbstractEventLoop) -> None:
        # Events are emitted on any thread; timers belong to the loop.
        if event["event"] in _USE_EVENTS and self._server is not None:
            loop.call_soon_threadsafe(self._publish_soon)

    def _publish_soon(self) -> None:
        # There may be hundreds of short sessions, so changes are collected and written at once.
        if self._publish_timer is None:
            self._publish_timer = asyncio.get_running_loop().call_later(PUBLISH_AFTER, self._publish_now)

    def _publish_now(self) -> None:
        self._publish_timer = None
        # The disk may be full, or the descriptor deleted; the next change writes it again.
        with contextlib.suppress(OSError):
            self.publish()

    def _descriptor(self) -> Descriptor:
        core = self._core
        clients = core.clients
        if self.terminals or clients:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = time.time()
        return Descriptor(
            id=core.id,
            pid=os.getpid(),
            version=VERSION,
            project=core.title,
            mode=core.mode,
            started=core.started,
            socket=str(socket_path(core.id)),
            key=self._key,
            http=core.http.url,
            purpose=core.purpose,
            options=self._options,
            terminals=self.terminals,
            clients=clients,
            idle_since=self._idle_since,
            data=str(data_path()),
        )

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Return an HTTP response that refuses the WebSocket, or None if the token's role is sufficient."""
        if request.path not in REQUIRED_ROLES:
            return connection.respond(http.HTTPStatus.NOT_FOUND, "Not found; the link has /control and /mcp.\n")
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        try:
            role = verify_token(self._key, token if scheme == "Bearer" else "")
        except LinkTokenRefused as error:
            return connection.respond(http.HTTPStatus.UNAUTHORIZED, f"{error}\n")
        if role < REQUIRED_ROLES[request.path]:
            needed = REQUIRED_ROLES[request.path].name.lower()
            return connection.respond(http.HTTPStatus.FORBIDDEN, f"{request.path} needs the role {needed}.\n")
        # `process_request` has no other way to pass a value to the handler of the connection.
        connection.role = role  # type: ignore[attr-defined]
        return None

    async def _serve(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        try:
            if connection.request.path == "/mcp":
                session_id = connection.request.headers.get(SESSION_ID, "")
                await serve_websocket(self._core, connection, peer_name="workbench", id=session_id)
            else:
                await self._serve_terminal(connection)
        except Exception:
            # websockets logs the failure of a handler to its own logger, which is silenced above.
            _log.exception("A connection to %s of the link failed.", connection.request.path)
            raise

    async def _serve_terminal(self, connection: ServerConnection) -> None:
        self.terminals += 1
        self._publish_soon()
        try:
            role: Role = connection.role  # type: ignore[attr-defined]
            with observe_calls():
                await TerminalConnection(self._core, connection, role, self._streams).serve()
        finally:
            self.terminals -= 1
            self._publish_soon()


def _listener(path: Path) -> Listener:
    path.unlink(missing_ok=True)  # No process listens on it: it was left by a killed core.
    bound = socket.socket(socket.AF_UNIX)
    bound.setblocking(False)
    bound.bind(str(path))
    path.chmod(0o600)  # Before it listens; terminals refuse a socket that others may write to.
    return Listener(bound, "terminals")
