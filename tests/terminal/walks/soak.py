"""`make soak`: many walks, several at a time; prints the result of each, and exits with 1 if a walk failed."""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.terminal.walks.walk import Walk, WalkFailed


def main() -> int:
    """Walk, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50, help="how many walks (default: 50)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--events", type=int, default=500, help="how many events each (default: 500)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    options = parser.parse_args()
    seeds, failed = range(options.first, options.first + options.seeds), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        walks = [pool.submit(outcome, seed, options.events) for seed in seeds]
        for walk in as_completed(walks):
            report, passed = walk.result()
            failed += not passed
            print(report, flush=True)
    print(f"{len(seeds) - failed} of {len(seeds)} walks of {options.events} events passed.")
    return 1 if failed else 0


def outcome(seed: int, events: int) -> tuple[str, bool]:
    """Return the result of a walk, and whether it passed."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="walk-", ignore_cleanup_errors=True) as folder:
        runtime = Path(folder, "run")
        runtime.mkdir()
        walk = Walk(seed, Path(folder, "walk"), runtime)
        try:
            walk.run(events)
        except WalkFailed as error:
            return f"FAILED: {error}\n", False
    return f"seed {seed} passed: {time.monotonic() - started:.0f} s, {walk.starts} starts", True


if __name__ == "__main__":
    sys.exit(main())
