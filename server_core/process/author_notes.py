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

_LOAD_EVENTS = frozenset({"loaded", "reloaded", "reload_failed"})
_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


def log_failures(core: "Core", write: WriteLine) -> None:
    """Write the details that clients do not receive, for each tool, resource, prompt or middleware that fails.

    Here and below, `write` is called on the thread of the event, so it must not block or raise.
    """

    def on_event(event: Mapping[str, Any]) -> None:
        if note := _describe_failure(event, _author_files(core)):
            write(core.tap.masker.mask_text(note))

    core.tap.watch_events(on_event)


def log_load_errors(core: "Core", write: WriteLine) -> None:
    """Write the errors of each load that keep something from being served and are new, or that nothing was found."""
    reported: set[Problem] = set()
    is_first = True

    def on_event(event: Mapping[str, Any]) -> None:
        nonlocal reported, is_first
        if event["event"] in _LOAD_EVENTS and core.generation is not None:
            errors = [problem for problem in core.generation.problems if problem.severity == "error"]
            for problem in errors:
                if problem not in reported:
                    write(_format(problem.file, problem.line, f"{problem.message} {problem.fix}"))
            if is_first and not core.generation.problems and _is_empty(core.generation.catalog):
                write(_format("", 0, NO_TOOLS))
            reported, is_first = set(errors), False

    core.tap.watch_events(on_event)


def log_packages(core: "Core", write: WriteLine) -> None:
    """Write, after each load, the served packages with their toolkits; unchanged packages are not repeated."""
    reported: list[str] = []

    def on_event(event: Mapping[str, Any]) -> None:
        if event["event"] in _LOAD_EVENTS and core.generation is not None:
            lines = _describe_packages(core.generation.catalog.tools.values())
            for line in lines:
                if line not in reported:
                    write(line)
            reported[:] = lines

    core.tap.watch_events(on_event)


def _is_empty(catalog: "Catalog") -> bool:
    return not (catalog.tools or catalog.resources or catalog.templates or catalog.prompts)


def _describe_packages(tools: "Iterable[Tool]") -> list[str]:
    names: dict[Toolkit, list[str]] = {}
    for tool in tools:
        if tool.toolkit is not None and tool.toolkit.package_name:
            names.setdefault(tool.toolkit, []).append(tool.name)
    return [
        escaped(f"package {kit.package_name} {kit.version} is the toolkit {kit.pascal_name}: {', '.join(tool_names)}")
        for kit, tool_names in names.items()
    ]


def _describe_failure(event: Mapping[str, Any], files: frozenset[str]) -> str:
    """Describe the failure in an event; empty when it is not a failure, or the client has received all details."""
    match event["event"]:
        case "tool_failed" if not _is_input_error(event):
            subject, reason = f"Tool {event['tool']!r}", " ".join(_details(event))
        case "tool_retried":
            return _format("", 0, f"Tool {event['tool']!r}: {_describe_retry(event)}", "warning")
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
    return _format(*_location(event.get("traceback") or "", files), f"{subject}: {reason}") if reason else ""


def _is_input_error(event: Mapping[str, Any]) -> bool:
    from server_core.errors import ErrorKind

    return bool(event["kind"] == ErrorKind.TOOL_RUNTIME_BAD_INPUT_VALUE)


def _describe_retry(event: Mapping[str, Any]) -> str:
    tried = f"attempt {event['tried']} of {event['most']} failed, the next starts in {event['waiting_ms']} ms"
    return f"{tried}: [{event['kind']}] {event['developer_message'] or event['message']}"


def _details(event: Mapping[str, Any]) -> list[str]:
    return [text for text in (event["developer_message"], *event.get("adapter_problems", ())) if text]


def _location(traceback: str, files: frozenset[str]) -> tuple[str, int]:
    """Return where an exception was raised: the last frame in the author's files, else the last frame."""
    frames = [(str(frame["file"]), int(frame["line"])) for frame in _FRAME.finditer(traceback)]
    own = [frame for frame in frames if frame[0] in files]
    return (own or frames or [("", 0)])[-1]


def _author_files(core: "Core") -> frozenset[str]:
    return frozenset() if core.generation is None else frozenset(map(str, core.generation.files))


def _format(file: str, line: int, text: str, severity: str = "error") -> str:
    location = f"{file}:{line}: " if line else f"{file}: " if file else ""
    return escaped(f"{location}{severity}: {text.strip()}")
