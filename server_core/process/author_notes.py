"""What the author of the tools is told, line by line, while clients are served: what is wrong, and where.

A client is told of a failure only what concerns it, and nothing at all of a file that cannot be imported. Who serves it
and reads along would otherwise not know why a tool is missing, or why it fails.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from server_core.runtime.terminal_text import escaped

if TYPE_CHECKING:
    from server_core.catalog.catalog import Catalog
    from server_core.catalog.definitions import Tool
    from server_core.catalog.naming import Toolkit
    from server_core.catalog.problems import Problem
    from server_core.core import Core

Tell = Callable[[str], None]

NO_TOOLS = "No tools found. Create Python files with @tool decorated functions."

_LOADS = frozenset({"loaded", "reloaded", "reload_failed"})
_FRAME = re.compile(r'^  File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


def log_failures(core: "Core", tell: Tell) -> None:
    """Tell of each tool, resource, prompt or middleware that fails from now on, what its client is not told.

    Args:
        core: serves it.
        tell: called with each line, on the thread on which it happens; it must not wait or raise.
    """

    def on_event(event: Mapping[str, Any]) -> None:
        if note := _failure(event, _files(core)):
            tell(core.tap.masker.mask_text(note))

    core.tap.watch_events(on_event)


def log_load_errors(core: "Core", tell: Tell) -> None:
    """Tell, after each load from now on, what keeps something from being served and has not been told.

    Where the first load finds nothing at all, that is told as well.

    Args:
        core: serves it.
        tell: called with each line, on the thread on which it happens; it must not wait or raise.
    """
    told: set[Problem] = set()
    is_first = True

    def on_event(event: Mapping[str, Any]) -> None:
        nonlocal told, is_first
        if event["event"] in _LOADS and core.generation is not None:
            errors = [one for one in core.generation.problems if one.severity == "error"]
            for problem in errors:
                if problem not in told:
                    tell(_line(problem.file, problem.line, f"{problem.message} {problem.fix}"))
            if is_first and not core.generation.problems and _is_nothing(core.generation.catalog):
                tell(_line("", 0, NO_TOOLS))
            told, is_first = set(errors), False

    core.tap.watch_events(on_event)


def log_packages(core: "Core", tell: Tell) -> None:
    """Tell, at each load from now on, which packages are served, and as what; where they are the same, only once.

    Args:
        core: serves them.
        tell: called with each line, on the thread on which it happens; it must not wait or raise.
    """
    told: list[str] = []

    def on_event(event: Mapping[str, Any]) -> None:
        if event["event"] in _LOADS and core.generation is not None:
            lines = _packages(core.generation.catalog.tools.values())
            for line in lines:
                if line not in told:
                    tell(line)
            told[:] = lines

    core.tap.watch_events(on_event)


def _is_nothing(catalog: "Catalog") -> bool:
    return not (catalog.tools or catalog.resources or catalog.templates or catalog.prompts)


def _packages(tools: "Iterable[Tool]") -> list[str]:
    names: dict[Toolkit, list[str]] = {}
    for one in tools:
        if one.toolkit is not None and one.toolkit.package_name:
            names.setdefault(one.toolkit, []).append(one.name)
    return [
        escaped(f"package {kit.package_name} {kit.version} is the toolkit {kit.pascal_name}: {', '.join(tools)}")
        for kit, tools in names.items()
    ]


def _failure(event: Mapping[str, Any], files: frozenset[str]) -> str:
    """Return what an event says of a failure; empty when it is none, or the client has been told all of it."""
    match event["event"]:
        case "tool_failed" if not _is_of_input(event):
            what, why = f"Tool {event['tool']!r}", " ".join(_parts(event))
        case "tool_retried":
            return _line("", 0, f"Tool {event['tool']!r}: {_retry(event)}", "warning")
        case "refusal_lost":
            what, why = f"The account of tool {event['tool']!r}", event["message"]
        case "request_failed":
            what, why = str(event["method"]), event["message"]
        case "middleware_failed":
            what, why = f"Middleware, {event['method']}", event["message"]
        case "lifespan_failed":
            what, why = f"The lifespan of {event['app']!r}", event["message"]
        case _:
            return ""
    return _line(*_place(event.get("traceback") or "", files), f"{what}: {why}") if why else ""


def _is_of_input(event: Mapping[str, Any]) -> bool:
    from server_core.errors import ErrorKind

    return bool(event["kind"] == ErrorKind.TOOL_RUNTIME_BAD_INPUT_VALUE)


def _retry(event: Mapping[str, Any]) -> str:
    tried = f"try {event['tried']} of {event['most']} failed, the next one begins in {event['waiting_ms']} ms"
    return f"{tried}: [{event['kind']}] {event['developer_message'] or event['message']}"


def _parts(event: Mapping[str, Any]) -> list[str]:
    return [text for text in (event["developer_message"], *event.get("adapter_problems", ())) if text]


def _place(traceback: str, files: frozenset[str]) -> tuple[str, int]:
    """Return where something was raised: the last place in the author's files, or else the last of all."""
    frames = [(str(frame["file"]), int(frame["line"])) for frame in _FRAME.finditer(traceback)]
    own = [frame for frame in frames if frame[0] in files]
    return (own or frames or [("", 0)])[-1]


def _files(core: "Core") -> frozenset[str]:
    return frozenset() if core.generation is None else frozenset(map(str, core.generation.files))


def _line(file: str, line: int, text: str, severity: str = "error") -> str:
    place = f"{file}:{line}: " if line else f"{file}: " if file else ""
    return escaped(f"{place}{severity}: {text.strip()}")
