"""How a capture is shown in a list, and in the detail beside it."""

import time
from pathlib import Path
from typing import Any

from textual.content import Content

from workbench.model.capture_groups import CaptureGroup
from workbench.model.describe import plural, size
from workbench.model.short_text import escaped, escaped_lines
from workbench.tui.colours import BAD, GOOD, MUTED, WARN
from workbench.tui.widgets.paint import StyledText

COLUMNS = ("started", "name or tools", "server", "client", "calls", "errors", "size")
NAME_COLUMN = 1
NUMBERS = (4, 5, 6)
LEFT_OUT = (3, 2, 6, 5, 4)
"""The columns that a narrow terminal leaves out, in this order."""
PIN = "★"
MARK = "◆"
_RUNNING = "●"


def capture_row(capture: dict[str, Any], *, is_marked: bool = False) -> tuple[StyledText, ...]:
    file = Path(capture["path"]).name
    if capture.get("problem"):
        return ("cannot be read", "table--bad"), (file, ""), *[("", "")] * 4, (size(capture["bytes"]), "table--muted")
    started = time.strftime("%m-%d %H:%M:%S", time.localtime(capture["started"]))
    name = capture.get("name") or ""
    pin = f"{PIN} " if capture.get("pinned") else ""
    mark = f"{MARK} " if is_marked else ""
    errors = capture.get("errors")
    return (
        (f"{started}{'' if capture['ended'] else f' {_RUNNING}'}", "table--muted"),
        (f"{mark}{pin}{name or _tools(capture) or file}", "" if name else "table--muted"),
        (server_of(capture), "table--muted"),
        (", ".join(capture.get("clients") or ()), "table--muted"),
        (_count(capture.get("calls")), ""),
        (_count(errors), "table--bad" if errors else "table--muted"),
        (size(capture["bytes"]), "table--muted"),
    )


def group_row(group: CaptureGroup) -> tuple[StyledText, ...]:
    """Return the row of a group; those of its captures follow it while it is open."""
    newest = group.captures[0]
    errors = group.sum_of("errors")
    return (
        (time.strftime("%m-%d %H:%M:%S", time.localtime(newest["started"])), "table--muted"),
        (f"{'▾' if group.is_open else '▸'} {_runs(group)}", "table--muted"),
        (server_of(newest), "table--muted"),
        (", ".join(newest.get("clients") or ()), "table--muted"),
        (_count(group.sum_of("calls")), ""),
        (_count(errors), "table--bad" if errors else "table--muted"),
        (size(sum(capture["bytes"] for capture in group.captures)), "table--muted"),
    )


def group_text(group: CaptureGroup, key: str) -> Content:
    """Return the detail of a group; the key is that which opens it."""
    first = time.strftime("%H:%M", time.localtime(group.captures[-1]["started"]))
    last = time.strftime("%H:%M", time.localtime(group.captures[0]["started"]))
    does = "hides" if group.is_open else "lists"
    text = f"\nof {escaped(server_of(group.captures[0]))}, from {first} to {last}\n{key} {does} their captures"
    return Content.assemble((_runs(group), "bold"), (text, MUTED))


def _runs(group: CaptureGroup) -> str:
    return f"{len(group.captures):,} runs of workbench call"


def _tools(capture: dict[str, Any]) -> str:
    """Return the tools that were called, the most called first; empty if that is unknown."""
    if capture.get("calls") == 0:
        return "no calls"
    return ", ".join(capture.get("tools") or ())


def capture_title(capture: dict[str, Any]) -> str:
    """Return the name of a capture, else that of its file."""
    return str(capture.get("name") or Path(capture["path"]).name)


def server_of(capture: dict[str, Any]) -> str:
    return f"{capture['project']} {capture.get('server') or ''}".strip()


def capture_text(capture: dict[str, Any], keys: str) -> Content:
    """Return the detail of a capture; the keys are described at its end."""
    path = escaped(capture["path"])
    if problem := capture.get("problem"):
        return Content.assemble(path, "\n", (escaped(problem), BAD))
    clients = ", ".join(map(escaped, capture.get("clients") or ())) or "no client"
    lost = f"  {capture['lost']:,} lost" if capture.get("lost") else ""
    parts: list[Content | str | tuple[str, str]] = [
        (escaped(capture_title(capture)), "bold"),
        (f"  {PIN} pinned" if capture.get("pinned") else "", GOOD),
        ("\n", ""),
        (f"{plural(capture['records'], 'message')} of {clients}", MUTED),
        (lost, WARN),
    ]
    if note := capture.get("note"):
        parts += ["\n", escaped_lines(note)]
    parts += [("\n" + path, MUTED), ("\n" + keys, MUTED)]
    return Content.assemble(*parts)


def _count(count: int | None) -> str:
    return "?" if count is None else f"{count:,}"
