"""The URIs of resources that belong to a toolkit: authors write a path, which is completed later.

`ui://Shop/1.0.0/cart.html` is the path `cart.html` in version 1.0.0 of the toolkit `shop`. The version is part of the
URI so that a client never displays a tool with a cached resource of an older version.
"""

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from server_core.catalog.declarations import ResourceDeclaration, declared_on

if TYPE_CHECKING:
    from server_core.catalog.naming import Toolkit

UI_SCHEME = "ui"
UI_TYPE = "text/html;profile=mcp-app"
"""The MIME type of pages that hosts show in a frame. Source: the MCP Apps extension (SEP-1865), UI resource format."""


def uri_of(declaration: ResourceDeclaration, toolkit: "Toolkit | None") -> str:
    """Return the URI of a resource, or the URI template.

    Args:
        declaration: the declaration of the resource.
        toolkit: the toolkit that it belongs to, unless it declares one; without a toolkit the URI is only the path.
    """
    if uri := declaration.options.get("uri"):
        return uri
    group = declaration.toolkit or toolkit
    names = [group.pascal_name, group.version] if group is not None and group.name else []
    parts = [part for part in (*names, *path_of(declaration).split("/")) if part]
    scheme = declaration.options.get("scheme", UI_SCHEME)
    return f"{scheme.rstrip(':/')}://{'/'.join(parts)}" if parts else ""


def path_of(declaration: ResourceDeclaration) -> str:
    """Return the path within the toolkit; defaults to the name of the file."""
    file = declaration.options.get("file")
    return declaration.options.get("path") or ("" if file is None else PurePath(file).name)


def shown_by(ui: Any) -> ResourceDeclaration | None:
    """Return the declaration of the resource that displays a tool; None when the author gave a URI or nothing.

    Args:
        ui: the argument of the tool's decorator: a function with `@resource`, a declaration, or a URI.
    """
    declared = declared_on(ui) if callable(ui) else ui
    return declared if isinstance(declared, ResourceDeclaration) else None
