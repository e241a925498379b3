"""The time from the start of the terminal to its first screen, against a Textual application with only a label."""

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import scaffolds
from benchmarks.figures import Figure, interleaved, ratio
from benchmarks.pseudo_terminal import read_until, start

ROUNDS = 7

PEER = """
from textual.app import App
from textual.widgets import Label

class Bare(App[None]):
    def compose(self):
        yield Label("first-paint")

Bare().run()
"""


def run() -> list[Figure]:
    """Measure both, alternately."""
    with tempfile.TemporaryDirectory() as folder:
        peer = Path(folder) / "peer.py"
        peer.write_text(PEER, encoding="utf-8")
        our_times, their_times = interleaved(
            ROUNDS,
            lambda: painted(
                [sys.executable, "-m", "workbench", str(scaffolds.demo_folder())], b"Inspector", then=b"ready"
            ),
            lambda: painted([sys.executable, str(peer)], b"first-paint"),
        )
    return [
        Figure("`workbench PATH`: spawn to first paint", median(our_times), None, "ms"),
        Figure("a bare Textual application", median(their_times), None, "ms"),
        Figure("ratio of the two", ratio(our_times, their_times), 1.25, "x"),
    ]


def painted(command: list[str], text: bytes, then: bytes = b"") -> float:
    """Return the milliseconds from the start of a program until its screen shows a text.

    Args:
        command: the command of the program.
        text: a text of the first screen.
        then: a text to wait for, after the measurement, before the program is terminated: by then its core can be
            located.
    """
    home = tempfile.mkdtemp(prefix="wb-")
    started = time.perf_counter()
    process = start(command, {"WORKBENCH_HOME": home, "WORKBENCH_RUNTIME": home})
    try:
        drawn = read_until(process, lambda drawn: text in drawn)
        elapsed = (time.perf_counter() - started) * 1000
        if text not in drawn:
            raise RuntimeError(f"{command} ended and did not show {text!r}: {drawn[-500:]!r}")
        if then not in drawn:
            read_until(process, lambda later: then in later)
        return elapsed
    finally:
        process.terminate(force=True)
        _stop_cores(Path(home))
        shutil.rmtree(home, ignore_errors=True)


def _stop_cores(runtime: Path) -> None:
    """Stop the core that a killed terminal leaves behind."""
    for descriptor in runtime.glob("*.json"):
        try:
            os.kill(json.loads(descriptor.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)
        except (ProcessLookupError, ValueError, KeyError):
            continue
