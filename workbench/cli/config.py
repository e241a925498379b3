"""`workbench config`: the settings of the terminal, in one file."""

import subprocess
from pathlib import Path
from typing import Annotated

import typer

from server_core.errors import ConfigurationError
from workbench.cli import console, output
from workbench.cli.command_run import DONE, FAILED, USAGE, guarded
from workbench.cli.options import JsonOption, ProjectOption
from workbench.model.short_text import escaped
from workbench.model.terminal_config import TerminalConfig

group = typer.Typer(help="Show and change the settings of the terminal.", invoke_without_command=True)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="theme, editor, captures.LIMIT, filters.NAME, or keys.ACTION.")
]


@group.callback()
def show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show and change the settings of the terminal: theme, editor, filters and keys, in one file.

    Without a command, the path of the file and its values are printed. The exit code is 2 if the file has mistakes.
    """
    if context.invoked_subcommand is None:
        raise typer.Exit(guarded(lambda: _show(as_json)))


@group.command("get")
def get(name: NameArgument) -> int:
    """Print the value of a setting."""
    return guarded(lambda: _get(name))


@group.command("set")
def set_value(
    name: NameArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help='The value; "" for the default.')],
) -> int:
    """Set a setting; comments in the file are kept."""
    return guarded(lambda: _set(name, value))


@group.command("keys")
def keys() -> int:
    """List the actions with their keys; the names are those of `keys.ACTION`."""
    return guarded(_list_keys)


@group.command("edit")
def edit() -> int:
    """Open the file in your editor."""
    return guarded(_edit)


@group.command("forget")
def forget(project: ProjectOption = None) -> int:
    """Forget what terminals remember of a project: open pane and tool, values of forms, columns and groups."""
    return guarded(lambda: _forget(project))


def _values(config: TerminalConfig) -> dict[str, str]:
    keys = {f"keys.{name}": key for name, key in config.keys.items()}
    filters = {f"filters.{name}": text for name, text in config.filters.items()}
    captures = {f"captures.{name}": f"{value:g}" for name, value in config.captures.items()}
    return {"theme": config.theme, "editor": config.editor, **captures, **filters, **keys}


def _show(as_json: bool) -> int:
    from server_core.runtime.paths import config_file
    from workbench.workspace.config_file import read_config

    config = read_config()
    problems = _problems(config)
    if as_json:
        output.print_json({"path": str(config_file()), "values": _values(config), "problems": problems})
        return USAGE if problems else DONE
    output.print_text(str(config_file()))
    for name, value in _values(config).items():
        output.print_text(f"{escaped(name)} = {escaped(value) or 'not set'}")
    for problem in problems:
        console.warn(problem)
    return USAGE if problems else DONE


def _problems(config: TerminalConfig) -> list[str]:
    from workbench.tui.config_check import config_mistakes

    return config_mistakes(config)


def _get(name: str) -> int:
    from workbench.workspace.config_file import read_config

    _check_name(name)
    value = _values(read_config()).get(name, "")
    if value:
        output.print_text(escaped(value))
    return DONE if value else FAILED


def _set(name: str, value: str) -> int:
    from workbench.workspace.config_file import write_setting

    _check_name(name)
    losses: list[str] = []
    if name == "theme":
        from workbench.tui.config_check import theme_mistake

        if problem := theme_mistake(value):
            raise ConfigurationError(problem)
    elif name.startswith("captures.") and value:
        _check_limit(name.removeprefix("captures."), value)
    elif name.startswith("filters.") and value:
        _check_filter(name.removeprefix("filters."), value)
    elif name.startswith("keys.") and value:
        losses = _check_keys(name.removeprefix("keys."), value)
    console.write(f"{name} is {'set' if value else 'no longer set'} in {write_setting(name, value)}")
    for loss in losses:
        console.write(loss)
    return DONE


def _check_keys(name: str, value: str) -> list[str]:
    """Return which actions lose keys; ConfigurationError if the keys are wrong, or clash with others in the file."""
    from workbench.tui.key_remapping import DEFAULTS, remapped
    from workbench.workspace.config_file import read_config

    config = read_config()
    lines = {other: line for other, line in config.key_lines.items() if other != name}
    others = {other: keys for other, keys in config.keys.items() if other != name}
    before, after = remapped(DEFAULTS, others, lines), remapped(DEFAULTS, {**others, name: value}, lines)
    if problems := [problem for problem in after.problems if problem not in before.problems]:
        raise ConfigurationError(problems[0])
    return [loss for loss in after.losses if loss not in before.losses]


def _check_filter(name: str, value: str) -> None:
    from workbench.model.terminal_config import filter_mistake
    from workbench.workspace.config_file import read_config

    if mistake := filter_mistake(name, value, {**read_config().filters, name: value}):
        raise ConfigurationError(mistake)


def _check_limit(name: str, value: str) -> None:
    from server_core.runtime.capture_limits import read_limits
    from workbench.workspace.config_file import number_or_text

    for mistake in read_limits({name: number_or_text(value)})[1].values():
        raise ConfigurationError(mistake)


def _forget(project: Path | None) -> int:
    from workbench.workspace.memory_file import forget_memory

    folder = (project or Path.cwd()).resolve()
    is_deleted = forget_memory(str(folder))
    console.write(f"What terminals remembered of {folder} is deleted." if is_deleted else f"No memory of {folder}.")
    return DONE


def _check_name(name: str) -> None:
    table, dot, rest = name.partition(".")
    if name not in ("theme", "editor") and not (table in ("keys", "captures", "filters") and dot and rest):
        settings = "theme, editor, captures.LIMIT, filters.NAME and keys.ACTION"
        raise ConfigurationError(f"there is no setting {name!r}; the settings are {settings}")


def _list_keys() -> int:
    from workbench.tui.key_remapping import DEFAULTS, action_name, remapped
    from workbench.workspace.config_file import read_config

    config = read_config()
    table = remapped(DEFAULTS, config.keys).actions
    output.print_table([(action_name(action), action.keys or "no key", action.help) for action in table])
    return DONE


def _edit() -> int:
    from server_core.runtime.paths import config_file
    from workbench.tui.external_editor import editor_command, interrupts_end_the_editor
    from workbench.workspace.config_file import read_config

    path = config_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = editor_command(str(path), 1)
    with interrupts_end_the_editor():
        code = subprocess.run(command, check=False).returncode
    for problem in _problems(read_config()):
        console.warn(problem)
    return DONE if code == 0 else FAILED
