"""Facts about a tool for the user before a call: missing requirements and where to get them, and how the tool runs.

Facts that only a core knows of its own tools (accounts, limits) come from `catalog/get`; relayed servers have fewer.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from workbench.model.accounts import is_usable
from workbench.model.describe import plural

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
            yield f"acts with the account {account['account']}, {account['state']}: see Secrets (key 4)"
    names = {name.lower() for name in caller_facts}
    if missing := [key for key in _texts(definition.get("metadata_keys")) if key.lower() not in names]:
        yield f"wants to be told {', '.join(missing)} of its caller: f9"


def manner(definition: Mapping[str, Any]) -> str:
    """Return how a tool runs and is shown: "given up after 3 s · tried again twice · runs as a task only"."""
    return " · ".join(_manner(definition))


def _manner(definition: Mapping[str, Any]) -> Iterator[str]:
    if (timeout := definition.get("timeout")) is not None:
        yield f"given up after {timeout:g} s"
    if retries := definition.get("retries"):
        yield f"tried again up to {plural(retries, 'time')}"
    execution = definition.get("execution")
    support = execution.get("taskSupport") if isinstance(execution, dict) else None
    if isinstance(support, str) and support in _TASKS:
        yield _TASKS[support]
    if account := definition.get("account"):
        yield f"acts with {account}"
    if keys := _texts(definition.get("metadata_keys")):
        yield f"told {', '.join(keys)} of its caller"
    if ui := definition.get("ui"):
        yield f"shown by {ui}"


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
