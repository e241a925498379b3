"""Who a server is: what its code says, and the settings where that says nothing.

Rule: what an app has by default counts as not said: nobody can tell it from that.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from server_core.catalog import app_identity
from server_core.settings.table import Settings

if TYPE_CHECKING:
    from server_core.catalog.identity import Identity


def identity_settings(said: "Identity") -> dict[str, str]:
    """Return what an app says of itself, whatever the settings say: name of a setting -> its value.

    Args:
        said: by an `MCPApp`, else by the project, which says nothing of the kind.
    """
    if not said.is_of_app:
        return {}
    facts = {
        "server_name": "" if said.name == app_identity.NAME else said.name,
        "server_version": "" if said.version == app_identity.VERSION else said.version,
        "server_title": "" if said.title == said.name else said.title,
        "server_instructions": said.instructions,
    }
    return {name: fact for name, fact in facts.items() if fact}


def identity_with(settings: Settings, said: "Identity") -> "Identity":
    """Return who a server is.

    Args:
        settings: of the project.
        said: by an `MCPApp`, else by the project.
    """
    in_code = identity_settings(said)
    name = in_code.get("server_name") or settings.server_name or said.name
    title = in_code.get("server_title") or settings.server_title or said.title
    return replace(
        said,
        name=name,
        version=in_code.get("server_version") or settings.server_version or said.version,
        title=name if title == said.name else title,
        instructions=said.instructions or settings.server_instructions or None,
    )
