"""Keys that arrive faster than a user types: text from a program, or a paste without bracketed paste mode.

Terminals send the line feeds of such a text as `ctrl+j`, which is also the key that sends a form. Two rules prevent a
paste from sending a form:

1. A line feed directly between characters of one burst is a new line of the text. At the end of a burst, and
   everywhere else, it is the key; several in a row at the end are the key pressed once.
2. The consent to send a value with problems only counts some time after the problems have been shown.

Times are in seconds, on any monotonic clock.
"""

from enum import Enum
from math import inf

BURST_S = 0.05  # The longest time between two keys of one burst.

READING_S = 0.3  # How long problems have to be shown before the user can consent to them.


class BurstKey(Enum):
    """The role of a key in a burst: it types a character, it is `ctrl+j` in a text field, or something else."""

    TEXT = "text"
    LINE_FEED = "line feed"
    OTHER = "other"


class Step(Enum):
    """An action for a key."""

    NEW_LINE = "new line"  # insert a new line for a line feed that was held back
    SEND = "send"  # press `ctrl+j` for the line feeds that were held back
    PASS = "pass"  # deliver the current key


class LineFeeds:
    """Decides which line feeds are text; holds back those directly after text until the next key or a timeout."""

    def __init__(self) -> None:
        self._held = 0
        self._last = -inf  # when the last key of the burst was pressed

    @property
    def is_holding(self) -> bool:
        """Whether a line feed is held back; call :meth:`end` when no key follows within `BURST_S`."""
        return self._held > 0

    def handle(self, key: BurstKey, at: float) -> list[Step]:
        """Return the actions for a key, in order; none while a line feed is held back."""
        is_burst = at - self._last <= BURST_S
        self._last = -inf if key is BurstKey.OTHER else at
        if key is BurstKey.LINE_FEED and is_burst:
            self._held += 1
            return []
        if key is BurstKey.LINE_FEED:
            self._last = -inf
        if key is BurstKey.TEXT and is_burst:
            held, self._held = self._held, 0
            return [Step.NEW_LINE] * held + [Step.PASS]
        return [*self.end(), Step.PASS]

    def end(self) -> list[Step]:
        """Return the actions when no key has followed in time."""
        held, self._held = self._held, 0
        return [Step.SEND] if held else []


class SendConsent:
    """The user's consent to send a value with problems: asked for once, given by sending the same value next."""

    def __init__(self) -> None:
        self._asked = ""
        self._shown: float | None = None

    def ask(self, value: str) -> None:
        """Ask for the consent to send a value, given as JSON."""
        self._asked, self._shown = value, None

    def show(self, at: float) -> None:
        if self._shown is None:
            self._shown = at

    @property
    def is_open(self) -> bool:
        """Whether the consent to send a value was asked for."""
        return bool(self._asked)

    def is_asked(self, value: str) -> bool:
        return bool(value) and value == self._asked

    def is_given(self, value: str, at: float) -> bool:
        return self._shown is not None and self.is_asked(value) and at - self._shown >= READING_S

    def forget(self) -> None:
        self._asked, self._shown = "", None
