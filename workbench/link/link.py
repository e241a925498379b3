"""The interface of every link to a core, wherever the core runs."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from server_core.records.tap import Record
from server_core.transports.channel import Channel


class Link(Protocol):
    """A terminal's connection to one core.

    Attributes:
        info: the response to `core/info` at the time when the link was opened.
        dropped: how many records were lost before this terminal could receive them.
        closed: set when the core or the terminal has ended the connection.
        on_records: called on the event loop when records can be drained; set it before subscribing.
    """

    info: dict[str, Any]
    closed: asyncio.Event
    on_records: Callable[[], None] | None

    @property
    def dropped(self) -> int: ...

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request to the core and return its result.

        Args:
            method: a method of the link, such as `catalog/get`.
            params: its params.

        Raises:
            RemoteError: when the core answers with an error.
            ConnectionFailed: when the connection is closed, or is lost before the response.
        """

    async def subscribe(self, after: int = 0) -> None:
        """Have the core send every record after this number, past records first.

        Raises:
            RemoteError: when the core has no such number yet, or is sending records already.
        """

    def drain(self, most: int) -> list[Record]:
        """Return the received records, oldest first, at most so many."""

    async def open_session(self) -> Channel:
        """Open an MCP session with the server of the core, for a client in this terminal.

        Raises:
            ConnectionFailed: when the core has ended, or the role does not permit it.
        """

    async def close(self) -> None:
        """Close the link; the core keeps running. Safe to call twice."""
