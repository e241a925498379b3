"""Write `docs/promises.md`: the promises of Arcade's framework to authors of tools, and the tests that check them.

A test file names the promises that it checks by a marker: `pytestmark = pytest.mark.promises("app", "context")`. With
`--check` nothing is written, and the exit code is 1 when the page does not match the tests.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "promises.md"
MADE = "<!-- Made by scripts/promises.py: change the tests and run `make docs`. -->\n"

PROMISES = {
    "app": "`MCPApp`: constructor, decorators, changes at run time, `run`",
    "tool names": "catalog: qualified names, look-up, disabled tools and toolkits",
    "tool options": "`@tool`: every argument, deprecation, metadata",
    "types": "types of parameters and results, and their schemas",
    "definition errors": "errors of definitions: classes, kinds and texts",
    "call errors": "errors of calls: kinds, classes, payloads, the wire",
    "error adapters": "error adapters",
    "debug exposure": "developer messages and stack traces on the agent's wire, only when asked for",
    "discovery": "discovery: three modes, patterns, what was skipped and why",
    "tool packages": "toolkits: packages of tools",
    "context": "`Context`: every namespace and fact",
    "settings": "settings and `.env` files",
    "secrets": "secrets of tools",
    "tool authorization": "authorization of tools with services",
    "sessions": "session manager",
    "event store": "event store",
    "notifications": "notification manager",
    "requests": "request manager",
    "middleware": "middleware",
    "resource server": "tokens of clients over HTTP",
    "resources and prompts": "resources, templates and prompts",
    "telemetry": "OpenTelemetry",
    "telemetry passback": "telemetry passback",
    "usage tracking": "usage tracking: there is none",
    "environment variables": "environment variables",
}
"""The name of each promise, as markers use it, and what is promised."""


def main(arguments: list[str]) -> int:
    """Write the page, or check it, and return the exit code."""
    text = page(proofs(ROOT / "tests"))
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in arguments:
        print("docs/promises.md does not match the tests; run `make docs`")
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
        for name in promises_of(file):
            if name not in PROMISES:
                raise ValueError(f"{file} checks {name!r}, which is none of {', '.join(PROMISES)}.")
            files_by_promise[name].append(file)
    return dict(files_by_promise)


def promises_of(file: Path) -> tuple[str, ...]:
    """Return the names of the promises that a test file checks."""
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id="pytestmark")],
                value=ast.Call(func=ast.Attribute(attr="promises"), args=arguments),
            ):
                return tuple(ast.literal_eval(argument) for argument in arguments)
    return ()


def page(files_by_promise: dict[str, list[Path]]) -> str:
    """Return the text of the page."""
    lines = [MADE, "# Arcade's promises to authors\n"]
    lines.append("Each promise, and the test files that check it. [arcade.md](arcade.md) describes what to import.\n")
    lines += ["| name | promise | tests |", "|---|---|---|"]
    for name, promise in PROMISES.items():
        files = "<br>".join(f"`{file.relative_to(ROOT)}`" for file in files_by_promise.get(name, ()))
        lines.append(f"| {name} | {promise} | {files} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
