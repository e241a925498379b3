"""The accounts that the tools of a project require, each with the scopes of all its tools, and their status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from server_core.auth.providers import PROVIDERS
from server_core.auth.requirement import AuthRequirement
from server_core.errors import ConfigurationError
from server_core.oauth.scopes import join_scopes

if TYPE_CHECKING:
    from server_core.auth.broker.account_grants import Owner
    from server_core.auth.broker.broker import Broker
    from server_core.catalog.definitions import Tool

LONGEST_NAME = 100
_NAMES = ("email", "login", "username", "name", "user", "displayName", "sub", "id")


@dataclass(frozen=True, slots=True)
class RequiredAccount:
    """An account, and the tools that require it."""

    requirement: AuthRequirement  # With the scopes of all tools.
    tools: tuple[str, ...] = ()


def required_accounts(tools: "Iterable[Tool]") -> dict[str, RequiredAccount]:
    """Return the accounts that tools require, sorted by name."""
    accounts: dict[str, RequiredAccount] = {}
    for tool in tools:
        if (requirement := tool.requires_auth) is None:
            continue
        account = accounts.get(requirement.account, RequiredAccount(requirement))
        scopes = join_scopes(account.requirement.scopes, requirement.scopes)
        joined = AuthRequirement(requirement.provider_id, requirement.id, scopes)
        accounts[requirement.account] = RequiredAccount(joined, (*account.tools, tool.name))
    return dict(sorted(accounts.items()))


def requirement_of(account: str, scopes: Iterable[str] = ()) -> AuthRequirement:
    """Return the requirement for an account by its name: `github`, `github.work`, or a service of the project."""
    service, _, registration = account.partition(".")
    if service in PROVIDERS:
        return AuthRequirement(service, registration or None, tuple(scopes))
    return AuthRequirement("", account, tuple(scopes))


async def describe_accounts(
    accounts: Mapping[str, RequiredAccount], broker: "Broker", owner: "Owner"
) -> list[dict[str, Any]]:
    """Return the status of each account as JSON without tokens, with its problem if it cannot be used yet."""
    return [await _describe(name, account, broker, owner) for name, account in accounts.items()]


def user_name(user_info: Mapping[str, Any]) -> str:
    """Return the name of the user in what a service returns about them; empty if it has none."""
    names = (user_info.get(key) for key in _NAMES)
    return next((name[:LONGEST_NAME] for name in names if isinstance(name, str) and name), "")


async def _describe(name: str, account: RequiredAccount, broker: "Broker", owner: "Owner") -> dict[str, Any]:
    # Here, because it imports the broker: most servers have no accounts to describe.
    from server_core.auth.broker.registrations import NoClient

    facts: dict[str, Any] = {
        "account": name,
        "tools": list(account.tools),
        "wanted": list(account.requirement.scopes),
    }
    try:
        status = await broker.status(account.requirement, owner)
    except ConfigurationError as error:
        return {**facts, "state": "not configured", "problem": str(error)}
    facts |= {
        "state": status.state,
        "service": status.registration.provider.name,
        "as": user_name(status.user_info) or None,
        "scopes": list(status.scopes),
        "expires_at": status.expires_at or None,
        "renews": status.can_refresh,
        "redirect_uri": status.registration.redirect_uri,
        "by_device": bool(status.registration.provider.device_url),
    }
    return facts | ({"problem": str(NoClient(status.registration))} if status.state == "no client" else {})
