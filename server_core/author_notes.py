"""What the author of the tools is told, line by line, while clients are served: what is wrong, and where.

A client is told of a failure only what concerns it, and nothing at all of a file that cannot be imported. Who serves it
and reads along would otherwise not know why a tool is missing, or why it fails.
"""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.errors import ErrorKind
from server_core.tap import Record

if TYPE_CHECKING:
    from server_core.catalog.problems import Problem
    from server_core.core import Core

Tell = Callable[[str], None]

_LOADS = frozenset({"loaded", "reloaded", "reload_failed"})
_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


def tell_failures(core: "Core", tell: Tell) -> None:
    """Tell of each tool, resource, prompt or middleware that fails from now on, what its client is not told.

    Args:
        core: serves it.
        tell: called with each line, on the thread on which it happens; it must not wait or raise.
    """

    def heard(record: Record) -> None:
        if note := _failure(json.loads(record.data), _files(core)):
            tell(note)

    core.tap.watch_events(heard)


def tell_load_errors(core: "Core", tell: Tell) -> None:
    """Tell, after each load from now on, what keeps something from being served and has not been told.

    Args:
        core: serves it.
        tell: called with each line, on the thread on which it happens; it must not wait or raise.
    """
    told: set[Problem] = set()

    def heard(record: Record) -> None:
        nonlocal told
        if json.loads(record.data)["event"] in _LOADS and core.generation is not None:
            errors = [one for one in core.generation.problems if one.severity == "error"]
            for problem in errors:
                if problem not in told:
                    tell(_line(problem.file, problem.line, f"{problem.message} {problem.fix}"))
            told = set(errors)

    core.tap.watch_events(heard)


def _failure(event: dict[str, Any], files: frozenset[str]) -> str:
    """Return what an event says of a failure; empty when it is none, or the client has been told all of it."""
    match event["event"]:
        case "tool_failed" if event["kind"] != ErrorKind.TOOL_RUNTIME_BAD_INPUT_VALUE:
            what, why = f"Tool {event['tool']!r}", " ".join(_parts(event))
        case "request_failed":
            what, why = str(event["method"]), event["message"]
        case "middleware_failed":
            what, why = f"Middleware, {event['method']}", event["message"]
        case "lifespan_failed":
            what, why = f"The lifespan of {event['app']!r}", event["message"]
        case _:
            return ""
    return _line(*_place(event.get("traceback") or "", files), f"{what}: {why}") if why else ""


def _parts(event: dict[str, Any]) -> list[str]:
    return [text for text in (event["developer_message"], *event.get("adapter_problems", ())) if text]


def _place(traceback: str, files: frozenset[str]) -> tuple[str, int]:
    """Return where something was raised: the last place in the author's files, or else the last of all."""
    frames = [(str(frame["file"]), int(frame["line"])) for frame in _FRAME.finditer(traceback)]
    own = [frame for frame in frames if frame[0] in files]
    return (own or frames or [("", 0)])[-1]


def _files(core: "Core") -> frozenset[str]:
    return frozenset() if core.generation is None else frozenset(map(str, core.generation.files))


def _line(file: str, line: int, text: str) -> str:
    place = f"{file}:{line}: " if line else f"{file}: " if file else ""
    return _printable(f"{place}error: {text.strip()}")


def _printable(text: str) -> str:
    """Return text that neither ends the line nor is obeyed by a terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
