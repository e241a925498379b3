"""The garbage collector visits all objects while the user pauses."""

import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from workbench.tui.garbage import GarbageCollection


class PausingApp:
    """An app whose pauses a test begins."""

    def __init__(self) -> None:
        self.inputs = 0
        self.pause: Callable[[], None] = lambda: None

    def set_interval(self, seconds: float, callback: Callable[[], None]) -> SimpleNamespace:
        self.pause = callback
        return SimpleNamespace(reset=self._reset)

    def _reset(self) -> None:
        self.inputs += 1


@pytest.fixture
def thresholds() -> Any:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("thresholds")
def test_garbage_is_collected_in_a_pause_once_there_are_many_new_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    app, collected = PausingApp(), []
    monkeypatch.setattr(gc, "freeze", lambda: None)
    garbage = GarbageCollection(cast("Any", app))
    garbage.note_input()  # Before the first paint.
    garbage.begin()
    assert gc.get_threshold()[2] > 100, "the collector does not visit all objects by itself"
    monkeypatch.setattr(gc, "collect", lambda: collected.append(True))
    garbage.note_input()
    assert app.inputs == 1, "the pause begins again"
    for young_collections, expected in ((1, 0), (50, 1)):
        monkeypatch.setattr(gc, "get_count", lambda count=young_collections: (0, 0, count))
        app.pause()
        assert len(collected) == expected
