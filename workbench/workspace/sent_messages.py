"""The messages that the user has sent from the inspector: written there, or recorded ones sent again.

They go to the server through the session of this terminal, which ignores the responses; both are in the records.
"""

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from server_core.errors import ConnectionFailed
from server_core.protocol.jsonrpc import id_text, readable_id
from workbench.model.messages.message_text import repeated, wire_bytes
from workbench.model.traffic.entry import Entry, parse_object
from workbench.workspace.resolving import resolved_message

if TYPE_CHECKING:
    from workbench.client.session import ClientSession
    from workbench.workspace.workspace import Workspace


_MAX_WAITING = 20


@dataclass(slots=True)
class _Sent:
    data: bytes
    original: int
    searched: int  # The entries of the timeline up to this number are other messages.

    def is_recorded_as(self, entry: Entry) -> bool:
        """Return whether an entry is the record of the message; a secret in it is masked there."""
        if not entry.is_to_server or entry.data is None:
            return False
        return entry.data == self.data or (bool(entry.id) and entry.id == self._id)

    @property
    def _id(self) -> str:
        return id_text(readable_id(parse_object(self.data) or {}))


class SentMessages:
    """Sends messages of the user, and finds their records."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace
        # Sent, but not among the records yet; a message that is not found is forgotten in the end.
        self._waiting: deque[_Sent] = deque(maxlen=_MAX_WAITING)
        self._originals: dict[int, int] = {}

    async def send(self, text: str, original: int = 0) -> None:
        """Send a text as a message.

        Args:
            original: the number of the message that it is a changed copy of; 0 for none.

        Raises:
            WorkbenchError: when there is no session, it does not accept the message, or a reference has no value.
        """
        await self._send(self._session, wire_bytes(text), original)

    async def send_again(self, data: bytes, original: int) -> None:
        """Send a recorded message again, a request with another id; `original` and errors as in :meth:`send`."""
        session = self._session
        await self._send(session, repeated(data, session.unused_id()), original)

    def arrived(self) -> list[int]:
        """Return the numbers of the messages that are among the records since the last time, oldest first."""
        arrived = []
        for sent in list(self._waiting):
            if (entry := self._entry_of(sent)) is not None:
                self._waiting.remove(sent)
                self._originals[entry.seq] = sent.original
                arrived.append(entry.seq)
        return arrived

    def original_of(self, request: Entry) -> Entry | None:
        """Return the request that another one repeats, as it was or changed; None if it repeats none."""
        return self._workspace.timeline.by_seq(self._originals.get(request.seq, 0))

    @property
    def _session(self) -> "ClientSession":
        if (session := self._workspace.session) is None:
            reason = self._workspace.server_lost or "This terminal has no session with the server."
            raise ConnectionFailed(f"Nothing was sent. {reason}")
        return session

    async def _send(self, session: "ClientSession", data: bytes, original: int) -> None:
        data = await resolved_message(self._workspace, data)
        self._waiting.append(_Sent(data, original, self._workspace.timeline.last_seq))
        await session.send_raw(data)

    def _entry_of(self, sent: _Sent) -> Entry | None:
        timeline = self._workspace.timeline
        new = timeline.since(timeline.place_of(sent.searched + 1))
        sent.searched = timeline.last_seq
        return next(filter(sent.is_recorded_as, new), None)
