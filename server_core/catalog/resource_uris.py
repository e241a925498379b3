"""The addresses of resources that belong to a toolkit: their authors write a path, and the rest is known later.

`ui://Shop/1.0.0/cart.html` is the path `cart.html` in version 1.0.0 of the toolkit `shop`: another version is another
resource, so that a client never shows a tool by what belongs to an older one.
"""

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from server_core.catalog.declarations import ResourceDeclaration, declared_on

if TYPE_CHECKING:
    from server_core.catalog.naming import Toolkit

UI_SCHEME = "ui"
UI_TYPE = "text/html;profile=mcp-app"
"""What hosts show in a frame. Source: the MCP Apps extension (SEP-1865), UI resource format."""


def address_of(declaration: ResourceDeclaration, toolkit: "Toolkit | None") -> str:
    """Return the address of a resource, or the template of addresses.

    Args:
        declaration: what the decorator was told.
        toolkit: the group that it belongs to, unless it says so itself; without one only the path tells it from others.
    """
    if declaration.uri:
        return declaration.uri
    group = declaration.toolkit or toolkit
    names = [group.pascal_name, group.version] if group is not None and group.name else []
    parts = [part for part in (*names, *path_of(declaration).split("/")) if part]
    return f"{declaration.scheme.rstrip(':/')}://{'/'.join(parts)}" if parts else ""


def path_of(declaration: ResourceDeclaration) -> str:
    """Return the path within the toolkit: the name of the file when there is no other."""
    return declaration.path or ("" if declaration.file is None else PurePath(declaration.file).name)


def shown_by(ui: Any) -> ResourceDeclaration | None:
    """Return the resource that shows a tool to people, where its author handed that in and not an address.

    Args:
        ui: what the tool's decorator was told: a function that `@resource` declared, or what declares one.
    """
    declared = declared_on(ui) if callable(ui) else ui
    return declared if isinstance(declared, ResourceDeclaration) else None
