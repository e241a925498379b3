"""What is sent to a terminal: answers and messages as a client gets them, but with secrets masked in what is shown.

The records that a terminal sees are masked by the tap; this is for its own session, whose results it shows as they
come. Names, addresses and schemas stay as they are, since a client works with them.
"""

from server_core.protocol.jsonrpc import RequestId
from server_core.records.masking import Masker
from server_core.records.masking.regions import SHOWN
from server_core.transports.channel import LastMessagesOutlet, Outlet


class MaskedOutlet:
    """Pass messages on to a terminal, with secrets masked.

    Args:
        outlet: where they go.
        masker: knows the secrets.
    """

    def __init__(self, outlet: Outlet, masker: Masker) -> None:
        self._outlet = outlet
        self._masker = masker

    def send(self, message: bytes, related: RequestId | None, *, answer: bool = False) -> None:
        """Take one message for the terminal; see :meth:`Outlet.send`."""
        self._outlet.send(self._masker.mask(message, SHOWN), related, answer=answer)

    @property
    def full(self) -> bool:
        """Whether the terminal has to take something before more should be sent."""
        return self._outlet.full

    async def drain(self) -> None:
        """Wait until the terminal has taken enough that more may be sent."""
        await self._outlet.drain()

    def end(self) -> None:
        """End the connection, where the transport can do that."""
        if isinstance(self._outlet, LastMessagesOutlet):
            self._outlet.end()
