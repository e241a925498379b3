"""The interface of every link to a core, wherever the core runs, and the buffer of records that all links have."""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from server_core.records.tap import Record
from server_core.transports.channel import Channel


class Link(Protocol):
    """A terminal's connection to one core."""

    info: dict[str, Any]  # the response to `core/info` at the time when the link was opened
    closed: asyncio.Event  # set when the core or the terminal has ended the connection
    # called on the event loop when records can be drained; set it before subscribing
    on_records: Callable[[], None] | None
    session_ids: list[str]  # the ids of the MCP sessions that it has opened

    @property
    def dropped(self) -> int:
        """How many records were lost before this terminal could receive them."""
        ...

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request to the core and return its result; RemoteError or ConnectionFailed as for any request."""

    async def subscribe(self, after: int = 0) -> None:
        """Have the core send all records after a number; RemoteError if it lacks the number, or sends already."""

    def drain(self, most: int) -> list[Record]:
        """Return the received records, oldest first, at most so many."""

    async def open_session(self) -> Channel:
        """Open an MCP session with the core's server; ConnectionFailed if it ended, or the role forbids it."""

    async def close(self) -> None:
        """Close the link; the core keeps running. Safe to call twice."""


class RecordBuffer:
    """The received records that the terminal has not read yet; beyond a limit the oldest are dropped, and counted.

    A single record that is larger than `bytes_limit` is still accepted.
    """

    def __init__(self, limit: int = 100_000, bytes_limit: int = 32 * 1024 * 1024) -> None:
        self.on_records: Callable[[], None] | None = None
        self.session_ids: list[str] = []
        self._limit = limit
        self._bytes_limit = bytes_limit
        self._bytes = 0
        self._waiting: deque[dict[str, Any]] = deque()
        self._dropped_here = 0
        self._dropped_there = 0

    @property
    def dropped(self) -> int:
        return self._dropped_here + self._dropped_there

    def add(self, batch: dict[str, Any]) -> None:
        """Add the records in the params of a `records` notification."""
        self._waiting.extend(batch["records"])
        self._bytes += sum(map(_size, batch["records"]))
        self._dropped_there = batch["dropped"]
        while len(self._waiting) > self._limit or (self._bytes > self._bytes_limit and len(self._waiting) > 1):
            self._next()
            self._dropped_here += 1
        if self.on_records is not None:
            self.on_records()

    def drain(self, most: int) -> list[Record]:
        # Records are parsed on demand: the terminal limits how long that takes at a time.
        return [Record.from_wire(self._next()) for _ in range(min(most, len(self._waiting)))]

    def new_session_id(self) -> str:
        """Return an id for another session; the core describes the questions of other sessions only."""
        self.session_ids.append(os.urandom(16).hex())
        return self.session_ids[-1]

    def _next(self) -> dict[str, Any]:
        wire = self._waiting.popleft()
        self._bytes -= _size(wire)
        return wire


def _size(wire: dict[str, Any]) -> int:
    # Bytes that are not UTF-8 are sent as base64.
    return len(wire["data"] if "data" in wire else wire["data64"])
