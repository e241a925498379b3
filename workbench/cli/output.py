"""Writes data to stdout, as JSON for programs or as text for users.

A terminal interprets control characters, and a pipe may lead to a terminal (`| less -R`), so texts of servers, projects
and captures are escaped. Only the text of a result is written to a pipe unchanged: it is the requested data. Images and
audio are described, never printed.
"""

import io
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from server_core.runtime.paths import current_folder
from server_core.runtime.safe_json import parse_json
from workbench.model import describe
from workbench.model.short_text import escaped, escaped_in_json, escaped_lines


def print_json(value: Any) -> None:
    """Print a JSON value, indented; control characters are escaped, as JSON allows."""
    _print(json_text(value))


def print_line(text: str) -> None:
    """Print a line that has no control characters, such as JSON from :func:`escaped_in_json`."""
    _print(text)


def print_text(text: str) -> None:
    _print(escaped_lines(text))


def print_data(text: str) -> None:
    """Print the text of a result: escaped to a terminal, unchanged into a pipe."""
    _print(escaped_lines(text) if sys.stdout.isatty() else text)


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    if not rows:
        return
    rows = [tuple(map(escaped, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        _print("  ".join(cells).rstrip())


def print_result(result: dict[str, Any]) -> None:
    """Print a CallToolResult for users: its texts, its structured content, and descriptions of its other content."""
    structured = result.get("structuredContent")
    shown = structured is None
    blocks = result.get("content")
    for block in blocks if isinstance(blocks, list) else []:
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        if not isinstance(text, str):
            _print(describe.content(block))
        elif not shown and _repeats(text, structured):
            # The structured content is repeated as text (server/tools, structured content): printed once.
            shown = True
            _print_value(structured, text)
        else:
            print_data(text)
    if not shown:
        _print(json_text(structured))


def json_text(value: Any) -> str:
    """Return a JSON value as indented text, without control characters."""
    return escaped_in_json(json.dumps(value, ensure_ascii=False, indent=2))


def timestamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds)) if seconds else "?"


def path_from_here(file: str) -> str:
    """Return the path of a file, relative to the current folder if the file is below it."""
    path, here = Path(file), current_folder()
    return str(path.relative_to(here)) if here is not None and path.is_relative_to(here) else file


def end_quietly() -> None:
    """Let the interpreter exit without an error message when the reader of stdout has closed it (`| head`)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _repeats(text: str, structured: Any) -> bool:
    """Return whether a text repeats the structured content, which wraps a value that is no object as `result`."""
    if structured == {"result": text}:
        return True
    try:
        value = parse_json(text)
    except ValueError:
        return False
    return structured in (value, {"result": value})


def _print_value(structured: Any, text: str) -> None:
    is_wrapped = isinstance(structured, dict) and [*structured] == ["result"]
    value = structured["result"] if is_wrapped else structured
    if value == text:
        print_data(text)
    else:
        _print(json_text(value))


def _print(text: str) -> None:
    # Data is UTF-8 regardless of the locale; lone surrogates, which come from JSON escapes, are written as escapes.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        print(text.encode("utf-8", "backslashreplace").decode(), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        end_quietly()
        raise OSError(error.errno, error.strerror, "standard output") from error
