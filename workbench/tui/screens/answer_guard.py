"""Protects a request that has just come into view from a key or a click that was meant for what was there before."""

import math
import time

from workbench.client.questions import Question

GUARD_S = 0.5
"""After a request has come into view by itself, it is not answered for so many seconds."""


class AnswerGuard:
    """Notes which request has come into view by itself, and when."""

    def __init__(self) -> None:
        self._question: Question | None = None
        # In seconds of the monotonic clock.
        self._since = -math.inf

    def start(self, question: Question | None) -> None:
        self._question, self._since = question, time.monotonic()

    def protects(self, question: Question | None) -> bool:
        return question is not None and question is self._question and time.monotonic() - self._since < GUARD_S
