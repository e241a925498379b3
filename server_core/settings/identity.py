"""Who a server is: what its code says, and the settings where that says nothing.

Rule: what an app has by default counts as not said: nobody can tell it from that.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from server_core.catalog import app_identity
from server_core.settings.table import Settings

if TYPE_CHECKING:
    from server_core.catalog.identity import Identity


def identity_settings(identity: "Identity") -> dict[str, str]:
    """Return what an app says of itself, whatever the settings say: name of a setting -> its value.

    Args:
        said: by an `MCPApp`, else by the project, which says nothing of the kind.
    """
    if not identity.is_of_app:
        return {}
    facts = {
        "server_name": "" if identity.name == app_identity.NAME else identity.name,
        "server_version": "" if identity.version == app_identity.VERSION else identity.version,
        "server_title": "" if identity.title == identity.name else identity.title,
        "server_instructions": identity.instructions,
    }
    return {name: fact for name, fact in facts.items() if fact}


def identity_with(settings: Settings, identity: "Identity") -> "Identity":
    """Return who a server is.

    Args:
        settings: of the project.
        said: by an `MCPApp`, else by the project.
    """
    in_code = identity_settings(identity)
    name = in_code.get("server_name") or settings.server_name or identity.name
    title = in_code.get("server_title") or settings.server_title or identity.title
    return replace(
        identity,
        name=name,
        version=in_code.get("server_version") or settings.server_version or identity.version,
        title=name if title == identity.name else title,
        instructions=identity.instructions or settings.server_instructions or None,
    )
