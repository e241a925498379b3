"""The identity of a server: set by its code, else by the settings.

Rule: a default value of an app counts as not set, because the two cannot be distinguished.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from server_core.catalog import app_identity
from server_core.settings.table import Settings

if TYPE_CHECKING:
    from server_core.catalog.identity import Identity


def identity_settings(identity: "Identity") -> dict[str, str]:
    """Return the settings that an app overrides: name of a setting -> its value; a project overrides none."""
    if not identity.is_of_app:
        return {}
    values = {
        "server_name": "" if identity.name == app_identity.NAME else identity.name,
        "server_version": "" if identity.version == app_identity.VERSION else identity.version,
        "server_title": "" if identity.title == identity.name else identity.title,
        "server_instructions": identity.instructions,
    }
    return {name: value for name, value in values.items() if value}


def identity_with(settings: Settings, identity: "Identity") -> "Identity":
    """Return the identity of a server, from that of its `MCPApp`, else of its project, and the settings."""
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
