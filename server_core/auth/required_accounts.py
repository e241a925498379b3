"""The accounts that the tools of a project need, each with all that its tools want to do there."""

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
    """One account.

    Attributes:
        requirement: all that the tools want.
        tools: their names.
    """

    requirement: AuthRequirement
    tools: tuple[str, ...] = ()


def needed_accounts(tools: "Iterable[Tool]") -> dict[str, NeededAccount]:
    """Return the accounts that tools need, by their names, in the order of the names."""
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
    """Return what stands for an account by its name: `github`, `github.work`, or a service of the author's own.

    Raises:
        ToolDefinitionError: when that can be no name.
    """
    service, _, id = account.partition(".")
    if service in PROVIDERS:
        return AuthRequirement(service, id or None, tuple(scopes))
    return AuthRequirement("", account, tuple(scopes))
