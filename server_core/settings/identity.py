"""Who a server is: what its code says, and the settings where that says nothing."""

from dataclasses import replace
from typing import TYPE_CHECKING

from server_core import app_identity
from server_core.settings.table import Settings

if TYPE_CHECKING:
    from server_core.catalog.identity import Identity


def identity_with(settings: Settings, said: "Identity") -> "Identity":
    """Return who a server is.

    What an app has by default counts as not said: nobody can tell it from that.

    Args:
        settings: of the project.
        said: by an `MCPApp`, else by the project.
    """
    named = said.name if said.is_of_app and said.name != app_identity.NAME else settings.server_name or said.name
    version = said.version if said.is_of_app and said.version != app_identity.VERSION else settings.server_version
    title = said.title if said.title not in (None, "", said.name) else settings.server_title or said.title
    if title == said.name:
        title = named
    return replace(
        said,
        name=named,
        version=version or said.version,
        title=title,
        instructions=said.instructions or settings.server_instructions or None,
    )
