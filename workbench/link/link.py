"""What every link to a core is, wherever the core runs."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from server_core.records.tap import Record
from server_core.transports.channel import Channel


class Link(Protocol):
    """A terminal's connection to one core.

    Attributes:
        info: the answer to `core/info`, as it was when the link was opened.
        dropped: how many records this terminal will never get.
        closed: set when the core or the terminal has ended the connection.
        on_records: called on the event loop when there is something to drain; set it before subscribing.
    """

    info: dict[str, Any]
    closed: asyncio.Event
    on_records: Callable[[], None] | None

    @property
    def dropped(self) -> int: ...

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask the core, and return what it answers.

        Args:
            method: a method of the link, such as `catalog/get`.
            params: its params.

        Raises:
            RemoteError: when the core refuses.
            ConnectionFailed: when the connection is closed, or is lost before the answer.
        """

    async def subscribe(self, after: int = 0) -> None:
        """Have the core send every record after this number, the past ones first.

        Raises:
            RemoteError: when the core has no such number yet, or sends records already.
        """

    def drain(self, most: int) -> list[Record]:
        """Return the records that have come, oldest first, and at most so many."""

    async def open_session(self) -> Channel:
        """Open an MCP session with the server of the core, for a client in this terminal.

        Raises:
            ConnectionFailed: when the core is gone, or the role may not.
        """

    async def close(self) -> None:
        """Leave; the core goes on. Safe to call twice."""
