"""Notices: one-line messages to the user about what has just happened, and the log of them.

The newest notice that is still true is shown. It ends with its time, with its cause, or when the user dismisses it;
errors have no time, so an error reappears when the confirmations after it have ended. The log has all of them.
"""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["information", "warning", "error"]

SECONDS: dict[Severity, float | None] = {"information": 6.0, "warning": 10.0, "error": None}
"""How long a notice is shown; None for until it is dismissed."""
LINE_S = 20.0
"""How many seconds a notice has a line of its own; one that is still true then is only a sign beside the keys."""
UNAVAILABLE = "unavailable"
"""The topic of the reason why an action did nothing: it ends with the next action that does something."""
CLIPBOARD = "clipboard"
"""The topic of what was copied: only the latest is there."""
MAX_LOGGED = 200
"""The number of notices in the log; the oldest are dropped."""
_MAX_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the user; foreign text is not escaped yet."""

    text: str
    severity: Severity
    time: float  # of its creation, in seconds since the epoch
    ends: float | None  # when it is no longer shown; None for no such time
    topic: str  # what it is about: a later notice on the same topic replaces it

    @property
    def line(self) -> str:
        return " ".join(self.text.split())

    def is_brief(self, now: float) -> bool:
        """Whether only its sign is shown by now."""
        return now >= self.time + LINE_S

    def next_change(self, now: float) -> float | None:
        """Return when it ends or becomes brief; None if neither will happen."""
        times = [time for time in (self.ends, self.time + LINE_S) if time is not None and time > now]
        return min(times, default=None)


def whole_sentences(line: str, fits: Callable[[str], bool]) -> str:
    """Return the first sentences of a line that fit, with a mark that more follow; empty if none fits."""
    ends = [match.start() + 1 for match in re.finditer(r"[.!?](?= )", line)]
    return next((text for end in reversed(ends) if fits(text := f"{line[:end]} …")), "")


class Notices:
    """The notices that are still true, and the log of all; `clock` returns seconds since the epoch."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: list[Notice] = []
        self.log: deque[Notice] = deque(maxlen=MAX_LOGGED)

    @property
    def current(self) -> Notice | None:
        """The notice to show; None for none."""
        now = self._clock()
        self._open = [notice for notice in self._open if notice.ends is None or notice.ends > now]
        return self._open[-1] if self._open else None

    @property
    def texts(self) -> list[str]:
        """The texts of all notices that are still true, the oldest first."""
        return [notice.text for notice in self._open] if self.current is not None else []

    def add(
        self,
        text: str,
        severity: Severity = "information",
        *,
        topic: str = "",
        seconds: float | None = None,
        behind: bool = False,
    ) -> None:
        """Add a notice; it replaces the one on its `topic`, or if that is empty the one with the same text.

        It is shown for some seconds (by default those of its severity), and `behind` those that are open.
        """
        text = text[:_MAX_CHARACTERS]
        topic = topic or text
        now, seconds = self._clock(), SECONDS[severity] if seconds is None else seconds
        notice = Notice(text, severity, now, None if seconds is None else now + seconds, topic)
        self._open = [other for other in self._open if topic != other.topic and text != other.text]
        others = self._open[-MAX_LOGGED:]
        self._open = [notice, *others] if behind else [*others, notice]
        if self.log and self.log[-1].text == text:
            self.log.pop()
        self.log.append(notice)

    def withdraw(self, topic: str) -> bool:
        """End the notice on a topic, because its cause has ended; return whether there was one."""
        before = len(self._open)
        self._open = [notice for notice in self._open if notice.topic != topic]
        return len(self._open) < before

    def dismiss(self) -> bool:
        """End all notices: the user has read them. Return whether there was one."""
        had_any = self.current is not None
        self._open = []
        return had_any
