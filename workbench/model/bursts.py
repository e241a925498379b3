"""Keys that arrive faster than a user types: text from a program, or a paste without bracketed paste mode.

Terminals send the line feeds of such a text as `ctrl+j`, which is also the key that sends a form. A slow machine reads
at once what a user has typed in a while, so only a long text is certainly a paste:

1. A line feed within a run of `PASTE_KEYS` or more, with `PASTE_KEYS_PER_LINE` on average, is a new line of the text.
   Those at the end of a paste of several lines, and those pressed shortly after it, are refused.
2. A line feed within another run of several lines may be either: it is neither text nor the key, but refused.
3. Everywhere else, also at the end of one line, it is the key.
4. The consent to send a value with problems only counts some time after the problems have been shown.

A run is text that was read from the terminal at once. Times are in seconds, on any monotonic clock.
"""

from collections.abc import Sequence
from enum import Enum
from itertools import groupby
from math import inf

PASTE_KEYS = 40  # The length of a run of several lines that no user types while a busy machine does not read it.

PASTE_KEYS_PER_LINE = 4  # Who presses a key again and again types less in between.

PAUSE_S = 0.3  # How long after a paste its next part may come.

READING_S = 0.3  # How long problems have to be shown before the user can consent to them.


class BurstKey(Enum):
    """The role of a key in a burst: it types a character, it is `ctrl+j` in a text field, or something else."""

    TEXT = "text"
    LINE_FEED = "line feed"
    OTHER = "other"


class Arrival(Enum):
    """What the other keys of a run mean for a key."""

    PRESSED = "pressed"  # nothing
    UNCLEAR = "unclear"  # if it is a line feed, it may be the key or text
    PASTED = "pasted"  # it is part of a paste of several lines
    END = "end"  # it is a line feed at the end of such a paste


class Step(Enum):
    """An action for a key."""

    NEW_LINE = "new line"  # insert a new line for a line feed that was held back
    REFUSE = "refuse"  # report that the current line feed is not used
    PASS = "pass"  # deliver the current key


def arrivals(keys: Sequence[BurstKey]) -> list[Arrival]:
    """Return how each of the keys arrived that were read from the terminal at once."""
    result: list[Arrival] = []
    for is_other, keys_between in groupby(keys, key=lambda key: key is BurstKey.OTHER):
        run = list(keys_between)
        result += [Arrival.PRESSED] * len(run) if is_other else _arrivals_in_run(run)
    return result


def _arrivals_in_run(run: list[BurstKey]) -> list[Arrival]:
    texts = [index for index, key in enumerate(run) if key is BurstKey.TEXT]
    if not texts:
        return [Arrival.PRESSED] * len(run)
    end = texts[-1] + 1
    if BurstKey.LINE_FEED not in run[texts[0] : end]:
        # Several line feeds at the end of a line are the key pressed once.
        once = run[: end + 1]
        return [Arrival.PRESSED] * len(once) + [Arrival.UNCLEAR] * (len(run) - len(once))
    if len(run) < max(PASTE_KEYS, PASTE_KEYS_PER_LINE * run.count(BurstKey.LINE_FEED)):
        return [Arrival.UNCLEAR] * len(run)
    return [Arrival.PASTED] * end + [Arrival.END] * (len(run) - end)


class LineFeeds:
    """Decides which line feeds are text, which are the key, and which are refused."""

    def __init__(self) -> None:
        # The line feeds of a paste, which are text if the paste goes on.
        self._held = 0
        # When the last key of a paste was read.
        self._pasted = -inf
        self.refused = 0
        """How many line feeds were refused since one was the key, or since a pause."""
        self._refused_at = -inf

    def is_key(self, arrival: Arrival, at: float) -> bool:
        """Whether a line feed that arrives so, at that time, is the key."""
        return arrival is Arrival.PRESSED and not self._is_in_paste(at)

    def handle(self, key: BurstKey, arrival: Arrival, at: float) -> list[Step]:
        """Return the actions for a key, in order; none while a line feed is held back.

        Args:
            key: its role.
            arrival: what the other keys of its run mean for it.
            at: when it was read.
        """
        if key is BurstKey.OTHER:
            self._held, self._pasted = 0, -inf
            return [Step.PASS]
        if arrival in (Arrival.PASTED, Arrival.END):
            self._pasted = at
        if key is BurstKey.LINE_FEED:
            return self._handle_line_feed(arrival, at)
        held, self._held = self._held, 0
        return [*([Step.NEW_LINE] * held if self._is_in_paste(at) else []), Step.PASS]

    def _handle_line_feed(self, arrival: Arrival, at: float) -> list[Step]:
        if self.is_key(arrival, at):
            self.refused = 0
            return [Step.PASS]
        if self._is_in_paste(at):
            self._held += 1
        if arrival is Arrival.PASTED:
            return []
        self.refused = self.refused + 1 if at - self._refused_at <= PAUSE_S else 1
        self._refused_at = at
        return [Step.REFUSE]

    def _is_in_paste(self, at: float) -> bool:
        return at - self._pasted <= PAUSE_S


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
