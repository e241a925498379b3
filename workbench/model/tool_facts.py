"""Facts about a tool for the user before a call: missing requirements and where to get them, and how the tool runs.

Facts that only a core knows of its own tools (accounts, limits) come from `catalog/get`; relayed servers have fewer.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from workbench.model.accounts import is_usable

_TASKS = {"optional": "may run as a task", "required": "runs as a task only"}


def lacks(
    definition: Mapping[str, Any],
    secrets: Iterable[Mapping[str, Any]],
    accounts: Iterable[Mapping[str, Any]],
    caller_facts: Collection[str],
) -> Iterator[str]:
    """Yield the missing requirements of a tool, with the place to get them.

    Args:
        definition: the tool, from `catalog/get`.
        secrets: from `secrets/list`.
        accounts: from `accounts/list`.
        caller_facts: the names of the caller's attributes that calls send.
    """
    is_set = {secret["key"] for secret in secrets if secret.get("is_set")}
    if missing := [key for key in _texts(definition.get("secrets")) if key not in is_set]:
        yield f"needs {', '.join(missing)}: set it in Secrets (key 4)"
    for account in accounts:
        if account["account"] == definition.get("account") and not is_usable(account):
            yield f"uses the account {account['account']}, {account['state']}: see Secrets (key 4)"
    names = {name.lower() for name in caller_facts}
    if missing := [key for key in _texts(definition.get("metadata_keys")) if key.lower() not in names]:
        yield f"needs {', '.join(missing)} in _meta: f9"


def manner(definition: Mapping[str, Any]) -> str:
    """Return how a tool runs and is shown: "timeout 3 s · up to 2 retries · runs as a task only"."""
    return " · ".join(_manner(definition))


def _manner(definition: Mapping[str, Any]) -> Iterator[str]:
    if (timeout := definition.get("timeout")) is not None:
        yield f"timeout {timeout:g} s"
    if retries := definition.get("retries"):
        yield f"up to {retries} {'retry' if retries == 1 else 'retries'}"
    execution = definition.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, dict) else None
    if isinstance(support, str) and support in _TASKS:
        yield _TASKS[support]
    if account := definition.get("account"):
        yield f"uses {account}"
    if keys := _texts(definition.get("metadata_keys")):
        yield f"needs {', '.join(keys)} in _meta"
    if ui := definition.get("ui"):
        yield f"shown by {ui}"


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
