"""The capture that the inspector shows in the place of the messages of the core."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from workbench.model.short_text import escaped, shortened
from workbench.tui.key_bindings import key_for
from workbench.tui.workers import start_worker
from workbench.workspace.opened_capture import OpenedCapture

if TYPE_CHECKING:
    from workbench.tui.pane import Pane

_MAX_NAME = 20  # Characters of the name of a capture beside the filter.
_TOPIC = "capture"  # The topic of notices about the capture in view.


class CaptureView:
    """Opens a capture for the inspector, and closes it again.

    Args:
        pane: the inspector.
        on_records: called when records of the capture were read.
        on_read: called when all of them were read, with the number of the message that was asked for.
    """

    def __init__(self, pane: "Pane", on_records: Callable[[], None], on_read: Callable[[int], None]) -> None:
        self._pane = pane
        self._on_records = on_records
        self._on_read = on_read
        self.capture: OpenedCapture | None = None
        # Returns to where the capture was opened; None to stay.
        self._back: Callable[[], Awaitable[None]] | None = None

    def open(self, path: str, back: Callable[[], Awaitable[None]] | None) -> None:
        self.capture, self._back = OpenedCapture(path), back

    def load(self, seq: int) -> None:
        """Read the records of the capture that was opened; `seq` is the number of a message to go to, or 0."""
        if self.capture is not None:
            start_worker(self._pane, partial(self._load, self.capture, seq), "capture")

    def close(self) -> Callable[[], Awaitable[None]] | None:
        """Forget the capture, and return what goes back to where it was opened."""
        back, self.capture, self._back = self._back, None, None
        return back

    def title_of(self, list_title: str) -> Content | str:
        """Return the title of the list: what its rows are, and of which capture."""
        return list_title if self.capture is None else Content(f"{list_title} of {escaped(self.capture.name)}")

    @property
    def closing_hint(self) -> str | None:
        """How the capture is closed; None without one."""
        return None if self.capture is None else f"{key_for('back', 'inspector')} closes it"

    def facts(self, *, is_named: bool) -> tuple[str, ...]:
        """Return what the note beside the filter shows of the capture: its name, unless the title has it, first."""
        if self.capture is None:
            return ()
        name = "" if is_named else shortened(escaped(self.capture.short_name), _MAX_NAME)
        progress = self.capture.progress
        return (f"capture {name}".rstrip(), *((f"read {progress:.0%}",) if progress < 1 else ()))

    async def _load(self, capture: OpenedCapture, seq: int) -> None:
        def show() -> None:
            if self.capture is capture:
                self._on_records()

        await self._pane.attempt(capture.load(show))
        if self.capture is capture:
            self._on_read(seq)
        if capture.damage:
            self._pane.notify(escaped(capture.damage), title=_TOPIC, severity="warning", markup=False)
