"""Messages to a terminal: the same as to any client, but with secrets masked in the texts that are shown.

The records that a terminal reads are masked by the tap; this is for its own session, whose results it shows. Names,
URIs and schemas are not masked, since a client works with them.
"""

from server_core.protocol.jsonrpc import RequestId
from server_core.records.masking import Masker
from server_core.records.masking.regions import SHOWN
from server_core.transports.channel import LastMessagesOutlet, Outlet


class MaskedOutlet:
    """Pass messages on to a terminal, with secrets masked.

    Args:
        outlet: where they are sent.
        masker: masks the secrets.
    """

    def __init__(self, outlet: Outlet, masker: Masker) -> None:
        self._outlet = outlet
        self._masker = masker

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Send one message to the terminal; see :meth:`Outlet.send`."""
        self._outlet.send(self._masker.mask(message, SHOWN), related, answer=answer)

    @property
    def full(self) -> bool:
        """Whether the send buffer is full, so that the caller should drain it first."""
        return self._outlet.full

    async def drain(self) -> None:
        """Wait until more may be sent."""
        await self._outlet.drain()

    def end(self) -> None:
        """Close the connection, where the transport can do that."""
        if isinstance(self._outlet, LastMessagesOutlet):
            self._outlet.end()
