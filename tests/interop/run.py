"""Run the interop matrix: `make interop`, or `python -m tests.interop.run [PAIR...]`.

Every client tries every behaviour on every server, over each transport and in each era that both may have. A run of all
pairs writes the table to `docs/interop.md`. Ends with 1 when a cell failed.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.interop import pairs, report
from tests.interop.cells import Cell, Outcome, cells_of
from tests.interop.pairs import PAIRS, STDIO, Column, Pair, columns_of
from tests.peers import node
from tests.ports import await_port, free_port

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
COLUMN_SECONDS = 240.0
"""Timeout of a client with all of its behaviours; each of them has a shorter timeout."""

Matrix = dict[Pair, dict[Column, dict[str, Cell]]]


def main(wanted: Sequence[str]) -> int:
    """Run the pairs that are named, or all of them, and return the exit code."""
    chosen = [pair_of(name) for name in wanted] or list(PAIRS)
    if any(pair.needs_npm for pair in chosen):
        node.node()
        node.install(pairs.NPM, *pairs.PACKAGES)
    matrix = {pair: run_pair(pair) for pair in chosen}
    print()
    for pair, columns in matrix.items():
        print(report.for_terminal(pair, columns))
    failed = [cell for columns in matrix.values() for cells in columns.values() for cell in cells.values()]
    if any(cell.outcome is Outcome.FAILED for cell in failed):
        return 1
    if len(chosen) == len(PAIRS):
        PAGE.write_text(report.for_docs(matrix), encoding="utf-8")
        print(f"Wrote {PAGE}")
    return 0


def pair_of(name: str) -> Pair:
    """Return the pair of this name.

    Raises:
        SystemExit: when there is none.
    """
    for pair in PAIRS:
        if pair.name == name:
            return pair
    sys.exit(f"There is no pair {name!r}; there are {', '.join(pair.name for pair in PAIRS)}.")


def run_pair(pair: Pair) -> dict[Column, dict[str, Cell]]:
    """Run all columns of a pair, and print the outcomes."""
    print(pair.title, flush=True)
    columns = {}
    for column in columns_of(pair):
        started = time.monotonic()
        columns[column] = run_column(column)
        count = {outcome: sum(cell.outcome is outcome for cell in columns[column].values()) for outcome in Outcome}
        counts = ", ".join(f"{number} {outcome}" for outcome, number in count.items() if number)
        print(f"  {column.title:16} {counts} ({time.monotonic() - started:.0f} s)", flush=True)
        for note in report.notes({column: columns[column]}, Outcome.FAILED):
            print(f"    {note}", flush=True)
    return columns


def run_column(column: Column) -> dict[str, Cell]:
    """Run a client on a server, and return the outcome of each behaviour."""
    with tempfile.TemporaryDirectory(prefix="wb-") as folder, serving(column, Path(folder)) as target:
        stderr_file = Path(folder) / "client.txt"
        with stderr_file.open("wb") as stderr:
            client = subprocess.Popen(
                [*column.pair.client(), column.era, *target],
                env=environment(Path(folder)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        try:
            out, end = client.communicate(timeout=COLUMN_SECONDS)[0], ""
        except subprocess.TimeoutExpired:
            client.kill()
            out, end = client.communicate()[0], f"the client did not end within {COLUMN_SECONDS:g} seconds"
        if client.returncode and not end:
            words = stderr_file.read_text(encoding="utf-8", errors="replace").split("\n")[-2:]
            end = f"the client ended with {client.returncode}: {' '.join(words).strip()}"
    return cells_of(column, out.decode("utf-8").splitlines(), end)


@contextlib.contextmanager
def serving(column: Column, folder: Path) -> Iterator[list[str]]:
    """Start the server of a column where it needs a process, and yield the arguments for its client."""
    server = column.pair.server
    if column.transport == STDIO:
        yield ["--", *server.stdio()]
        return
    port = free_port()
    sse = column.transport == pairs.SSE
    command = server.sse(port) if sse and server.sse is not None else server.http(port)
    with (folder / "server.txt").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        await_port(port, process)
        yield ["--url", f"http://127.0.0.1:{port}/{'sse' if sse else 'mcp'}"]
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def environment(folder: Path) -> dict[str, str]:
    """Return the variables for both sides: nothing of this machine's own, and pages that a small server fills."""
    ours = {
        "WORKBENCH_HOME": str(folder / "home"),
        "WORKBENCH_RUNTIME": str(folder / "run"),
        "WORKBENCH_PAGE_SIZE": "5",
    }
    return {**os.environ, **ours}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
