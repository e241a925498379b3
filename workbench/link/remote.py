"""The link to a core in another process, over its socket."""

import asyncio
from typing import Any

from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server_core.errors import ConnectionFailed, RemoteError
from server_core.link.descriptor import Descriptor
from server_core.link.roles import Role, sign_token
from server_core.protocol import jsonrpc
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel
from server_core.transports.websocket import WebSocketChannel
from workbench.link.link import RecordBuffer


class RemoteLink(RecordBuffer):
    """A link to a core in another process; :class:`~workbench.link.link.Link` describes the methods."""

    def __init__(self, descriptor: Descriptor, token: str, connection: ClientConnection) -> None:
        super().__init__()
        self.info: dict[str, Any] = {}
        self.closed = asyncio.Event()
        self.descriptor = descriptor
        self._token = token
        self._connection = connection
        self._waiting_for: dict[jsonrpc.RequestId, asyncio.Future[dict[str, Any]]] = {}
        self._next_id = 1
        self._reader = spawn(self._read(), f"link to core {descriptor.id}")

    @classmethod
    async def connect(cls, descriptor: Descriptor, role: str = "admin") -> "RemoteLink":
        """Return an open link in a role ("viewer", "operator" or "admin"); ConnectionFailed when the core has ended."""
        token = sign_token(descriptor.key, Role.from_name(role))
        try:
            connection = await unix_connect(
                descriptor.socket,
                "ws://localhost/control",
                additional_headers={"Authorization": f"Bearer {token}"},
                # The socket is local: compressing would cost more than it saves.
                compression=None,
                # The core limits what it sends; a record may be as long as the longest message it accepts.
                max_size=None,
                # A tool may block the event loop of the core for long, which must not close the link.
                ping_interval=None,
            )
        except (OSError, InvalidHandshake) as error:
            raise ConnectionFailed(f"The core {descriptor.id} cannot be reached: {error}.") from error
        link = cls(descriptor, token, connection)
        link.info = await link.request("core/info")
        return link

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        request_id = self._next_id
        self._next_id += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting_for[request_id] = answer
        try:
            await self._connection.send(jsonrpc.request(request_id, method, params or {}), text=True)
            return await answer
        except ConnectionClosed as error:
            raise ConnectionFailed(f"The connection to the core {self.descriptor.id} is closed.") from error
        finally:
            del self._waiting_for[request_id]
            # The connection may have ended while the request was sent: then the answer is no longer awaited.
            answer.cancel()
            if not answer.cancelled():
                answer.exception()

    async def subscribe(self, after: int = 0) -> None:
        await self.request("records/subscribe", {"after": after})

    async def open_session(self) -> Channel:
        return await WebSocketChannel.connect(
            "ws://localhost/mcp",
            unix_path=self.descriptor.socket,
            token=self._token,
            session_id=self.new_session_id(),
        )

    async def close(self) -> None:
        await self._connection.close()
        await self._reader

    async def _read(self) -> None:
        try:
            async for frame in self._connection:
                self._receive(jsonrpc.parse(frame.encode() if isinstance(frame, str) else frame))
        except ConnectionClosed:
            pass  # The same as a regular close: the core has ended.
        finally:
            self.closed.set()
            self._fail_all(ConnectionFailed(f"The core {self.descriptor.id} has ended."))

    def _receive(self, message: jsonrpc.Message) -> None:
        if isinstance(message, jsonrpc.Notification) and message.method == "records":
            self.add(message.params)
        elif isinstance(message, jsonrpc.Response | jsonrpc.ErrorResponse) and message.id is not None:
            self._settle(message.id, message)

    def _settle(self, request_id: jsonrpc.RequestId, answer: jsonrpc.Response | jsonrpc.ErrorResponse) -> None:
        waiting = self._waiting_for.get(request_id)
        if waiting is None or waiting.done():
            return
        if isinstance(answer, jsonrpc.Response):
            waiting.set_result(answer.result)
        else:
            waiting.set_exception(RemoteError(answer.code, answer.message, answer.data))

    def _fail_all(self, error: ConnectionFailed) -> None:
        for waiting in self._waiting_for.values():
            if not waiting.done():
                waiting.set_exception(error)
