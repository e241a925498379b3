"""The accounts that the tools of a project need, each with the scopes of all its tools."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from server_core.auth.providers import PROVIDERS
from server_core.auth.requirement import AuthRequirement
from server_core.oauth.challenge import unite

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool


@dataclass(frozen=True, slots=True)
class NeededAccount:
    """An account, and the tools that need it.

    Attributes:
        requirement: the account with the scopes of all its tools.
        tools: the names of the tools.
    """

    requirement: AuthRequirement
    tools: tuple[str, ...] = ()


def needed_accounts(tools: "Iterable[Tool]") -> dict[str, NeededAccount]:
    """Return the accounts that tools need, sorted by name."""
    accounts: dict[str, NeededAccount] = {}
    for tool in tools:
        if (requirement := tool.requires_auth) is None:
            continue
        account = accounts.get(requirement.account, NeededAccount(requirement))
        scopes = unite(account.requirement.scopes, requirement.scopes)
        united = AuthRequirement(requirement.provider_id, requirement.id, scopes)
        accounts[requirement.account] = NeededAccount(united, (*account.tools, tool.name))
    return dict(sorted(accounts.items()))


def requirement_of(account: str, scopes: Iterable[str] = ()) -> AuthRequirement:
    """Return the requirement for an account by its name: `github`, `github.work`, or a service of the project.

    Raises:
        ToolDefinitionError: the name is invalid.
    """
    service, _, id = account.partition(".")
    if service in PROVIDERS:
        return AuthRequirement(service, id or None, tuple(scopes))
    return AuthRequirement("", account, tuple(scopes))
