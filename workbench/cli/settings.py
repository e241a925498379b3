"""`workbench settings`: each setting of a project, its value, and where that comes from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.cli import console, output, serving_options
from workbench.cli.command_run import DONE, guarded
from workbench.cli.options import InstalledOption, JsonOption, PackageOption, ProjectOption
from workbench.cli.serving_options import read_env_file, settings_of_flags
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from server_core.settings.description import IneffectiveVariable, SettingDescription
    from server_core.settings.sources import Flags


def command(
    path: Annotated[Path | None, typer.Argument(help="A folder or file of tools.", show_default="here")] = None,
    project: ProjectOption = None,
    stdio: serving_options.Stdio = False,
    http: serving_options.Http = False,
    host: serving_options.Host = "",
    port: serving_options.Port = None,
    tool_package: PackageOption = "",
    discover_installed: InstalledOption = False,
    show_packages: serving_options.ShowPackages = False,
    name: serving_options.Name = "",
    version: serving_options.Version = "",
    reload: serving_options.Reload = False,
    debug: serving_options.Debug = False,
    otel_enable: serving_options.Otel = False,
    env_file: serving_options.EnvFile = None,
    as_json: JsonOption = False,
) -> int:
    """Show each setting of a project: its value, the source of the value, its limits and its meaning.

    Options of `workbench serve` are applied as they are there.
    """
    flags = settings_of_flags(
        stdio=stdio and not http,
        http=http and not stdio,
        host=host,
        port=port,
        tool_package=tool_package,
        discover_installed=discover_installed and not tool_package,
        show_packages=show_packages,
        name=name,
        version=version,
        reload=reload,
        debug=debug,
        otel_enable=otel_enable,
    )

    def show() -> int:
        read_env_file(env_file)
        return _show(project or path or Path.cwd(), flags, as_json)

    return guarded(show)


def _show(path: Path, flags: "Flags", as_json: bool) -> int:
    from server_core.errors import ConfigurationError
    from server_core.settings.description import describe, ineffective_variables, tokens_note

    if not path.exists():
        raise ConfigurationError(f"there is no file or folder {path}; give the folder with your tools")
    settings, others = describe(path, flags=flags), ineffective_variables(path)
    if as_json:
        output.print_json(
            {
                "settings": [_json(setting) for setting in settings],
                "unknown": [_unknown(variable) for variable in others],
            }
        )
    else:
        for setting in settings:
            output.print_text(_text(setting))
    for other in others:
        console.write(_sentence(other))
    if note := tokens_note(path, flags=flags):
        console.write(note)
    return DONE


def _text(setting: "SettingDescription") -> str:
    lines = [f"{setting.name} = {_shown(setting.value)}  ({_source(setting)})", f"    {setting.meaning}"]
    lines += [
        f"    {name}: {limit}" if limit else f"    {name}"
        for name, limit in zip(setting.names, setting.limits, strict=True)
    ]
    lines += [f"    {place.variable} in {place} has no effect." for place in setting.unused]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if value is None or value == "":
        return "not set"
    return str(value).lower() if isinstance(value, bool) else escaped(str(value))


def _source(setting: "SettingDescription") -> str:
    place = setting.place
    return f"{place.variable} in {place}" if place.variable else "default"


def _json(setting: "SettingDescription") -> dict[str, Any]:
    return {
        "name": setting.name,
        "value": setting.value,
        "default": setting.default,
        "source": setting.place.source,
        "variable": setting.place.variable or None,
        "file": setting.place.file or None,
        "line": setting.place.line or None,
        "unused": [{"variable": place.variable, "place": str(place)} for place in setting.unused],
        "names": [
            {"variable": name, "limits": limit or None}
            for name, limit in zip(setting.names, setting.limits, strict=True)
        ],
        "meaning": setting.meaning,
    }


def _unknown(ineffective: "IneffectiveVariable") -> dict[str, Any]:
    return {
        "variable": ineffective.variable.name,
        "place": str(ineffective.place),
        "why": ineffective.variable.why or None,
        "meant": ineffective.variable.suggestion,
    }


def _sentence(ineffective: "IneffectiveVariable") -> str:
    variable = ineffective.variable
    subject = f"{escaped(variable.name)} in {ineffective.place}"
    if variable.why:
        return f"{subject} has no effect: {variable.why}."
    suggestion = f"; did you mean {variable.suggestion}?" if variable.suggestion else "."
    return f"{subject} is not a setting{suggestion}"
