"""The messages of the core that wait for an operator, and the verbs on them.

Rule 1: they are fetched after each event of the core about them, so that every terminal shows the same.
Rule 2: the countdowns go on here between two fetches, by the clock of this terminal.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.errors import WorkbenchError
from server_core.runtime.background import spawn

if TYPE_CHECKING:
    from workbench.link.link import Link

LIMIT_REACHED = "hold_limit_reached"
CLIENT_TIMEOUT = 60.0
_PAUSE_S = 0.05  # Many messages may be held or released at once.


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits; times are those of this terminal, in seconds since the epoch."""

    id: int  # The number of its record in the core.
    session: str
    is_to_server: bool
    kind: str
    method: str
    name: str
    request_id: str | int | None
    size: int
    answerable: bool
    cancelled: bool  # Whether its client has given up.
    client_gives_up: float | None  # When its client is expected to give up; None if it does not wait for this.
    released_at: float | None  # If it is delayed.
    held_by: str = ""  # Who has set the filter that holds it; empty if unknown.


class HeldMessages:
    """The filter of the core and the messages that wait, oldest first; `on_change` is called when they change."""

    def __init__(self, link: "Link", on_change: Callable[[], None], clock: Callable[[], float]) -> None:
        self.filter: str | None = None
        self.held_by = ""  # Who has set the filter; empty if unknown.
        self.client_timeout = CLIENT_TIMEOUT
        self.messages: list[Waiting] = []
        self.is_limit_reached = False
        self._link = link
        self._on_change = on_change
        self._clock = clock
        self._is_due = False

    def handle_event(self, event: str) -> None:
        """Fetch the messages again soon, if an event of the core is about them."""
        if event == LIMIT_REACHED:
            self.is_limit_reached = True
        if event.startswith(("message_", "hold_", "held_")) and not self._is_due:
            self._is_due = True
            spawn(self._refresh_soon(), "held messages")

    async def refresh(self) -> None:
        # A viewer may not see them, and an older core has no such method.
        with suppress(WorkbenchError):
            self._show(await self._link.request("hold/list"))

    async def set(self, text: str) -> None:
        """Hold the messages that match a filter; WorkbenchError if the core refuses."""
        params = {"filter": text, "client_timeout": self.client_timeout, "name": _own_name()}
        self._show(await self._link.request("hold/set", params))

    async def clear(self) -> None:
        """Hold nothing more, and release all messages."""
        self._show(await self._link.request("hold/clear"))

    async def act(self, verb: str, id: int, **params: Any) -> None:
        """Act on a message; RemoteError with the reason if it no longer waits."""
        try:
            await self._link.request(f"hold/{verb}", {"id": id, **params})
        finally:
            await self.refresh()

    async def body(self, id: int) -> bytes:
        """Return the bytes of a message, with secrets masked; empty if the core no longer has them."""
        from server_core.records.tap import Record

        records = (await self._link.request("records/get", {"seqs": [id]}))["records"]
        return Record.from_wire(records[0]).data if records else b""

    def close(self) -> None:
        """Forget the messages: the core is lost."""
        self.filter, self.messages = None, []
        self._on_change()

    async def _refresh_soon(self) -> None:
        await asyncio.sleep(_PAUSE_S)
        self._is_due = False
        await self.refresh()

    def _show(self, hold: dict[str, Any]) -> None:
        self.filter, self.client_timeout = hold["filter"], hold["client_timeout"]
        self.held_by = _holder(hold)
        now = self._clock()
        self.messages = [_read(message, now) for message in hold["held"]]
        if not self.messages:
            self.is_limit_reached = False
        self._on_change()


def _own_name() -> str:
    return f"terminal, process {os.getpid()}"


def _holder(facts: dict[str, Any]) -> str:
    # An older core does not name it.
    name: str = facts.get("held_by", "")
    return "this terminal" if name == _own_name() else name


def _read(message: dict[str, Any], now: float) -> Waiting:
    left = message["seconds_left"]
    return Waiting(
        message["id"],
        message["session"],
        message["direction"] == "in",
        message["kind"],
        message["method"],
        message["name"],
        message["request_id"],
        message["size"],
        message["answerable"],
        message["cancelled"],
        None if left is None else now + left,
        message["release_at"],
        _holder(message),
    )
