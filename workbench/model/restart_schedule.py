"""When a server that has ended is started again: after pauses that grow with each start that was in vain."""

from collections.abc import Callable
from random import random as random_number

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
SHORT_LIFE_S = 10.0
"""A server that ends sooner than this has ended at once."""
MAX_IN_VAIN = 6
"""After so many starts in a row that failed, or that a server survived only shortly, no other follows."""
_JITTER = 0.2  # By which part a pause may be shorter: many terminals on one server should not start it at once.


class RestartSchedule:
    """The pauses between starts of a server; `is_endless` for HTTP, since such a server may be away for long."""

    def __init__(self, *, is_endless: bool = False, random: Callable[[], float] = random_number) -> None:
        self.in_vain = 0
        self._is_endless = is_endless
        self._random = random

    def next_pause(self, lived_s: float) -> float | None:
        """Return the seconds until the next start, None for no other; `lived_s` is 0 if the server did not start."""
        if lived_s >= SHORT_LIFE_S:
            self.in_vain = 0
        if self.in_vain >= MAX_IN_VAIN and not self._is_endless:
            return None
        pause = min(FIRST_PAUSE_S * 2.0 ** min(self.in_vain, MAX_IN_VAIN), LONGEST_PAUSE_S)
        self.in_vain += 1
        return pause * (1 - _JITTER * self._random())

    def reset(self) -> None:
        """Begin again with the shortest pause."""
        self.in_vain = 0
