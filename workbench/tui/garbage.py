"""When the garbage collector visits all objects: while the user pauses.

That takes up to a tenth of a second with a hundred thousand records. By itself it would happen whenever a quarter of
the objects are new: while records arrive, and each time a few forms have been opened.
"""

import gc

from textual.app import App
from textual.timer import Timer

_PAUSE_S = 3.0
# Collections of young objects, each after 7,000 new ones, after which a pause is used, or none is waited for.
_SOON, _NOW = 10, 200


class GarbageCollection:
    """Collects garbage in the pauses between the inputs of the user."""

    def __init__(self, app: App[int]) -> None:
        self._app = app
        self._timer: Timer | None = None

    def begin(self) -> None:
        # The objects that exist now stay until the end: the collector need not visit them at all.
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], _NOW)
        gc.enable()
        self._timer = self._app.set_interval(_PAUSE_S, self._collect)

    def note_input(self) -> None:
        """Let the pause begin again."""
        if self._timer is not None:
            self._timer.reset()

    def _collect(self) -> None:
        if gc.get_count()[2] >= _SOON:
            gc.collect()
