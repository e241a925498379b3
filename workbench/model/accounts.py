"""Texts for users about the accounts that tools act in: one row of `accounts/list` as text."""

import time
from collections.abc import Mapping
from typing import Any

from workbench.model.short_text import escaped

AUTHORIZED = "authorized"
STATIC = "static token"
_USABLE = (AUTHORIZED, STATIC)


def is_usable(account: Mapping[str, Any]) -> bool:
    """Return whether tools can use the account now."""
    return account["state"] in _USABLE


def account_status(account: Mapping[str, Any]) -> str:
    """Return its status: "needs consent", "authorized as ada until 2030-05-17 20:00:00"; safe to print."""
    if account["state"] != AUTHORIZED:
        return str(account["state"])
    who = f" as {escaped(account['as'])}" if account.get("as") else ""
    if not account.get("expires_at") or account.get("renews"):
        return f"authorized{who}"
    return f"authorized{who} until {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(account['expires_at']))}"


def wants(account: Mapping[str, Any]) -> str:
    """Return a line about the scopes that the tools require; empty if they require none."""
    return f"Required scopes: {', '.join(account['wanted'])}.\n" if account["wanted"] else ""


def advice(account: Mapping[str, Any]) -> str:
    """Return the current state, or what the user can do about it."""
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
