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
from server_core.protocol.jsonrpc import encode
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
from workbench.model.traffic.entry import parse_object

if TYPE_CHECKING:
    from workbench.model.history import CallRun, History
    from workbench.workspace.workspace import Workspace


def resolving(
    workspace: "Workspace", run: "CallRun", history: "History | None" = None
) -> Callable[[], Awaitable[dict[str, Any]]] | None:
    """Return what resolves the arguments of a run; None if there is nothing to resolve.

    `history` has the run and those before it; by default that of the workspace.
    """
    return partial(resolved_arguments, workspace, run, history) if has_references(run.arguments) else None


async def resolved_arguments(
    workspace: "Workspace", run: "CallRun", history: "History | None" = None
) -> dict[str, Any]:
    """Return the arguments of a run as they are sent.

    WorkbenchError names a reference that has no value, or that another server has written.
    """
    _check_origin(workspace, run.arguments, run.tool)
    return await _resolved(
        workspace, run.arguments, lambda: _last_result(workspace.history if history is None else history, run.number)
    )


async def resolved_message(workspace: "Workspace", data: bytes) -> bytes:
    """Return a message as it is sent; its bytes are unchanged where there is nothing to resolve.

    WorkbenchError as in :func:`resolved_arguments`.
    """
    message = parse_object(data)
    if message is None or not has_references(message):
        return data
    _check_origin(workspace, message)
    return encode(await _resolved(workspace, message, lambda: _last_result(workspace.history)))


async def _resolved(
    workspace: "Workspace", value: dict[str, Any], last_result: Callable[[], dict[str, Any] | None]
) -> dict[str, Any]:
    secrets: Mapping[str, str] = {}
    if names := secret_names(value):
        secrets = await asyncio.to_thread(read_secrets, names, workspace.saved_calls.file.path.parent)
    result = resolve(value, Values(secrets, last_result() if uses_last_result(value) else None))
    if secrets:
        await workspace.link.request("secrets/mask", {"secrets": dict(secrets)})
    return result


def _check_origin(workspace: "Workspace", value: dict[str, Any], tool: str | None = None) -> None:
    """Refuse a reference that another server proposes, as a default for example: it would name what it gets.

    Without the name of a tool, the definitions of all tools are searched.
    """
    if not workspace.core.is_relay:
        return
    for definition in objects_in(workspace.core.catalog, "tools"):
        name = definition.get("name")
        if tool in (None, name) and (text := copied_reference(value, definition)) is not None:
            raise ConfigurationError(
                f"{text} is a value in the server's own definition of {name}, and was not sent: a server must "
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


def _last_result(history: "History", before: int | None = None) -> dict[str, Any] | None:
    """Return the result of the newest call that has one, or of those before the run with a number."""
    runs = (run for run in reversed(list(history)) if before is None or run.number < before)
    return next((run.result for run in runs if run.result is not None), None)
