"""The child of the inspector benchmark: the real terminal on a link that floods it, with simulated key presses."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from textual import events

from benchmarks.probe_terminal import PAUSE_S, ProbeLink, ProbeTerminal
from server_core.records.tap import Direction, Kind, Record
from workbench.tui.widgets.lines import Lines
from workbench.workspace.workspace import Workspace

RECORDS = 100_000
ROWS = RECORDS // 2
"""A request and its response are one row."""
PRESSES_AT_THE_END = 40


class Flood(ProbeLink):
    """A link to a core with a hundred thousand records."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0
        self._open = False

    def release(self) -> None:
        """Start delivering records."""
        self._open = True
        if self.on_records is not None:
            self.on_records()

    async def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "records/get" and params is not None:
            return {"records": [record(seq).to_wire() for seq in params["seqs"]]}
        return await super().request(method, params)

    def drain(self, most: int) -> list[Record]:
        count = min(most, RECORDS - self.sent) if self._open else 0
        first = self.sent + 1
        self.sent += count
        return [record(seq) for seq in range(first, first + count)]


def record(seq: int) -> Record:
    """Return a record of a call or its response, about 200 bytes each."""
    request_id = (seq + 1) // 2
    message: dict[str, Any]
    if seq % 2:
        arguments = {"name": f"guest {request_id}", "style": "warm", "note": "x" * 80}
        params = {"name": "greet", "arguments": arguments}
        message, kind, direction = (
            {"id": request_id, "method": "tools/call", "params": params},
            Kind.REQUEST,
            Direction.IN,
        )
    else:
        text = f"How lovely to see you, guest {request_id}! " + "x" * 80
        result = {"content": [{"type": "text", "text": text}], "isError": False}
        message, kind, direction = {"id": request_id, "result": result}, Kind.RESPONSE, Direction.OUT
    data = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return Record(seq, 1_800_000_000 + seq / 1000, "s1", direction, kind, "", data)


class InspectorProbe(ProbeTerminal):
    """The terminal in the flood."""

    def __init__(self, report: Path) -> None:
        self._report = report
        self._flood = Flood()
        self._painted_cursor = -1
        super().__init__(self._flood)

    def seen(self) -> None:
        if isinstance(self.focused, Lines):
            self._painted_cursor = self.focused.cursor

    async def measure(self, workspace: Workspace) -> None:
        await self.action_show_inspector()
        lines = await self._focused_list()
        self._flood.release()
        started = time.perf_counter()
        while lines.line_count < 1000:
            await self.next_paint()
        arriving = []
        while self._flood.sent < RECORDS:
            arriving.append(await self._press(lines))
        seconds = time.perf_counter() - started
        while lines.line_count < ROWS:
            await self.next_paint()
        arrived = [await self._press(lines) for _ in range(PRESSES_AT_THE_END)]
        results = {
            "records": self._flood.sent,
            "arriving": arriving,
            "arrived": arrived,
            "seconds": seconds,
            "memory_mb": resident_mb(),
        }
        self._report.write_text(json.dumps(results), encoding="utf-8")
        self.exit(0)

    async def _focused_list(self) -> Lines:
        while not isinstance(self.focused, Lines):
            await self.next_paint()
        return self.focused

    async def _press(self, lines: Lines) -> float:
        """Press a key that moves the cursor, and return the milliseconds until the move is on the screen."""
        await asyncio.sleep(PAUSE_S)
        before = lines.cursor
        started = time.perf_counter()
        self.post_message(events.Key("up" if before else "end", None))
        while self._painted_cursor == before or lines.cursor == before:
            await self.next_paint()
        return (time.perf_counter() - started) * 1000


def resident_mb() -> float:
    """Return the resident memory of this process."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    InspectorProbe(Path(sys.argv[1])).run()
