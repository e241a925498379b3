"""Read a resource: call its author's function and convert the result to resource contents."""

from typing import Any

from server_core.catalog.building.result_checks import refuse_unfinished
from server_core.catalog.catalog import Catalog
from server_core.catalog.content import contents_of
from server_core.execution.context.context import Context
from server_core.execution.invocation import invoke


async def read_resource(catalog: Catalog, uri: str, context: Context | None) -> list[dict[str, Any]]:
    """Return the contents of a resource.

    Args:
        catalog: the catalog that has the resource.
        uri: the URI of the resource.
        context: the context that the author's function gets.

    Raises:
        ResourceNotFound: when no resource has this URI.

    Source: server/resources, reading resources.
    """
    offered, parts = catalog.find_resource(uri)
    if offered.uri_parameter is not None:
        parts = {offered.uri_parameter: uri, **parts}
    value = await invoke(offered.read, offered.bind(parts), context)
    refuse_unfinished(value, "The resource cannot be sent")
    return contents_of(value, uri, offered.mime_type, offered.meta)
