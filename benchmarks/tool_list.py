"""Many tools in the list of the terminal: the time until they are listed, and from a typed letter to its matches.

A child in a pseudo-terminal measures itself (`tool_list_probe.py`); this side reads what it draws, as a terminal would.
"""

import json
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure
from benchmarks.pseudo_terminal import read_until, start

LIMIT_MS = 50
COUNTS = {500: LIMIT_MS, 5000: None}
"""The numbers of tools, with the limit in milliseconds."""


def run() -> list[Figure]:
    """Run the probe with each number of tools."""
    return [figure for count, limit in COUNTS.items() for figure in _figures(count, limit)]


def _figures(count: int, limit: int | None) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="wb-") as folder:
        report = Path(folder) / "report.json"
        process = start(
            [sys.executable, "-m", "benchmarks.tool_list_probe", str(count), str(report)], {"WORKBENCH_HOME": folder}
        )
        drawn = read_until(process, lambda _: False)
        process.wait()
        if not report.exists():
            raise RuntimeError(f"the probe left no report: {drawn[-4000:].decode(errors='replace')}")
        results = json.loads(report.read_text(encoding="utf-8"))
    return [
        Figure(f"{count:,} tools: until they are listed", results["listed"], limit, "ms"),
        Figure(f"{count:,} tools: letter of a search to paint", median(results["searched"]), limit, "ms"),
        Figure("the slowest of these", max(results["searched"]), None, "ms"),
    ]
