"""Turn the arguments of a decorator into a declaration; used by the decorators, by apps and by their offers.

The arguments are checked later.
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

from server_core.catalog.declarations import (
    Declaration,
    PromptDeclaration,
    ResourceDeclaration,
    ToolDeclaration,
    local_names,
)

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]
Declarer: TypeAlias = Callable[[Callable[..., Any]], Declaration]


def tool_declarer(
    *,
    name: str | None = None,
    title: str | None = None,
    desc: str | None = None,
    description: str | None = None,
    requires_secrets: Sequence[str] = (),
    annotations: Json | None = None,
    meta: Json | None = None,
    icons: Sequence[Json] | None = None,
    timeout: float | None = None,
    adapters: Sequence["ErrorAdapter"] = (),
    input_schema: Json | None = None,
    output_schema: Json | None = None,
    execution: Json | None = None,
    requires_auth: "AuthRequirement | None" = None,
    requires_metadata: Sequence[str] = (),
    metadata: "ToolMetadata | None" = None,
    ui: Any = None,
    retries: int = 0,
    examples: Sequence[Json] = (),
    **unknown: Any,
) -> Declarer:
    """Return a function that declares a tool; the arguments are those of :data:`server_core.tool`.

    Unknown arguments are recorded and reported with the other problems: an exception here would keep the whole file
    from being loaded.
    """
    options = given(
        name=name,
        title=title,
        description=description if desc is None else desc,
        annotations=annotations,
        meta=meta,
        icons=icons,
    )
    return lambda function: ToolDeclaration(
        function,
        options,
        local_names(),
        requires_secrets,
        timeout,
        adapters,
        input_schema,
        output_schema,
        execution,
        requires_auth,
        requires_metadata,
        metadata,
        ui,
        retries,
        examples,
        unknown=tuple(unknown),
    )


def resource_declarer(
    uri: str = "",
    *,
    path: str = "",
    file: str | PathLike[str] | None = None,
    scheme: str = "ui",
    name: str | None = None,
    title: str | None = None,
    desc: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    annotations: Json | None = None,
    meta: Json | None = None,
    icons: Sequence[Json] | None = None,
    size: int | None = None,
    completions: Mapping[str, Callable[..., Any]] | None = None,
    watch: Sequence[str | PathLike[str]] = (),
    **unknown: Any,
) -> Declarer:
    """Return a function that declares a resource; the arguments are those of :func:`server_core.resource`."""
    options = given(
        name=name,
        title=title,
        description=description if desc is None else desc,
        mime_type=mime_type,
        annotations=annotations,
        meta=meta,
        icons=icons,
        size=size,
    )
    return lambda function: ResourceDeclaration(
        function, options, local_names(), uri, completions or {}, watch, path, file, scheme, unknown=tuple(unknown)
    )


def prompt_declarer(
    *,
    name: str | None = None,
    title: str | None = None,
    desc: str | None = None,
    description: str | None = None,
    meta: Json | None = None,
    icons: Sequence[Json] | None = None,
    completions: Mapping[str, Callable[..., Any]] | None = None,
    arguments: Sequence[Json] | None = None,
    **unknown: Any,
) -> Declarer:
    """Return a function that declares a prompt; the arguments are those of :func:`server_core.prompt`."""
    description = description if desc is None else desc
    options = given(name=name, title=title, description=description, meta=meta, icons=icons)
    return lambda function: PromptDeclaration(
        function, options, local_names(), completions or {}, arguments, tuple(unknown)
    )


def given(**options: Any) -> Json:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}
