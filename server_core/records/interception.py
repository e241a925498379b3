"""Where a message can be stopped between its record and its delivery: the interface of what decides that.

A session that has recorded a message offers it to the tap's interceptor, if there is any, and delivers it itself only
if the interceptor does not take it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from server_core.protocol.jsonrpc import Message, RequestId
from server_core.records.tap import Record


@dataclass(slots=True, eq=False)
class Passage:
    """What can be done with one message that was taken; nothing here records the message itself."""

    # Delivers these bytes in place of the message.
    deliver: Callable[[bytes], None]
    # Sends a response to the sender of a request, in place of its receiver, and records it; None for other messages.
    answer: Callable[[bytes], None] | None = None
    # Sends the client a notification that belongs to the same call, and records it; None where that is impossible.
    notify: Callable[[bytes], None] | None = None
    # Called when nothing is delivered on purpose: nothing waits for its response any more, such as that of its batch.
    drop: Callable[[], None] = lambda: None
    # Whether its connection carries a single response, as an HTTP response does.
    is_last: bool = False
    # Whether the client is a terminal, which waits for calls of tools without a time limit.
    is_terminal: bool = False
    # Whether progress may have a message, which the revision of the session decides.
    has_progress_messages: bool = True


class Interceptor(Protocol):
    """Decides which messages wait for an operator; `server_core.holding` implements it."""

    def take(
        self,
        record: Record,
        data: bytes,
        passage: Callable[[], Passage],
        message: Message | None = None,
        related: RequestId | None = None,
    ) -> bool:
        """Take a message, or return False: then the caller delivers it.

        Args:
            record: its record.
            data: its bytes, not masked.
            passage: returns how it is delivered later; only called if it is taken.
            message: the parsed message, if the caller has it.
            related: the id of the request that a response answers.
        """

    def has_taken(self, session: str) -> bool:
        """Return whether messages of this session wait."""

    def release_session(self, session: str) -> None:
        """Deliver the messages of a session that wait: its client sends nothing more."""

    def expire_session(self, session: str) -> None:
        """Drop the messages of a session that wait: it is closed."""

    def expire_call(self, session: str, call: str) -> None:
        """Drop the messages of a call that wait: its client has disconnected; `call` is its name in records."""
