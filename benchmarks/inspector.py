"""100,000 records in the inspector: the time from a key press to the paint, and the memory of the terminal.

A child in a pseudo-terminal measures itself (`inspector_probe.py`); this side reads what it draws, as a terminal would.
"""

import json
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure
from benchmarks.pseudo_terminal import read_until, start

KEY_LIMIT_MS = 50
SLOWEST_KEY_LIMIT_MS = 100
MEMORY_LIMIT_MB = 150


def run() -> list[Figure]:
    """Run the probe and read its report."""
    with tempfile.TemporaryDirectory(prefix="wb-") as folder:
        report = Path(folder) / "report.json"
        process = start([sys.executable, "-m", "benchmarks.inspector_probe", str(report)], {"WORKBENCH_HOME": folder})
        drawn = read_until(process, lambda _: False)
        process.wait()
        if not report.exists():
            raise RuntimeError(f"the probe left no report: {drawn[-4000:].decode(errors='replace')}")
        results = json.loads(report.read_text(encoding="utf-8"))
    count = f"{results['records']:,} records"
    return [
        Figure(f"{count}: key press to paint while they arrive", median(results["arriving"]), KEY_LIMIT_MS, "ms"),
        Figure("the slowest of these", max(results["arriving"]), SLOWEST_KEY_LIMIT_MS, "ms"),
        Figure(f"{count}: key press to paint when all are there", median(results["arrived"]), KEY_LIMIT_MS, "ms"),
        Figure("the slowest of these", max(results["arrived"]), SLOWEST_KEY_LIMIT_MS, "ms"),
        Figure("seconds until all are there", results["seconds"], None, "s"),
        Figure("the terminal's resident memory", results["memory_mb"], MEMORY_LIMIT_MB, "MB"),
    ]
