"""`workbench settings`: each setting of a project, its value, and where that comes from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import narration, output
from workbench.cli.exits import DONE
from workbench.cli.options import JsonOption, ProjectOption
from workbench.cli.running import guarded

if TYPE_CHECKING:
    from server_core.settings.describing import Described, Misplaced


def command(
    path: Annotated[Path | None, typer.Argument(help="A folder or file of tools.", show_default="here")] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show each setting of a project: its value, where that comes from, its limits and what it is."""
    return guarded(lambda: _show(project or path or Path.cwd(), as_json))


def _show(path: Path, as_json: bool) -> int:
    from server_core.errors import ConfigurationError
    from server_core.settings.describing import describe, misplaced

    if not path.exists():
        raise ConfigurationError(f"there is no file or folder {path}; give the folder with your tools")
    settings, others = describe(path), misplaced(path)
    if as_json:
        output.print_json({"settings": [_json(one) for one in settings], "unknown": [_unknown(one) for one in others]})
    else:
        for one in settings:
            output.print_text(_text(one))
    for other in others:
        narration.tell(_sentence(other))
    return DONE


def _text(one: "Described") -> str:
    lines = [f"{one.name} = {_shown(one.value)}  ({_from(one)})", f"    {one.meaning}"]
    lines += [
        f"    {name}: {limit}" if limit else f"    {name}" for name, limit in zip(one.names, one.limits, strict=True)
    ]
    lines += [f"    {place.variable} in {place} has no effect." for place in one.unused]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "not set"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _from(one: "Described") -> str:
    place = one.place
    return f"{place.variable} in {place}" if place.variable else "default"


def _json(one: "Described") -> dict[str, Any]:
    return {
        "name": one.name,
        "value": one.value,
        "default": one.default,
        "source": one.place.source,
        "variable": one.place.variable or None,
        "file": one.place.file or None,
        "line": one.place.line or None,
        "unused": [{"variable": place.variable, "place": str(place)} for place in one.unused],
        "names": [
            {"variable": name, "limits": limit or None} for name, limit in zip(one.names, one.limits, strict=True)
        ],
        "meaning": one.meaning,
    }


def _unknown(one: "Misplaced") -> dict[str, Any]:
    return {
        "variable": one.stray.name,
        "place": str(one.place),
        "why": one.stray.why or None,
        "meant": one.stray.meant,
    }


def _sentence(one: "Misplaced") -> str:
    stray = one.stray
    if stray.why:
        return f"{stray.name} in {one.place} has no effect: {stray.why}."
    meant = f"; did you mean {stray.meant}?" if stray.meant else "."
    return f"{stray.name} in {one.place} is no setting{meant}"
