"""Resolves the references in arguments when a call is sent; what was resolved is sent, and stored nowhere.

The values of secrets are read here, in the process of the terminal or the command, and the core is asked to mask them
before the call reaches it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from workbench.model.json_members import objects_in
from workbench.model.references import (
    UnresolvedReference,
    Values,
    copied_reference,
    has_references,
    resolved,
    secret_names,
    uses_last_result,
)

if TYPE_CHECKING:
    from workbench.model.history import CallRun
    from workbench.workspace.workspace import Workspace


def resolving(workspace: "Workspace", run: "CallRun") -> Callable[[], Awaitable[dict[str, Any]]] | None:
    """Return what resolves the arguments of a run; None if there is nothing to resolve."""
    return partial(resolved_arguments, workspace, run) if has_references(run.arguments) else None


async def resolved_arguments(workspace: "Workspace", run: "CallRun") -> dict[str, Any]:
    """Return the arguments of a run as they are sent.

    WorkbenchError names a reference that has no value, or that another server has written.
    """
    _check_origin(workspace, run)
    last = _last_result(workspace, run) if uses_last_result(run.arguments) else None
    secrets: Mapping[str, str] = {}
    if names := secret_names(run.arguments):
        secrets = await asyncio.to_thread(read_secrets, names, workspace.saved_calls.file.path.parent)
    arguments = resolve(run.arguments, Values(secrets, last))
    if secrets:
        await workspace.link.request("secrets/mask", {"secrets": dict(secrets)})
    return arguments


def _check_origin(workspace: "Workspace", run: "CallRun") -> None:
    """Refuse a reference that another server proposes, as a default for example: it would name what it gets."""
    if not workspace.core.is_relay:
        return
    for tool in objects_in(workspace.core.catalog, "tools"):
        if tool.get("name") == run.tool and (text := copied_reference(run.arguments, tool)) is not None:
            raise ConfigurationError(
                f"{text} is a value in the server's own definition of {run.tool}, and was not sent: a server must "
                "not choose what it gets. Type another value."
            )


def resolve(arguments: dict[str, Any], values: Values) -> dict[str, Any]:
    """Return arguments with the values of their references; ConfigurationError if one has none."""
    try:
        return dict(resolved(arguments, values))
    except (UnresolvedReference, RecursionError) as error:
        raise ConfigurationError(str(error)) from None


def read_secrets(names: Iterable[str], folder: Path) -> dict[str, str]:
    """Return the values of those secrets that are set: in the environment, `.env`, the keyring or the vault."""
    from server_core.secrets.secret_names import check_name
    from server_core.secrets.secret_store import SecretStore

    names = list(names)
    for name in names:
        check_name(name)
    return SecretStore(folder).values(names)


def _last_result(workspace: "Workspace", run: "CallRun") -> dict[str, Any] | None:
    """Return the result of the newest call that ended before a run."""
    runs = (other for other in reversed(list(workspace.history)) if other.number < run.number)
    return next((other.result for other in runs if other.result is not None), None)
