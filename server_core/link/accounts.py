"""The accounts that the tools of a core act in, for terminals: how they stand, logging in, logging out.

Rule 1: no token leaves the core here.
Rule 2: logging in returns at once, with where the person has to go; what comes of it is an event.
Rule 3: they are the accounts of the one user of this machine, whom a terminal has to be of.
"""

from typing import TYPE_CHECKING, Any

from server_core.errors import ConfigurationError
from server_core.oauth.errors import AuthorizationFailed

if TYPE_CHECKING:
    from server_core.auth.broker.grants import Owner
    from server_core.auth.required_accounts import NeededAccount
    from server_core.core import Core


async def listed(core: "Core") -> list[dict[str, Any]]:
    """Return how the accounts stand that the tools need."""
    if not (needed := _needed(core)):
        return []
    from server_core.auth.account_status import describe_accounts

    return await describe_accounts(needed, core.broker, _owner(core))


async def log_in(core: "Core", name: str, *, by_device: bool) -> dict[str, Any]:
    """Begin to ask the person for all that the tools want of an account.

    Args:
        core: whose tools.
        name: of the account.
        by_device: ask on another device, where a code is typed in, instead of in a browser here.

    Returns:
        The address to go to, and the code to type in there, which is empty in a browser.

    Raises:
        ConfigurationError: when nobody can be asked; it says why.
    """
    requirement, broker, owner = _needed_account(core, name).requirement, core.broker, _owner(core)
    try:
        if not by_device:
            return {"url": (await broker.consent(requirement, owner)).url, "code": ""}
        consent = await broker.begin_device(requirement, owner)
    except AuthorizationFailed as error:
        raise ConfigurationError(str(error)) from error
    broker.follow_device(requirement, owner, consent)
    return {"url": consent.url, "code": consent.user_code}


async def log_out(core: "Core", name: str) -> dict[str, Any]:
    """Forget an account, and give its token back.

    Returns:
        Whether the service has taken it back.

    Raises:
        ConfigurationError: when there is nothing to forget, or the service cannot be asked.
    """
    requirement, broker, owner = _needed_account(core, name).requirement, core.broker, _owner(core)
    try:
        return {"given_back": await broker.forget(requirement, owner)}
    except AuthorizationFailed as error:
        raise ConfigurationError(f"It is forgotten here, but not given back: {error}") from error


def _needed(core: "Core") -> "dict[str, NeededAccount]":
    from server_core.auth.required_accounts import needed_accounts

    return {} if core.generation is None else needed_accounts(core.generation.catalog.tools.values())


def _needed_account(core: "Core", name: str) -> "NeededAccount":
    found = _needed(core).get(name)
    if found is None:
        raise ConfigurationError(f"No tool that is served needs the account {name!r}.")
    return found


def _owner(core: "Core") -> "Owner":
    from server_core.auth.broker.grants import Owner

    return Owner(core.settings.user_id)
