"""Run all benchmarks or the named ones: `python -m benchmarks [NAME...]`.

Writes the tables to standard output; exits with 1 if a limit is exceeded or a goal is not reached.
"""

import sys
from importlib import import_module

from benchmarks.figures import Comparison, Figure, comparison_table, table

BENCHMARKS = (
    "cold_start",
    "first_paint",
    "inspector",
    "million",
    "tool_list",
    "hot_reload",
    "calls",
    "memory",
    "holding",
)


def main(names: list[str]) -> int:
    """Run benchmarks and print their figures.

    Args:
        names: the benchmarks to run; all if empty.

    Returns:
        The exit code.
    """
    if unknown := [name for name in names if name not in BENCHMARKS]:
        print(f"no benchmark named {', '.join(unknown)}; there is: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    results: list[Figure | Comparison] = []
    for name in names or BENCHMARKS:
        print(f"{name} ...", file=sys.stderr)
        results += import_module(f"benchmarks.{name}").run()
    figures = [result for result in results if isinstance(result, Figure)]
    print(table(figures))
    for result in results:
        if isinstance(result, Comparison):
            print(f"\n{comparison_table(result)}")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
