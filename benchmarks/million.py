"""A capture of a million records in the inspector: opening it, jumping and filtering in it, and the memory.

Children in a pseudo-terminal measure themselves (`million_probe.py`): one that opens the capture for the first time,
and one that opens it again.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.figures import Figure
from benchmarks.inspector_probe import record
from benchmarks.pseudo_terminal import read_until, start
from server_core.records.capture.capture_schema import FORMAT, SET_META, TABLES, insert
from server_core.records.tap import Record
from server_core.runtime.sqlite_files import open_private

RECORDS = 1_000_000
OPEN_LIMIT_MS = 300
JUMP_LIMIT_MS = 50
FILTER_LIMIT_MS = 200
MEMORY_LIMIT_MB = 150
_AT_ONCE = 1_000


def run() -> list[Figure]:
    """Write the capture, and run the probe on it twice."""
    with tempfile.TemporaryDirectory(prefix="wb-") as folder:
        capture = Path(folder) / "million.capture"
        _write(capture)
        first, again = (_probe(folder, capture) for _ in range(2))
    count = f"{RECORDS:,} records"
    return [
        Figure(f"{count}: opened for the first time, until rows are there", first["rows"], OPEN_LIMIT_MS, "ms"),
        Figure("until all were read", first["all"] / 1000, None, "s"),
        Figure(f"{count}: opened again, until all rows are there", again["all"], OPEN_LIMIT_MS, "ms"),
        Figure(f"{count}: from a jump to its paint", median(again["jumps"]), JUMP_LIMIT_MS, "ms"),
        Figure("the slowest of these", max(again["jumps"]), JUMP_LIMIT_MS, "ms"),
        Figure(f"{count}: from a filter to its first paint", max(again["filters"]), FILTER_LIMIT_MS, "ms"),
        Figure("until all were checked, of the facts of messages", again["by_facts"] / 1000, None, "s"),
        Figure("until all were checked, of their texts", again["by_text"] / 1000, None, "s"),
        Figure("the terminal's resident memory", again["memory_mb"], MEMORY_LIMIT_MB, "MB"),
    ]


def _probe(folder: str, capture: Path) -> dict[str, Any]:
    report = Path(folder) / "report.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.million_probe", str(capture), str(report)]
    process = start(command, {"WORKBENCH_HOME": folder})
    drawn = read_until(process, lambda _: False)
    process.wait()
    if not report.exists():
        raise RuntimeError(f"the probe left no report: {drawn[-4000:].decode(errors='replace')}")
    results: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return results


def _write(path: Path) -> None:
    with closing(open_private(path, TABLES, lock_timeout=1)) as connection:
        for key in ("core", "project", "server", "version"):
            connection.execute(SET_META, (key, "bench"))
        for key, text in (("format", str(FORMAT)), ("started", "1800000000"), ("ended", "1800001000")):
            connection.execute(SET_META, (key, text))
        for records in _parts():
            connection.execute("BEGIN")
            insert(connection, records)
            connection.execute("COMMIT")


def _parts() -> Iterator[list[Record]]:
    for first in range(1, RECORDS, _AT_ONCE):
        yield [record(seq) for seq in range(first, first + _AT_ONCE)]
