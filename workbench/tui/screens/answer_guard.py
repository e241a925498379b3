"""Protects a request that has just come into view from a key or a click that was meant for what was there before.

Rule 1: no key ends a request in the first moment after it has come into view by itself, nor directly after one that was
refused: a key that is held down ends nothing.
Rule 2: one that has taken the place of another, in which the focus was, is ended by a key after another key in it, or
when the key is pressed again: however slow a second key for the request before is, it only shows that this is the next.
"""

import math
import time

from workbench.client.questions import Question
from workbench.model.bursts import READING_S

GUARD_S = 0.5
"""After a request has come into view by itself, it is not answered for so many seconds."""


class AnswerGuard:
    """Notes which request has come into view by itself, when, and whether the user has used it since."""

    def __init__(self) -> None:
        self._question: Question | None = None
        # In seconds of the monotonic clock.
        self._since = -math.inf
        self._refused = -math.inf  # when a key was refused last
        self._is_next = False
        self._is_unseen = False  # whether it is the next, and the user has done nothing in it yet

    def start(self, question: Question | None, *, is_next: bool) -> None:
        """Protect a request from now on; `is_next` if it has taken the place of another, in which the focus was."""
        self._question, self._since, self._refused = question, time.monotonic(), -math.inf
        self._is_next = self._is_unseen = is_next

    def release(self) -> None:
        """Protect no request: the user has come to the one in view."""
        self._question = None

    def note_key(self) -> None:
        """Note a key in the request that ends none: the user sees it, unless the key was typed for the one before."""
        if not self._is_new:
            self._is_unseen = False

    def objection(self, question: Question | None) -> str:
        """Return why a key that ends a request has to be pressed again, this time; empty if it has not."""
        if question is None or question is not self._question:
            return ""
        if not (self._is_new or self._is_repeated or self._is_unseen):
            return ""
        self._is_unseen = self._is_unseen and self._is_new
        self._refused = time.monotonic()
        return "This is the next request" if self._is_next else "This request has just been opened"

    @property
    def _is_new(self) -> bool:
        return time.monotonic() - self._since < GUARD_S

    @property
    def _is_repeated(self) -> bool:
        """Whether the user cannot have read yet why a key was refused."""
        return time.monotonic() - self._refused < min(READING_S, GUARD_S)
