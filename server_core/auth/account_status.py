"""The status of accounts as JSON values, for the command line and the screen. It contains no tokens."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from server_core.auth.broker.broker import NoClient
from server_core.errors import ConfigurationError

if TYPE_CHECKING:
    from server_core.auth.broker.broker import Broker
    from server_core.auth.broker.grants import Owner
    from server_core.auth.required_accounts import NeededAccount

LONGEST_NAME = 100
_NAMES = ("email", "login", "username", "name", "user", "displayName", "sub", "id")


async def describe_accounts(
    needed: "Mapping[str, NeededAccount]", broker: "Broker", owner: "Owner"
) -> list[dict[str, Any]]:
    """Return the status of each account, with the problem of each that cannot be used yet.

    Args:
        needed: the accounts, by their names.
        broker: has the registrations and grants.
        owner: the user.
    """
    return [await _described(name, entry, broker, owner) for name, entry in needed.items()]


def person_of(user_info: Mapping[str, Any]) -> str:
    """Return the name of the user in `user_info`, or "" if it has none."""
    named = (user_info.get(key) for key in _NAMES)
    return next((name[:LONGEST_NAME] for name in named if isinstance(name, str) and name), "")


async def _described(name: str, needed: "NeededAccount", broker: "Broker", owner: "Owner") -> dict[str, Any]:
    facts: dict[str, Any] = {
        "account": name,
        "tools": list(needed.tools),
        "wanted": list(needed.requirement.scopes),
    }
    try:
        account = await broker.account(needed.requirement, owner)
    except ConfigurationError as error:
        return {**facts, "state": "not configured", "problem": str(error)}
    facts |= {
        "state": account.state,
        "service": account.registration.provider.name,
        "as": person_of(account.user_info) or None,
        "scopes": list(account.scopes),
        "expires_at": account.expires_at or None,
        "renews": account.can_refresh,
        "redirect_uri": account.registration.redirect_uri,
        "by_device": bool(account.registration.provider.device_url),
    }
    return facts | ({"problem": str(NoClient(account.registration))} if account.state == "no client" else {})
