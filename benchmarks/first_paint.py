"""From starting the terminal to its first screen, against a Textual application with nothing but a label."""

import os
import select
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from ptyprocess import PtyProcess

from benchmarks.figures import Figure, interleaved, ratio

ROUNDS = 7
LIMIT = 60.0

PEER = """
from textual.app import App
from textual.widgets import Label

class Bare(App[None]):
    def compose(self):
        yield Label("first-paint")

Bare().run()
"""


def run() -> list[Figure]:
    """Measure both, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        peer = Path(folder) / "peer.py"
        peer.write_text(PEER, encoding="utf-8")
        our_times, their_times = interleaved(
            ROUNDS,
            lambda: painted([sys.executable, "-m", "workbench", "demo"], b"Inspector"),
            lambda: painted([sys.executable, str(peer)], b"first-paint"),
        )
    return [
        Figure("`workbench demo`: spawn to first paint", median(our_times), None, "ms"),
        Figure("a bare Textual application", median(their_times), None, "ms"),
        Figure("ratio of the two", ratio(our_times, their_times), 1.3, "x"),
    ]


def painted(command: list[str], text: bytes) -> float:
    """Return the milliseconds from the start of a program to its screen having a text on it."""
    home = tempfile.mkdtemp(prefix="wb-")
    environment = {**os.environ, "WORKBENCH_HOME": home, "WORKBENCH_RUNTIME": home, "TERM": "xterm-256color"}
    started = time.perf_counter()
    process = PtyProcess.spawn(command, env=environment, dimensions=(40, 120))
    try:
        seen = b""
        while text not in seen:
            ready, _, _ = select.select([process.fd], [], [], LIMIT)
            if not ready:
                raise RuntimeError(f"{command} does not show {text!r}: {seen[-500:]!r}")
            seen += os.read(process.fd, 65536)
        return (time.perf_counter() - started) * 1000
    finally:
        process.terminate(force=True)
        _stop_cores(Path(home))
        shutil.rmtree(home, ignore_errors=True)


def _stop_cores(runtime: Path) -> None:
    """End the core that a killed terminal leaves behind."""
    import json

    for descriptor in runtime.glob("*.json"):
        try:
            os.kill(json.loads(descriptor.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)
        except (ProcessLookupError, ValueError, KeyError):
            continue
