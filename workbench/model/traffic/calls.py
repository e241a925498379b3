"""Messages as calls: a request, its response, and what its tool printed, logged and reported are one row.

The timeline has joined both, by session, direction and id; here it is decided which row shows a message. All of this
costs the same for each message, however many there are.
"""

from server_core.records.tap import Kind
from workbench.model.traffic.entry import Entry
from workbench.model.traffic.timeline import Timeline

_ANSWERS = (Kind.RESPONSE, Kind.ERROR)
_EFFECTS = (Kind.STDOUT, Kind.STDERR, Kind.LIFECYCLE, Kind.NOTIFICATION)


def is_answer(entry: Entry) -> bool:
    """Whether a message is the response to a request of the timeline."""
    return entry.pair != 0 and entry.kind in _ANSWERS


def is_effect(entry: Entry) -> bool:
    """Whether a record is what a call caused, without a question: prints, log messages, progress and events."""
    return entry.parent != 0 and entry.kind in _EFFECTS


def row_of_call(entry: Entry) -> int:
    """Return the number of the message whose row shows this one: a response is in the row of its request."""
    return entry.pair if is_answer(entry) else entry.seq


def messages_of_call(timeline: Timeline, entry: Entry) -> tuple[Entry, ...]:
    """Return the messages in the row of a message: itself, and the response if it is an answered request."""
    answer = timeline.pair_of(entry)
    return (entry,) if answer is None else (entry, answer)
