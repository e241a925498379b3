"""How a dialog closes: once, and never in place of another.

Keys that were typed ahead reach a dialog that has its answer already. For each, Textual would close whatever lies
on top, the main screen last, and that ends the program.

Textual reads styles and bindings of the first base class alone, so this one stands behind the kind of screen.
"""

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

T = TypeVar("T")


class ClosesOnce(Screen[T]):
    """A screen over others that takes only its first answer, and leaves when no other lies above it."""

    _answer: tuple[T | None] | None = None
    """What it was closed with while it was behind another."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close the screen with an answer; what comes after the first is ignored."""
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack and self._answer is None:
            self._answer = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Close it with the answer that came in the meantime."""
        if self._answer is not None:
            self.dismiss(*self._answer)
