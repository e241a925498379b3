"""`workbench secret`: the secrets that the tools of a project need. No value is ever printed, and no part of one."""

import getpass
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from server_core.errors import ConfigurationError
from server_core.runtime.suggestions import closest_name
from workbench.cli import console, output
from workbench.cli.command_run import DONE, guarded
from workbench.cli.options import JsonOption, ProjectOption
from workbench.model.short_text import escaped

if TYPE_CHECKING:
    from server_core.loading.project import Project
    from server_core.secrets.secret_store import SecretStatus, SecretStore

_ALIKE = 0.85
"""The minimum similarity of a name to a declared name that it may be a misspelling of."""

group = typer.Typer(help="Set, unset, list and grant the secrets that tools need.", no_args_is_help=True)


class Store(StrEnum):
    """Where a secret can be stored."""

    ENV_FILE = "env-file"
    KEYRING = "keyring"
    VAULT = "vault"


KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="The name of the secret.")]
ReaderArgument = Annotated[
    Path, typer.Argument(metavar="READER", help="The other project: its folder, or a file in it.")
]


@group.command("set")
def set_secret(
    key: Annotated[str | None, typer.Argument(metavar="KEY", help="The name of the secret.")] = None,
    value: Annotated[
        str | None,
        typer.Argument(metavar="VALUE", help="The value; better omitted, to be prompted for or read from stdin."),
    ] = None,
    store: Annotated[
        Store,
        typer.Option(
            "--store",
            metavar="STORE",
            help="env-file: the project's .env. keyring: this machine's. vault: your encrypted file.",
        ),
    ] = Store.ENV_FILE,
    from_env: Annotated[
        Path | None, typer.Option("--from-env", metavar="FILE", help="Set every secret of this .env file instead.")
    ] = None,
    project: ProjectOption = None,
) -> int:
    """Set a secret of the project; without VALUE it is prompted for, or read from stdin."""

    def write() -> int:
        from server_core.secrets import SecretStore

        opened = _open(project)
        secrets = SecretStore(opened.source.folder)
        for name, text in _values_to_set(key, value, from_env).items():
            secrets.set(name, text, store.value)
            console.write(f"Set {name}.")
        if key is not None and (meant := _declared_like(key, opened)) is not None:
            console.warn(f"no tool declares {key}; did you mean {meant}? `workbench secret unset {key}` removes it.")
        return DONE

    return guarded(write)


@group.command("unset")
def unset_secret(
    key: KeyArgument,
    store: Annotated[
        Store | None,
        typer.Option(
            "--store", metavar="STORE", help="Remove it only from here: env-file, keyring or vault.", show_default="all"
        ),
    ] = None,
    project: ProjectOption = None,
) -> int:
    """Remove a secret of the project from every store; it is an error if it is not set."""

    def remove() -> int:
        secrets = _store(project)
        places = secrets.unset(key, None if store is None else store.value)
        if not places:
            raise ConfigurationError(_nothing_to_unset(secrets, key, store))
        console.write(f"Unset {key} in {' and '.join(_PLACES[place](secrets) for place in places)}.")
        return DONE

    return guarded(remove)


@group.command("grant")
def grant(key: KeyArgument, reader: ReaderArgument, project: ProjectOption = None) -> int:
    """Allow another project to read a secret of this one in the keyring or the vault."""
    return _change_reader(f"{reader} may read {key}.", lambda secrets: secrets.grant(key, reader), project)


@group.command("revoke")
def revoke(key: KeyArgument, reader: ReaderArgument, project: ProjectOption = None) -> int:
    """Revoke another project's access to a secret of this one."""
    return _change_reader(f"{reader} may no longer read {key}.", lambda secrets: secrets.revoke(key, reader), project)


@group.command("list")
def list_secrets(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the secrets that the tools of the project declare: who needs them, and where they are set."""
    return guarded(lambda: _list(_open(project), as_json))


_PLACES: dict[str, Callable[["SecretStore"], str]] = {
    "env-file": lambda secrets: str(secrets.path),
    "keyring": lambda secrets: "the keyring",
    "vault": lambda secrets: "the vault",
}


def _nothing_to_unset(secrets: "SecretStore", key: str, store: Store | None) -> str:
    places = [place(secrets) for name, place in _PLACES.items() if store in (None, name)]
    (status,) = secrets.status([key])
    if status.owner:
        revoking = f"workbench secret revoke {key} {secrets.project}"
        return f"{key} belongs to {status.owner}; unset it there, or run `{revoking}` there"
    return f"{key} is not set in {' or '.join(places)}; `workbench secret list` shows what is set, and where"


def _list(project: "Project", as_json: bool) -> int:
    from server_core.process.stdio_guard import StdioGuard
    from server_core.records.tap import Tap
    from server_core.secrets import SecretStore
    from server_core.secrets.declared_secrets import readable_variables, values_before_import

    secrets, tap = SecretStore(project.source.folder), Tap()
    tap.masker.set_passwords(readable_variables(secrets))
    tap.masker.set(values_before_import(project.source.discovery.tools, secrets))
    stdio_guard = StdioGuard(tap)
    try:
        needed = project.load().catalog.secrets
    finally:
        stdio_guard.close()
    entries = [_json(status, list(needed[status.key])) for status in secrets.status(needed)]
    if as_json:
        output.print_json(entries)
    elif entries:
        rows = [("KEY", "STATE", "TOOLS")]
        rows += [(entry["key"], _state(entry), ", ".join(entry["tools"])) for entry in entries]
        output.print_table(rows)
    else:
        console.write("The tools of this project declare no secrets.")
    return DONE


def _json(status: "SecretStatus", tools: list[str]) -> dict[str, Any]:
    return {
        "key": status.key,
        "tools": tools,
        "is_set": status.is_set,
        "source": status.source,
        "path": status.path,
        "owner": status.owner or None,
        "readers": list(status.readers),
    }


def _state(entry: dict[str, Any]) -> str:
    if not entry["is_set"]:
        return "missing"
    place = entry["path"] if entry["source"] == ".env" else entry["source"]
    return f"set ({place}, of {entry['owner']})" if entry["owner"] else f"set ({place})"


def _change_reader(done: str, change: Callable[["SecretStore"], None], project: Path | None) -> int:
    def act() -> int:
        change(_store(project))
        console.write(done)
        return DONE

    return guarded(act)


def _values_to_set(key: str | None, value: str | None, from_env: Path | None) -> dict[str, str]:
    if from_env is not None:
        if key is not None:
            raise ConfigurationError("--from-env reads the names from the file; omit KEY")
        return _values_in(from_env)
    if key is None:
        raise ConfigurationError("KEY is missing; write `workbench secret set KEY`, or --from-env FILE")
    return {key: _ask_value(key) if value is None else value}


def _declared_like(key: str, project: "Project") -> str | None:
    """Return the declared name that an undeclared name may be a misspelling of."""
    from server_core.secrets.declared_secrets import declared_in

    declared = [name for file in project.source.discovery.tools for name in declared_in(file)]
    # The names of secrets are case-insensitive.
    is_declared = any(name.upper() == key.upper() for name in declared)
    return None if is_declared else closest_name(key, declared, _ALIKE)


def _values_in(file: Path) -> dict[str, str]:
    from server_core.runtime import env_file
    from server_core.secrets.secret_names import is_reserved

    if not file.is_file():
        raise ConfigurationError(f"there is no file {file}")
    values = {key: entry.value for key, entry in env_file.read_entries(file).items() if entry.value}
    for key in filter(is_reserved, values):
        console.write(f"{escaped(key)} is skipped: it is a setting of the server, which tools cannot read.")
    return {key: value for key, value in values.items() if not is_reserved(key)}


def _open(project: Path | None) -> "Project":
    from server_core.loading.package_source import open_project

    return open_project(project or Path.cwd())


def _store(project: Path | None) -> "SecretStore":
    from server_core.secrets import SecretStore

    return SecretStore(_open(project).source.folder)


def _ask_value(key: str) -> str:
    # getpass asks on the terminal itself and does not show the input.
    value = getpass.getpass(f"{escaped(key)}: ") if sys.stdin.isatty() else sys.stdin.read().rstrip("\r\n")
    if not value:
        raise ConfigurationError(f"no value was given for {key}; to remove it, run `workbench secret unset {key}`")
    return value
