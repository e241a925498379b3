"""Which adapters are asked about an exception of a tool, and in which order.

Those of the author, that of the service whose account the tool acts with, GraphQL, HTTP; of each type only the first.
What HTTP clients raise in a tool with an account is told with the name of that service.
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

OF_PROVIDERS: dict[str, Callable[[], ErrorAdapter]] = {
    "google": GoogleAdapter,
    "microsoft": MicrosoftAdapter,
    "microsoft-powerbi": PowerBiAdapter,
    "slack": SlackAdapter,
}
"""The service of an account -> the adapter for the library by which tools reach it; others are reached over HTTP."""


def adapters_for(tool: "Tool") -> tuple[ErrorAdapter, ...]:
    """Return the adapters that are asked about an exception of a tool, in this order.

    Args:
        tool: its own list of adapters stays as it is.
    """
    service = "" if tool.requires_auth is None else tool.requires_auth.provider_id or tool.requires_auth.id or ""
    own = OF_PROVIDERS.get(service)
    chain = [*tool.adapters, *([own()] if own is not None else []), GraphQLAdapter(), HttpAdapter(service or "_http")]
    first_of_each: dict[type[ErrorAdapter], ErrorAdapter] = {}
    for adapter in chain:
        first_of_each.setdefault(type(adapter), adapter)
    return tuple(first_of_each.values())
