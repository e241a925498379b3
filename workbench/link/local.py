"""The link to a core in this process, on this event loop: no socket, and the same responses."""

import asyncio
from typing import Any

from server_core.core import Core
from server_core.errors import ConnectionFailed, ProtocolError, RemoteError
from server_core.link.backlog import stream_records
from server_core.link.control import Control
from server_core.link.roles import Role
from server_core.runtime.background import spawn
from server_core.transports.channel import Channel
from server_core.transports.memory import MemoryChannel
from workbench.link.link import RecordBuffer

# Seconds to receive the last records when the core ends.
CLOSE_TIMEOUT = 1.0


class LocalLink(RecordBuffer):
    """A link to a core in this process, which it does not stop; :class:`~workbench.link.link.Link` has the methods."""

    def __init__(self, core: Core, role: str = "admin") -> None:
        super().__init__()
        self.closed = asyncio.Event()
        self._core = core
        self._role = Role.from_name(role)
        self._control = Control(core, self._role, self._start_stream)
        self.info: dict[str, Any] = self._control.info()
        self._stream: asyncio.Task[Any] | None = None
        self._channels: list[Channel] = []
        self._watcher = spawn(self._watch_core(), "end of the core")

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if self.closed.is_set():
            raise ConnectionFailed("The link to the core is closed.")
        try:
            return await self._control.handle(method, params or {})
        except ProtocolError as error:
            raise RemoteError(error.code, error.message, error.data) from error

    async def subscribe(self, after: int = 0) -> None:
        await self.request("records/subscribe", {"after": after})

    async def open_session(self) -> Channel:
        if self.closed.is_set():
            raise ConnectionFailed("The link to the core is closed.")
        if self._role < Role.OPERATOR:
            raise ConnectionFailed("A viewer has no MCP session; attach as operator or admin.")
        channel = MemoryChannel(self._core, transport="link", peer_name="workbench", id=self.new_session_id())
        self._channels.append(channel)
        return channel

    async def close(self) -> None:
        if self.closed.is_set():
            return
        self.closed.set()
        self._control.close()
        for task in (self._watcher, self._stream):
            # The watcher itself closes the link when the core ends, and must not cancel itself.
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        for channel in self._channels:
            await channel.close()

    def _start_stream(self, after: int) -> None:
        if self._stream is not None:
            self._stream.cancel()
        self._stream = spawn(stream_records(self._core.backlog, after, self._arrived), "records of the core")

    async def _arrived(self, batch: dict[str, Any]) -> None:
        self.add(batch)

    async def _watch_core(self) -> None:
        await self._core.stopped.wait()
        if self._stream is not None:
            # The stream ends by itself once the last records are here.
            await asyncio.wait({self._stream}, timeout=CLOSE_TIMEOUT)
        await self.close()
