"""The options of `@tool`, `@resource` and `@prompt`: each is declared here, for every function that accepts it."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]


class NameOptions(TypedDict, total=False):
    """The options that some functions accept as parameters."""

    name: str | None
    """Its name for clients; defaults to the name of the function."""
    desc: str | None
    """What it is or does; defaults to the docstring."""


class CommonOptions(TypedDict, total=False):
    """The options of every decorator besides those."""

    title: str | None
    """Its display name."""
    description: str | None
    """A synonym of `desc`."""
    meta: Json | None
    """Its `_meta`."""
    icons: Sequence[Json] | None
    """Its icons, as on the wire."""


class MoreToolOptions(CommonOptions, total=False):
    """The options of `@tool` besides the name and `desc`."""

    requires_secrets: Sequence[str]
    """The keys of the secrets that it reads with `context.get_secret`."""
    annotations: Json | None
    """Hints for clients, as on the wire (`readOnlyHint`, ...)."""
    timeout: float | None
    """The seconds after which a call is cancelled."""
    adapters: Sequence["ErrorAdapter"]
    """Turn exceptions of other libraries into ours; tried in order before the built-in ones."""
    input_schema: Json | None
    """JSON Schema of the arguments, sent to clients unchanged; the parameters then need no types, and get the values as
    received. `**arguments` receives them all."""
    output_schema: Json | None
    """JSON Schema of the result, sent to clients unchanged; every return value is validated against it."""
    execution: Json | None
    """`{"taskSupport": "optional"}` allows clients to run it as a task, `"required"` makes them."""
    requires_auth: "AuthRequirement | None"
    """The account with a service that it acts with, like `GitHub(scopes=["repo"])`."""
    requires_metadata: Sequence[str]
    """The keys of the caller's metadata that it reads with `context.get_metadata`."""
    metadata: "ToolMetadata | None"
    """Its classification and behavior."""
    ui: Any
    """The resource that displays it, or the URI of that resource."""
    retries: int
    """How often a failed call is retried, if the error is retryable."""
    examples: Sequence[Json]
    """Arguments of example calls."""


class ToolOptions(NameOptions, MoreToolOptions, total=False):
    """The options of `@tool`."""


class UriResourceOptions(NameOptions, CommonOptions, total=False):
    """The options of a resource with a URI."""

    mime_type: str | None
    """The MIME type of the contents."""
    annotations: Json | None
    """Who it is for and how important it is, as on the wire."""
    size: int | None
    """The size of the raw content in bytes; not for templates."""
    completions: Mapping[str, Callable[..., Any]] | None
    """Part of the URI -> a function that proposes values for it."""
    watch: Sequence[str | PathLike[str]]
    """Files, possibly with wildcards in the last part of the path: when they change, the contents have changed, and
    clients are notified. Relative paths are relative to the file that declares the resource."""


class ResourceOptions(UriResourceOptions, total=False):
    """The options of `@resource` besides the URI."""

    path: str
    """Its path in the toolkit: its URI is `ui://Toolkit/version/path`."""
    file: str | PathLike[str] | None
    """The file to read, instead of calling the function, which then only describes the resource; relative to the file
    that declares it. The default of `path` is the name of this file."""
    scheme: str
    """The scheme of that URI; `ui`, which is the default, for a resource that displays a tool."""


class AllResourceOptions(ResourceOptions, total=False):
    """The options of `@resource`."""

    uri: str
    """Its URI, or its URI template."""


class PromptOptions(NameOptions, CommonOptions, total=False):
    """The options of `@prompt`."""

    completions: Mapping[str, Callable[..., Any]] | None
    """Argument -> a function that proposes values for it."""
    arguments: Sequence[Json] | None
    """The list of arguments, as on the wire, if the function receives them all as a dict."""


DESCRIPTIVE = frozenset({"name", "title", "description", "mime_type", "annotations", "meta", "icons", "size"})
"""The options that clients get unchanged. None is the same as not given for these; for others it overrides a value."""


def read_options(arguments: Mapping[str, Any], kind: type) -> tuple[Any, tuple[str, ...]]:
    """Return the options that a function was called with, unchecked and without `desc`, and the unknown names."""
    known = kind.__annotations__
    if arguments.get("desc") is not None:
        arguments = {**arguments, "description": arguments["desc"]}
    options = {
        name: value
        for name, value in arguments.items()
        if name in known and name != "desc" and not (value is None and name in DESCRIPTIVE)
    }
    return options, tuple(name for name in arguments if name not in known)
