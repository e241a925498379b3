"""The child of the benchmark with a million records: the real terminal, which opens a capture, jumps and filters."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.inspector_probe import resident_mb
from benchmarks.probe_terminal import PAUSE_S, ProbeLink, ProbeTerminal
from workbench.tui.screens.inspector_pane import InspectorPane
from workbench.tui.widgets.filter_bar import FilterBar
from workbench.tui.widgets.traffic import TrafficList
from workbench.workspace.opened_capture import OpenedCapture
from workbench.workspace.workspace import Workspace

JUMPS = 40
BY_FACTS = "tool:greet dur>0ms"
BY_TEXT = '"guest 123456!"'


class MillionProbe(ProbeTerminal):
    """The terminal with a large capture in the inspector."""

    def __init__(self, capture: Path, report: Path) -> None:
        self._capture = capture
        self._report = report
        self._painted_cursor = -1
        super().__init__(ProbeLink())

    def seen(self) -> None:
        if isinstance(self.focused, TrafficList):
            self._painted_cursor = self.focused.cursor

    async def measure(self, workspace: Workspace) -> None:
        await self.action_show_inspector()
        while not isinstance(self.focused, TrafficList):
            await self.next_paint()
        pane = self.query_one(InspectorPane)
        # The filter of the run before is restored.
        pane.query_one(FilterBar).set_text("")
        started = time.perf_counter()
        pane.open_capture(str(self._capture), 0, back=None)
        while not pane.traffic.line_count:
            await self.next_paint()
        rows = _ms_since(started)
        capture = pane.source
        assert isinstance(capture, OpenedCapture)
        while capture.progress < 1 or pane.traffic.view.timeline is not capture.timeline:
            await self.next_paint()
        read = _ms_since(started)
        results: dict[str, Any] = {"rows": rows, "all": read, "jumps": [], "filters": []}
        for number in range(JUMPS):
            results["jumps"].append(await self._jump(pane, number))
        for name, text in (("by_facts", BY_FACTS), ("by_text", BY_TEXT)):
            started = time.perf_counter()
            pane.query_one(FilterBar).input.value = text
            while pane.traffic.view.filter.text != text:
                await self.next_paint()
            results["filters"].append(_ms_since(started))
            while not pane.traffic.view.is_complete:
                await self.next_paint()
            results[name] = _ms_since(started)
        results["memory_mb"] = resident_mb()
        self._report.write_text(json.dumps(results), encoding="utf-8")
        self.exit(0)

    async def _jump(self, pane: InspectorPane, number: int) -> float:
        """Move the cursor to a row far from the last, and return the milliseconds until it is painted."""
        await asyncio.sleep(PAUSE_S)
        target = (number + 1) * 7_654_321 % pane.traffic.line_count
        started = time.perf_counter()
        pane.traffic.move_to(target)
        while self._painted_cursor != target:
            await self.next_paint()
        return _ms_since(started)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    MillionProbe(Path(sys.argv[1]), Path(sys.argv[2])).run()
