"""What is sent to a terminal: answers and messages as a client gets them, but with secrets masked in what is shown.

The records that a terminal sees are masked by the tap; this is for its own session, whose results it shows as they
come. Names, addresses and schemas stay as they are, since a client works with them.
"""

import json
from typing import Any

from server_core.masking import Masker
from server_core.protocol import jsonrpc
from server_core.protocol.jsonrpc import RequestId
from server_core.transports.channel import EndingOutlet, Outlet

# Parts of results, errors and params that people are shown.
_SHOWN = (
    "content",
    "structuredContent",
    "contents",
    "messages",
    "message",
    "data",
    "systemPrompt",
    "inputRequests",
    "_meta",
)
# What says how the parts beside it are meant, unless it is an author's own.
_STRUCTURE = frozenset({"type", "role", "uri", "mimeType"})
_OF_AUTHORS = frozenset({"structuredContent", "data", "_meta"})


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
        masked = self._masker.mask(message)
        self._outlet.send(message if masked == message else self._masked(message, masked), related, answer=answer)

    @property
    def full(self) -> bool:
        """Whether the terminal has to take something before more should be sent."""
        return self._outlet.full

    async def drain(self) -> None:
        """Wait until the terminal has taken enough that more may be sent."""
        await self._outlet.drain()

    def end(self) -> None:
        """End the connection, where the transport can do that."""
        if isinstance(self._outlet, EndingOutlet):
            self._outlet.end()

    def _masked(self, message: bytes, masked: bytes) -> bytes:
        try:
            value = json.loads(message)
            for one in value if isinstance(value, list) else [value]:
                for part in ("result", "params", "error"):
                    if isinstance(whole := one.get(part), dict):
                        whole |= {key: self._hidden(whole[key], key in _OF_AUTHORS) for key in _SHOWN if key in whole}
            return jsonrpc.encode(value)
        except RecursionError:  # Nested beyond all measure: what is broken is better than what is shown.
            return masked

    def _hidden(self, value: Any, of_author: bool) -> Any:
        if isinstance(value, str):
            return self._masker.mask_text(value)
        if isinstance(value, list):
            return [self._hidden(one, of_author) for one in value]
        if isinstance(value, dict):
            return {
                self._masker.mask_text(key) if of_author else key: one
                if key in _STRUCTURE and not of_author
                else self._hidden(one, of_author)
                for key, one in value.items()
            }
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value if self._masker.mask_text(text := str(value)) == text else 0
        return value
