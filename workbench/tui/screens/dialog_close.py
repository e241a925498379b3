"""Closing of dialogs: each closes once, and never another in its place.

Keys that were typed ahead reach a dialog that already has its answer. For each of them, Textual would close the
topmost screen, the main screen last, which ends the program.

Textual reads styles and bindings from the first base class only, so this mixin comes after the screen class.
"""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

T = TypeVar("T")


class ClosesOnce(Screen[T]):
    """A screen over others that accepts only its first answer, and closes when no other screen is above it."""

    _answer: tuple[T | None] | None = None
    """The answer given while another screen was above this one."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close the screen with an answer; later answers are ignored."""
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack and self._answer is None:
            self._answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Close the screen with the answer given in the meantime."""
        if self._answer is not None:
            self.dismiss(*self._answer)
