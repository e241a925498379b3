"""What a call requires besides its arguments, as texts for users: accounts, secrets and attributes of the caller.

Facts that only a core knows of its own tools (accounts, limits) come from `catalog/get`; relayed servers have fewer.
"""

import shlex
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from workbench.model.json_members import texts_in
from workbench.model.short_text import escaped

AUTHORIZED = "authorized"
STATIC = "static token"
_USABLE = (AUTHORIZED, STATIC)
_TASKS = {"optional": "may run as a task", "required": "runs as a task only"}


def missing_requirements(
    definition: Mapping[str, Any],
    secrets: Iterable[Mapping[str, Any]],
    accounts: Iterable[Mapping[str, Any]],
    caller_attributes: Collection[str],
) -> Iterator[str]:
    """Yield the missing requirements of a tool, each with the place where the user can meet it.

    The arguments are from `catalog/get`, `secrets/list` and `accounts/list`, and the names of attributes in calls.
    """
    is_set = {secret["key"] for secret in secrets if secret.get("is_set")}
    if missing := [key for key in texts_in(definition, "secrets") if key not in is_set]:
        yield f"needs {', '.join(missing)}: set it in Secrets (alt+4)"
    for account in accounts:
        if account["account"] == definition.get("account") and not is_usable(account):
            yield f"uses the account {account['account']}, {account['state']}: see Secrets (alt+4)"
    names = {name.lower() for name in caller_attributes}
    if missing := [key for key in texts_in(definition, "metadata_keys") if key.lower() not in names]:
        yield f"needs {', '.join(missing)} in _meta: f9"


def run_notes(definition: Mapping[str, Any]) -> str:
    """Return how a tool runs and is shown: "timeout 3 s · up to 2 retries · runs as a task only"."""
    return " · ".join(_run_notes(definition))


def _run_notes(definition: Mapping[str, Any]) -> Iterator[str]:
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
    if keys := texts_in(definition, "metadata_keys"):
        yield f"needs {', '.join(keys)} in _meta"
    if ui := definition.get("ui"):
        yield f"shown by {ui}"


def is_usable(account: Mapping[str, Any]) -> bool:
    return account["state"] in _USABLE


def account_status(account: Mapping[str, Any]) -> str:
    """Return "needs consent", "authorized as ada until 2030-05-17 20:00:00" and the like; safe to print."""
    if account["state"] != AUTHORIZED:
        return str(account["state"])
    who = f" as {escaped(account['as'])}" if account.get("as") else ""
    if not account.get("expires_at") or account.get("renews"):
        return f"authorized{who}"
    return f"authorized{who} until {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(account['expires_at']))}"


def scopes_text(account: Mapping[str, Any]) -> str:
    """Return a line about the scopes that the tools require; empty if they require none."""
    return f"Required scopes: {', '.join(account['wanted'])}.\n" if account["wanted"] else ""


def account_advice(account: Mapping[str, Any]) -> str:
    """Return the scopes and the renewal of an account, or what the user can do about it."""
    if problem := account.get("problem"):
        return str(problem)
    if account["state"] == STATIC:
        return "A static token is used, whatever its scopes; unset that secret to log out."
    if account["state"] == AUTHORIZED:
        renewal = (
            "It is renewed automatically."
            if account.get("renews")
            else "It is not renewed: you are asked again when it expires."
        )
        return f"Granted scopes: {', '.join(account['scopes']) or 'the default'}. {renewal}"
    device = ", or d on another device" if account.get("by_device") else ""
    return f"Press l to log in with a browser{device}. Until then, the caller of these tools is asked."


def parse_attributes(text: str) -> dict[str, str]:
    """Return the caller's attributes in a line like `team=beans region="far north"`; ValueError explains a problem."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{error}: write KEY=VALUE, in quotes if it has spaces.") from None
    return attributes_from(words)


def attributes_from(words: Iterable[str]) -> dict[str, str]:
    """Return the caller's attributes in words KEY=VALUE; ValueError for a word that is invalid or a reserved key."""
    attributes: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not (key and sign):
            raise ValueError(f"{word!r} has no value: write KEY=VALUE.")
        if "/" in key or key == "progressToken":
            raise ValueError(f"{key!r} is reserved by the protocol; tools do not receive it.")
        attributes[key] = value
    return attributes


def format_attributes(attributes: Mapping[str, str]) -> str:
    """Return attributes in the form that :func:`parse_attributes` reads."""
    return shlex.join(f"{key}={value}" for key, value in attributes.items())
