"""Write `docs/promises.md`: the promises of Arcade's framework to authors of tools, and the tests that check them.

A test file says which promises it is about: `ROWS = ("S1", "S2")`. With `--check` nothing is written: ends with 1 when
the page is not what the tests say.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "promises.md"
MADE = "<!-- Made by scripts/promises.py: change the tests and run `make docs`. -->\n"

PROMISES = {
    "S1": "`MCPApp`: constructor, decorators, changes at run time, `run`",
    "S2": "catalog: qualified names, look-up, disabled tools and toolkits",
    "S3": "`@tool`: every argument, deprecation, metadata",
    "S4": "types of parameters and results, and their schemas",
    "S5": "errors of definitions: classes, kinds and texts",
    "S6": "errors of calls: kinds, classes, payloads, the wire",
    "S7": "error adapters",
    "S8": "developer messages and stack traces on the agent's wire, only when asked for",
    "S9": "discovery: three modes, patterns, what was skipped and why",
    "S10": "toolkits: packages of tools",
    "S11": "`Context`: every namespace and fact",
    "S12": "settings and `.env` files",
    "S13": "secrets of tools",
    "S14": "authorization of tools with services",
    "S19": "session manager",
    "S20": "event store",
    "S21": "notification manager",
    "S22": "request manager",
    "S23": "middleware",
    "S24": "tokens of clients over HTTP",
    "S26": "resources, templates and prompts",
    "S33": "OpenTelemetry",
    "S34": "telemetry passback",
    "S35": "usage tracking: there is none",
    "S36": "environment variables",
}
"""The promises by their number."""


def main(arguments: list[str]) -> int:
    """Write the page, or check it, and return the exit code."""
    text = page(proofs(ROOT / "tests"))
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in arguments:
        print("docs/promises.md is not what the tests say; run `make docs`")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print("wrote docs/promises.md")
    return 0


def proofs(folder: Path) -> dict[str, list[Path]]:
    """Return each promise -> the test files that check it, in the order of their paths.

    Raises:
        ValueError: if a file names an unknown promise.
    """
    files_by_promise: dict[str, list[Path]] = defaultdict(list)
    for file in sorted(folder.rglob("test_*.py")):
        for row in rows_of(file):
            if row not in PROMISES:
                raise ValueError(f"{file} is about {row!r}, which is none of {', '.join(PROMISES)}.")
            files_by_promise[row].append(file)
    return dict(files_by_promise)


def rows_of(file: Path) -> tuple[str, ...]:
    """Return the promises that a test file checks."""
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="ROWS")], value=ast.Tuple() as value):
                return tuple(ast.literal_eval(value))
    return ()


def page(files_by_promise: dict[str, list[Path]]) -> str:
    """Return the text of the page."""
    lines = [MADE, "# What an author who knows Arcade finds here\n"]
    lines.append("Each promise, and the test files that hold us to it. [arcade.md](arcade.md) tells what to import.\n")
    lines += ["| | promise | tests |", "|---|---|---|"]
    for row, promise in PROMISES.items():
        files = "<br>".join(f"`{file.relative_to(ROOT)}`" for file in files_by_promise.get(row, ()))
        lines.append(f"| {row} | {promise} | {files} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
