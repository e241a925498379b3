"""One terminal on the link: JSON-RPC 2.0 (:mod:`~server_core.link.control`), with the notifications `records`."""

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from server_core.errors import ProtocolError
from server_core.link.backlog import stream_records
from server_core.link.control import Control
from server_core.link.roles import Role
from server_core.protocol import jsonrpc
from server_core.protocol.codes import INTERNAL_ERROR
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from server_core.core import Core

# The maximum number of running requests of one terminal; more are not read.
REQUESTS_AT_ONCE = 16

_log = logging.getLogger(__name__)


class TerminalConnection:
    """One connection to `/control`; the shutdown waits for its `streams`."""

    def __init__(
        self, core: "Core", connection: ServerConnection, role: Role, streams: "set[asyncio.Task[None]]"
    ) -> None:
        self._connection = connection
        self._control = Control(core, role, self._subscribe)
        self._backlog = core.backlog
        self._streams = streams
        self._stream: asyncio.Task[None] | None = None
        self._free_slots = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def serve(self) -> None:
        """Answer requests until the terminal disconnects."""
        try:
            async for frame in self._connection:
                # Before the next frame is read: a terminal that sends too much is slowed down by its socket.
                await self._free_slots.acquire()
                message = jsonrpc.parse(frame.encode() if isinstance(frame, str) else frame)
                spawn(self._answer(message), "link request")
        except ConnectionClosed:
            pass  # It disconnected without a closing handshake, as a killed terminal does.
        finally:
            if self._stream is not None:
                self._stream.cancel()
            self._control.close()

    async def _answer(self, message: jsonrpc.Message) -> None:
        try:
            if (answer := await self._response_to(message)) is not None:
                await self._connection.send(answer, text=True)
        except ConnectionClosed:
            pass  # The terminal has disconnected.
        finally:
            self._free_slots.release()

    async def _response_to(self, message: jsonrpc.Message) -> bytes | None:
        if isinstance(message, jsonrpc.MalformedMessage):
            return jsonrpc.error(message.id, message.code, message.message)
        if not isinstance(message, jsonrpc.Request):
            return None
        try:
            return jsonrpc.response(message.id, await self._control.handle(message.method, message.params))
        except ProtocolError as error:
            return jsonrpc.error(message.id, error.code, error.message, error.data)
        except Exception as error:
            _log.exception("%s of the link failed.", message.method)
            return jsonrpc.error(message.id, INTERNAL_ERROR, f"Internal error: {type(error).__name__}")

    def _subscribe(self, after: int) -> None:
        if self._stream is not None:
            self._stream.cancel()
        self._stream = spawn(self._send_stream(after), "records for a terminal")
        self._streams.add(self._stream)
        self._stream.add_done_callback(self._streams.discard)

    async def _send_stream(self, after: int) -> None:
        # The terminal has disconnected, which :meth:`serve` handles.
        with contextlib.suppress(ConnectionClosed):
            await stream_records(self._backlog, after, self._send_records)

    async def _send_records(self, batch: dict[str, Any]) -> None:
        await self._connection.send(jsonrpc.notification("records", batch), text=True)
