"""Keys that come faster than a person presses them: text that a program types, or a paste that is not bracketed.

Terminals send the line feeds of such a text as `ctrl+j`, which is also the key that sends a form. Two rules keep a
paste from sending one:

1. A line feed directly between characters of one burst is a new line of the text. At the end of a burst, and
   everywhere else, it is the key; several in a row at the end are the key pressed once.
2. The consent to send what has problems counts only some time after the problems have been shown.

Times are in seconds, on any clock that never goes back.
"""

from enum import Enum
from math import inf

BURST_S = 0.05
"""Between two keys of one burst passes no more than this."""

READING_S = 0.3
"""How long problems have been shown before a person can consent to them."""


class Key(Enum):
    """What a key is for the burst that it may belong to."""

    TEXT = "text"
    """It writes something."""
    LINE_FEED = "line feed"
    """It is `ctrl+j`, where text is written."""
    OTHER = "other"


class Step(Enum):
    """What to do next."""

    NEW_LINE = "new line"
    """Write a new line in the place of a line feed that was held."""
    SEND = "send"
    """Press `ctrl+j`: the line feeds that were held were the key."""
    PASS = "pass"
    """Deliver the key that has just come."""


class LineFeeds:
    """Decides which line feeds are text; holds those directly after text until the next key, or until none comes."""

    def __init__(self) -> None:
        self._held = 0
        self._last = -inf
        """When the last key of the burst came."""

    @property
    def is_holding(self) -> bool:
        """Whether a line feed is held; :meth:`end` is to be called when no key comes within `BURST_S`."""
        return self._held > 0

    def take(self, key: Key, at: float) -> list[Step]:
        """Take a key and return what to do now, in order; nothing while a line feed is held.

        Args:
            key: what was pressed.
            at: when.
        """
        is_burst = at - self._last <= BURST_S
        self._last = -inf if key is Key.OTHER else at
        if key is Key.LINE_FEED and is_burst:
            self._held += 1
            return []
        if key is Key.LINE_FEED:
            self._last = -inf
        if key is Key.TEXT and is_burst:
            held, self._held = self._held, 0
            return [Step.NEW_LINE] * held + [Step.PASS]
        return [*self.end(), Step.PASS]

    def end(self) -> list[Step]:
        """Return what to do when no key has come directly after those so far."""
        held, self._held = self._held, 0
        return [Step.SEND] if held else []


class Consent:
    """A person's consent to send a value with problems: asked for once, given by sending the same value again."""

    def __init__(self) -> None:
        self._asked = ""
        self._shown: float | None = None

    def ask(self, value: str) -> None:
        """Ask for the consent to a value.

        Args:
            value: what would be sent, as JSON.
        """
        self._asked, self._shown = value, None

    def show(self, at: float) -> None:
        """Take note that the problems are on the screen."""
        if self._shown is None:
            self._shown = at

    def is_asked(self, value: str) -> bool:
        """Whether the consent to a value has been asked for."""
        return bool(value) and value == self._asked

    def is_given(self, value: str, at: float) -> bool:
        """Whether sending a value now is the consent to it."""
        return self._shown is not None and self.is_asked(value) and at - self._shown >= READING_S

    def forget(self) -> None:
        """Ask anew the next time."""
        self._asked, self._shown = "", None
