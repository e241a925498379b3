"""Keys as they are read from the terminal: which of them came at once.

Only the thread that reads knows this: on a busy machine the app handles keys long after they were typed.
"""

import sys
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from textual import events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.message import Message

from workbench.model.bursts import Arrival, BurstKey, arrivals

LINE_FEED = "ctrl+j"
"""The key that a terminal sends for a line feed, also within a paste that is not bracketed."""

_arrivals: WeakKeyDictionary[events.Key, Arrival] = WeakKeyDictionary()


class RunParser(XTermParser):
    """A parser that remembers how the keys arrived that it returns."""

    def feed(self, data: str) -> Iterable[Message]:
        """Return the events of input that was read at once."""
        # A terminal that reports keys as numbers, as kitty does, only sends this character within a paste.
        if "\n" not in data:
            return super().feed(data)
        read = list(super().feed(data))
        for event, arrival in zip(read, arrivals([role_of(event) for event in read]), strict=True):
            if isinstance(event, events.Key):
                _arrivals[event] = arrival
        return read


def mark_runs(driver: type[Driver]) -> None:
    """Let a driver read the terminal with a :class:`RunParser`."""
    module = vars(sys.modules[driver.__module__])
    # A private name, since Textual offers no way to know what was read at once. The driver of tests has no parser.
    if "XTermParser" in module:
        module["XTermParser"] = RunParser


def arrival_of(event: events.Key) -> Arrival:
    return _arrivals.get(event, Arrival.PRESSED)


def role_of(event: Message) -> BurstKey:
    """Return the role of an event in a text field."""
    if not isinstance(event, events.Key):
        return BurstKey.OTHER
    if event.is_printable or event.key == "enter":
        return BurstKey.TEXT
    return BurstKey.LINE_FEED if event.key == LINE_FEED else BurstKey.OTHER
