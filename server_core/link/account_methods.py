"""The accounts that the tools of a core use, for terminals: their status, logging in, logging out.

Rule 1: no token is sent to a terminal.
Rule 2: logging in returns at once, with the URL for the person; its outcome is reported as an event.
Rule 3: the accounts are those of the user who runs the core; terminals run as the same user.
"""

from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed

if TYPE_CHECKING:
    from server_core.auth.broker.account_grants import Owner
    from server_core.auth.required_accounts import RequiredAccount
    from server_core.core import Core


async def list_accounts(core: "Core") -> list[dict[str, Any]]:
    if not (needed := _needed(core)):
        return []
    from server_core.auth.required_accounts import describe_accounts

    return await describe_accounts(needed, core.broker, _owner(core))


async def log_in(core: "Core", name: str, *, by_device: bool) -> dict[str, Any]:
    """Start a login with all the scopes that tools need; return the URL, and on other devices the code to enter."""
    requirement, broker, owner = _needed_account(core, name).requirement, core.broker, _owner(core)
    try:
        if not by_device:
            return {"url": (await broker.consent(requirement, owner)).url, "code": ""}
        consent = await broker.begin_device(requirement, owner)
    except AuthorizationFailed as error:
        raise ConfigurationError(str(error)) from error
    broker.finish_device_in_background(requirement, owner, consent)
    return {"url": consent.url, "code": consent.user_code}


async def log_out(core: "Core", name: str) -> dict[str, Any]:
    """Delete the token of an account; return whether the service has revoked it."""
    requirement, broker, owner = _needed_account(core, name).requirement, core.broker, _owner(core)
    try:
        return {"given_back": await broker.forget(requirement, owner)}
    except AuthorizationFailed as error:
        raise ConfigurationError(f"The account was deleted here, but its token was not revoked: {error}") from error


def _needed(core: "Core") -> "dict[str, RequiredAccount]":
    from server_core.auth.required_accounts import required_accounts

    return {} if core.generation is None else required_accounts(core.generation.catalog.tools.values())


def _needed_account(core: "Core", name: str) -> "RequiredAccount":
    account = _needed(core).get(name)
    if account is None:
        raise ConfigurationError(f"No served tool needs the account {name!r}.")
    return account


def _owner(core: "Core") -> "Owner":
    from server_core.auth.broker.account_grants import Owner

    return Owner(core.settings.user_id)
