"""`workbench secret`: the secrets that the tools of a project need. No value is ever printed."""

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server_core.errors import ConfigurationError
from workbench.cli import narration, output
from workbench.cli.exits import DONE
from workbench.cli.options import JsonOption, ProjectOption
from workbench.cli.running import guarded

if TYPE_CHECKING:
    from server_core.project import Project
    from server_core.secrets import SecretStore

group = typer.Typer(help="Set, unset and list the secrets that tools need.", no_args_is_help=True)

KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="The name of the secret.")]


@group.command("set")
def set_secret(
    key: KeyArgument,
    value: Annotated[
        str | None, typer.Argument(metavar="VALUE", help="Its value; better left out: then it is asked for, or read.")
    ] = None,
    project: ProjectOption = None,
) -> int:
    """Write a secret to the project's .env; without VALUE it is asked for, or read from stdin."""

    def write() -> int:
        _store(_open(project)).set(key, _ask_value(key) if value is None else value)
        narration.tell(f"Set {key}.")
        return DONE

    return guarded(write)


@group.command("unset")
def unset_secret(key: KeyArgument, project: ProjectOption = None) -> int:
    """Remove a secret from the project's .env."""

    def remove() -> int:
        _store(_open(project)).unset(key)
        narration.tell(f"Unset {key}.")
        return DONE

    return guarded(remove)


@group.command("list")
def list_secrets(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the secrets that the tools of the project declare: who needs them, and where they are set."""
    return guarded(lambda: _list(_open(project), as_json))


def _list(project: "Project", as_json: bool) -> int:
    from server_core.fence import Fence
    from server_core.tap import Tap

    fence = Fence(Tap())
    try:
        needed = project.load().catalog.secrets
    finally:
        fence.close()
    found: list[dict[str, Any]] = [
        {
            "key": status.key,
            "tools": list(needed[status.key]),
            "is_set": status.is_set,
            "source": status.source,
            "path": str(status.path) if status.path else None,
        }
        for status in _store(project).status(needed)
    ]
    if as_json:
        output.print_json(found)
    elif found:
        rows = [("KEY", "STATE", "TOOLS")]
        rows += [(one["key"], _state(one), ", ".join(one["tools"])) for one in found]
        output.print_table(rows)
    else:
        narration.tell("The tools of this project declare no secrets.")
    return DONE


def _state(one: dict[str, Any]) -> str:
    return f"set ({one['path'] or one['source']})" if one["is_set"] else "missing"


def _open(project: Path | None) -> "Project":
    from server_core.project import Project
    from server_core.settings import Settings

    return Project(project or Path.cwd(), Settings.from_environment())


def _store(project: "Project") -> "SecretStore":
    from server_core.secrets import SecretStore

    return SecretStore(project.folder)


def _ask_value(key: str) -> str:
    # getpass asks on the terminal itself and shows nothing of what is typed.
    value = getpass.getpass(f"{key}: ") if sys.stdin.isatty() else sys.stdin.read().rstrip("\r\n")
    if not value:
        raise ConfigurationError(f"no value was given for {key}; to remove it, run `workbench secret unset {key}`")
    return value
