"""Which adapters are tried for an exception of a tool, and in which order.

First the author's adapters, then that of the service whose account the tool uses, then GraphQL and HTTP; of each type
only the first is used. Errors of HTTP clients in a tool with an account name that service.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from server_core.adapters.adapter import ErrorAdapter
from server_core.adapters.google import GoogleAdapter
from server_core.adapters.graphql import GraphQLAdapter
from server_core.adapters.http import HttpAdapter
from server_core.adapters.microsoft import MicrosoftAdapter, PowerBiAdapter
from server_core.adapters.slack import SlackAdapter

if TYPE_CHECKING:
    from server_core.catalog.definitions import Tool

PROVIDER_ADAPTERS: dict[str, Callable[[], ErrorAdapter]] = {
    "google": GoogleAdapter,
    "microsoft": MicrosoftAdapter,
    "microsoft-powerbi": PowerBiAdapter,
    "slack": SlackAdapter,
}
"""The service of an account -> the adapter for its client library; other services are used over plain HTTP."""


def adapters_for(tool: "Tool") -> tuple[ErrorAdapter, ...]:
    """Return the adapters to try for an exception of a tool, in order."""
    service = "" if tool.requires_auth is None else tool.requires_auth.provider_id or tool.requires_auth.id or ""
    own = PROVIDER_ADAPTERS.get(service)
    chain = [*tool.adapters, *([own()] if own is not None else []), GraphQLAdapter(), HttpAdapter(service or "_http")]
    first_of_each: dict[type[ErrorAdapter], ErrorAdapter] = {}
    for adapter in chain:
        first_of_each.setdefault(type(adapter), adapter)
    return tuple(first_of_each.values())
