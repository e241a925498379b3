"""Messages to the author of the tools while clients are served: failures and load errors, with their locations.

A client receives only the part of a failure that concerns it, and nothing at all about a file that cannot be imported.
Without these messages, the author would not know why a tool is missing, or why it fails.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from server_core.runtime.terminal_text import escaped

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.definitions import Tool
    from server_core.catalog.problems import Problem
    from server_core.catalog.toolkit import Toolkit
    from server_core.core import Core

WriteLine = Callable[[str], None]

NO_TOOLS = "No tools found. Create Python files with @tool decorated functions."

_LOADS = frozenset({"loaded", "reloaded", "reload_failed"})
_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


def log_failures(core: "Core", write: WriteLine) -> None:
    """Write the details that clients do not receive, for each tool, resource, prompt or middleware that fails.

    Args:
        core: the core that serves them.
        write: called with each line, on the thread of the event; it must not block or raise.
    """

    def on_event(event: Mapping[str, Any]) -> None:
        if note := _failure(event, _files(core)):
            write(core.tap.masker.mask_text(note))

    core.tap.watch_events(on_event)


def log_load_errors(core: "Core", write: WriteLine) -> None:
    """Write, after each load, the errors that keep something from being served, unless they were written before.

    If the first load finds nothing at all, that is written as well.

    Args:
        core: the core that loads the tools.
        write: called with each line, on the thread of the event; it must not block or raise.
    """
    reported: set[Problem] = set()
    is_first = True

    def on_event(event: Mapping[str, Any]) -> None:
        nonlocal reported, is_first
        if event["event"] in _LOADS and core.generation is not None:
            errors = [problem for problem in core.generation.problems if problem.severity == "error"]
            for problem in errors:
                if problem not in reported:
                    write(_line(problem.file, problem.line, f"{problem.message} {problem.fix}"))
            if is_first and not core.generation.problems and _is_nothing(core.generation.catalog):
                write(_line("", 0, NO_TOOLS))
            reported, is_first = set(errors), False

    core.tap.watch_events(on_event)


def log_packages(core: "Core", write: WriteLine) -> None:
    """Write, after each load, the served packages with their toolkits; unchanged packages are not repeated.

    Args:
        core: the core that serves them.
        write: called with each line, on the thread of the event; it must not block or raise.
    """
    reported: list[str] = []

    def on_event(event: Mapping[str, Any]) -> None:
        if event["event"] in _LOADS and core.generation is not None:
            lines = _packages(core.generation.catalog.tools.values())
            for line in lines:
                if line not in reported:
                    write(line)
            reported[:] = lines

    core.tap.watch_events(on_event)


def _is_nothing(catalog: "Catalog") -> bool:
    return not (catalog.tools or catalog.resources or catalog.templates or catalog.prompts)


def _packages(tools: "Iterable[Tool]") -> list[str]:
    names: dict[Toolkit, list[str]] = {}
    for tool in tools:
        if tool.toolkit is not None and tool.toolkit.package_name:
            names.setdefault(tool.toolkit, []).append(tool.name)
    return [
        escaped(f"package {kit.package_name} {kit.version} is the toolkit {kit.pascal_name}: {', '.join(tool_names)}")
        for kit, tool_names in names.items()
    ]


def _failure(event: Mapping[str, Any], files: frozenset[str]) -> str:
    """Describe the failure in an event; empty when it is not a failure, or the client has received all details."""
    match event["event"]:
        case "tool_failed" if not _is_of_input(event):
            subject, reason = f"Tool {event['tool']!r}", " ".join(_parts(event))
        case "tool_retried":
            return _line("", 0, f"Tool {event['tool']!r}: {_retry(event)}", "warning")
        case "refusal_lost":
            subject, reason = f"The account of tool {event['tool']!r}", event["message"]
        case "request_failed":
            subject, reason = str(event["method"]), event["message"]
        case "middleware_failed":
            subject, reason = f"Middleware, {event['method']}", event["message"]
        case "lifespan_failed":
            subject, reason = f"The lifespan of {event['app']!r}", event["message"]
        case _:
            return ""
    return _line(*_place(event.get("traceback") or "", files), f"{subject}: {reason}") if reason else ""


def _is_of_input(event: Mapping[str, Any]) -> bool:
    from server_core.errors import ErrorKind

    return bool(event["kind"] == ErrorKind.TOOL_RUNTIME_BAD_INPUT_VALUE)


def _retry(event: Mapping[str, Any]) -> str:
    tried = f"attempt {event['tried']} of {event['most']} failed, the next starts in {event['waiting_ms']} ms"
    return f"{tried}: [{event['kind']}] {event['developer_message'] or event['message']}"


def _parts(event: Mapping[str, Any]) -> list[str]:
    return [text for text in (event["developer_message"], *event.get("adapter_problems", ())) if text]


def _place(traceback: str, files: frozenset[str]) -> tuple[str, int]:
    """Return where an exception was raised: the last frame in the author's files, else the last frame."""
    frames = [(str(frame["file"]), int(frame["line"])) for frame in _FRAME.finditer(traceback)]
    own = [frame for frame in frames if frame[0] in files]
    return (own or frames or [("", 0)])[-1]


def _files(core: "Core") -> frozenset[str]:
    return frozenset() if core.generation is None else frozenset(map(str, core.generation.files))


def _line(file: str, line: int, text: str, severity: str = "error") -> str:
    place = f"{file}:{line}: " if line else f"{file}: " if file else ""
    return escaped(f"{place}{severity}: {text.strip()}")
