"""Messages to a terminal: the same as to any client, but with secrets masked in the texts that are shown.

The records that a terminal reads are masked by the tap; this is for its own session, whose results it shows. Names,
URIs and schemas are not masked, since a client works with them.
"""

from server_core.protocol.jsonrpc import RequestId
from server_core.records.masking import Masker
from server_core.records.masking.regions import SHOWN
from server_core.transports.channel import LastMessagesOutlet, Outlet


class MaskedOutlet:
    """An outlet that masks secrets in messages to a terminal, and forwards them to the outlet of its transport."""

    def __init__(self, outlet: Outlet, masker: Masker) -> None:
        self._outlet = outlet
        self._masker = masker

    def send(self, message: bytes, related: RequestId | None, *, is_response: bool = False) -> None:
        self._outlet.send(self._masker.mask(message, SHOWN), related, is_response=is_response)

    @property
    def full(self) -> bool:
        return self._outlet.full

    async def drain(self) -> None:
        await self._outlet.drain()

    def end(self) -> None:
        if isinstance(self._outlet, LastMessagesOutlet):
            self._outlet.end()
