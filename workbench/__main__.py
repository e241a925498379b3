"""The command `workbench`: the quick ways first, then the parser.

A client that starts `workbench serve --stdio` waits for its first answer, and a person who types `workbench` for the
first screen. Neither needs the parser, so its import does not hold them up.
"""

import os
import sys
from collections.abc import Sequence

from workbench.cli import words as command_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Args:
        arguments: the words behind the program's name; those of this process when not given.
    """
    words, behind = command_line.split(sys.argv[1:] if arguments is None else arguments)
    # Shell completion runs the program to ask the parser what could come next.
    if "_WORKBENCH_COMPLETE" not in os.environ:
        if behind and words[0] not in command_line.TARGETED:
            return _refuse(f"{words[0]} takes no command behind `--`")
        code = _run_plain(words[0], words[1:], behind)
        if code is not None:
            return code
    from workbench.cli.app import run

    return run(words, behind)


def _run_plain(name: str, words: list[str], behind: list[str]) -> int | None:
    """Run a command in its plain form; None when it has none, or the words are not plain."""
    if name == "serve":
        return _serve_stdio(words, behind)
    if name in ("open", "demo", "attach"):
        return _open(name, words, behind)
    return None


def _serve_stdio(words: list[str], behind: list[str]) -> int | None:
    options = command_line.read_plain(words, flags=["--stdio", "--reload"], positional="path")
    if options is None or "--stdio" not in options or (behind and "path" in options):
        return None
    from server_core.__main__ import main as serve

    flags = [name for name in ("--stdio", "--reload") if name in options]
    return serve([*flags, "--", *behind] if behind else [str(options.get("path", ".")), *flags])


def _open(name: str, words: list[str], behind: list[str]) -> int | None:
    flags = [] if name == "attach" else ["--in-process"]
    values = ["--project", "--url"] if name == "open" else []
    positional = {"open": "path", "attach": "id"}.get(name, "")
    options = command_line.read_plain(words, flags=flags, values=values, positional=positional)
    if options is None:
        return None
    from pathlib import Path

    from workbench.cli import terminal
    from workbench.cli.running import guarded

    in_process = "--in-process" in options
    text = {key: str(value) for key, value in options.items()}
    if name == "attach":
        return guarded(lambda: terminal.attach(text.get("id")))
    if name == "demo":
        return guarded(lambda: terminal.open_demo(in_process=in_process))

    def open_it() -> int:
        paths = {key: Path(text[key]) for key in ("path", "--project") if key in text}
        target = terminal.target_of_path(
            paths.get("path"), paths.get("--project"), text.get("--url", ""), tuple(behind)
        )
        return terminal.open_terminal(target, in_process=in_process)

    return guarded(open_it)


def _refuse(reason: str) -> int:
    from workbench.cli import narration
    from workbench.cli.exits import USAGE

    narration.fail(reason)
    return USAGE


if __name__ == "__main__":
    sys.exit(main())
