"""Tools, resources, templates and prompts as the server stores them: immutable, ready to be listed and run.

Nothing is computed from signatures here, and nothing heavy is imported: the builder of a definition passes in the
functions that convert arguments and results.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from server_core.catalog.catalog_entry import PROMPT_MEMBERS, RESOURCE_MEMBERS, TOOL_MEMBERS, CatalogEntry, Reviser
from server_core.protocol.header_parameters import header_parameters
from server_core.protocol.headers import HeaderParameters
from server_core.protocol.uri_templates import UriTemplate

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.catalog.toolkit import Toolkit
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[..., Any]
Completions: TypeAlias = Mapping[str, "Completion"]
TaskSupport: TypeAlias = Literal["forbidden", "optional", "required"]


@dataclass(frozen=True)
class Source:
    """The position of a definition in the author's code."""

    file: str
    line: int  # the line of the `def`, from 1


@dataclass(frozen=True)
class Callback:
    """An author's function, and how to call it."""

    function: Handler
    is_async: bool  # whether it is awaited; otherwise it runs on a thread
    context_parameter: str | None = None  # the parameter for the context of the call


@dataclass(frozen=True)
class Completion:
    """The function that proposes values for an argument of a prompt or template."""

    callback: Callback
    value_parameter: str  # the parameter for the text typed so far
    known_parameter: str | None = None  # the parameter for the arguments that are known already


@dataclass(frozen=True, eq=False)
class Tool(CatalogEntry):
    """A tool."""

    members: ClassVar[Mapping[str, Reviser]] = TOOL_MEMBERS
    name: str
    function: Handler
    is_async: bool
    input_schema: Json  # JSON Schema 2020-12 of the arguments; its root is an object
    # Turns the received arguments into keyword arguments of the function. Raises ToolInputError when they are invalid;
    # its message lists `field: what is wrong`, without values.
    bind: Callable[[Json], Json]
    # Turns the return value of the function into a CallToolResult, with `structuredContent` where it is structured.
    # Raises ToolOutputError when the value does not match the declared type, or cannot be represented in JSON.
    dump: Callable[[Any], Json]
    output_schema: Json | None = None  # JSON Schema 2020-12 of `structuredContent`, for tools with structured results
    title: str | None = None
    description: str | None = None
    annotations: Json | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    source: Source | None = None
    secrets: tuple[str, ...] = ()  # the keys of declared secrets
    context_parameter: str | None = None
    timeout: float | None = None  # seconds after which a call is cancelled; None for no limit
    # Turn exceptions of other libraries into ours; tried in order before the built-in ones.
    adapters: tuple["ErrorAdapter", ...] = ()
    task_support: TaskSupport = "forbidden"  # whether clients may, must or cannot run it as a task
    requires_auth: "AuthRequirement | None" = None  # the account with a service that it acts with
    requires_metadata: tuple[str, ...] = ()  # the keys of declared metadata of callers
    metadata: "ToolMetadata | None" = None
    ui: str | None = None  # the URI of the resource that displays it
    retries: int = 0  # how often a failed call is retried, if the error is retryable
    examples: tuple[Json, ...] = ()  # arguments of example calls
    deprecation: str | None = None  # why it should no longer be used; None if it is not deprecated
    toolkit: "Toolkit | None" = None  # None for a tool with a plain name
    qualified_name: str = ""  # with the name of its toolkit; empty for a tool with a plain name
    short_name: str = ""  # within its toolkit; empty for a tool with a plain name

    @cached_property
    def has_requirements(self) -> bool:
        return bool(self.secrets or self.requires_metadata or self.requires_auth is not None)

    @cached_property
    def callback(self) -> Callback:
        return Callback(self.function, self.is_async, self.context_parameter)

    @cached_property
    def definition(self) -> Json:
        """The entry of `tools/list`, without unset members."""
        return {
            "name": self.name,
            **_without_none(title=self.title, description=self.description),
            "inputSchema": self.input_schema,
            **_without_none(
                outputSchema=self.output_schema,
                annotations=self.annotations,
                icons=_icon_list(self.icons),
                execution=None if self.task_support == "forbidden" else {"taskSupport": self.task_support},
                _meta=self.meta,
            ),
        }

    @cached_property
    def header_parameters(self) -> HeaderParameters:
        """The HTTP headers that repeat arguments -> the paths of those arguments."""
        return header_parameters(self.input_schema)[0]


@dataclass(frozen=True, eq=False)
class ResourceDefinition(CatalogEntry):
    """A resource with a fixed URI."""

    members: ClassVar[Mapping[str, Reviser]] = RESOURCE_MEMBERS
    uri: str
    name: str
    read: Callback
    bind: Callable[[Json], Json] = dict  # turns the URI into the keyword arguments of a function that accepts it
    uri_parameter: str | None = None  # the parameter for the URI that is read
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None  # the MIME type of contents without a type
    annotations: Json | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    size: int | None = None  # the size of the raw content in bytes, if known
    source: Source | None = None
    watch: tuple[str, ...] = ()  # the files whose changes mean new contents: absolute paths, possibly with wildcards

    @cached_property
    def definition(self) -> Json:
        return {"uri": self.uri, "name": self.name, **_without_none(size=self.size), **_resource_members(self)}


@dataclass(frozen=True, eq=False)
class ResourceTemplateDefinition(CatalogEntry):
    """A family of resources whose URIs differ in named parts."""

    members: ClassVar[Mapping[str, Reviser]] = RESOURCE_MEMBERS
    uri_template: str  # `{part}` matches one path segment, `{part*}` several
    name: str
    read: Callback
    bind: Callable[[Json], Json] = dict  # turns the parts and the URI into keyword arguments of the function
    uri_parameter: str | None = None
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Json | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    source: Source | None = None
    completions: Completions = field(default_factory=dict)  # part -> the completion for it
    watch: tuple[str, ...] = ()

    @cached_property
    def definition(self) -> Json:
        return {"uriTemplate": self.uri_template, "name": self.name, **_resource_members(self)}

    @cached_property
    def template(self) -> UriTemplate:
        return UriTemplate(self.uri_template)

    def match(self, uri: str) -> dict[str, str] | None:
        return self.template.match(uri)


@dataclass(frozen=True)
class PromptArgumentDefinition:
    """An argument of a prompt; on the wire it is always a string."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool = False

    @property
    def definition(self) -> Json:
        return {
            "name": self.name,
            **_without_none(title=self.title, description=self.description),
            "required": self.required,
        }


@dataclass(frozen=True, eq=False)
class PromptDefinition(CatalogEntry):
    """A prompt."""

    members: ClassVar[Mapping[str, Reviser]] = PROMPT_MEMBERS
    name: str
    render: Callback
    arguments: tuple[PromptArgumentDefinition, ...] = ()
    bind: Callable[[Json], Json] = dict  # turns strings into keyword arguments of the function
    title: str | None = None
    description: str | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    source: Source | None = None
    completions: Completions = field(default_factory=dict)  # argument -> the completion for it

    @cached_property
    def definition(self) -> Json:
        return {
            "name": self.name,
            **_without_none(title=self.title, description=self.description),
            "arguments": [argument.definition for argument in self.arguments],
            **_without_none(icons=_icon_list(self.icons), _meta=self.meta),
        }


def _without_none(**members: Any) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def _icon_list(icons: Sequence[Json] | None) -> list[Json] | None:
    return list(icons) if icons else None


def _resource_members(resource: ResourceDefinition | ResourceTemplateDefinition) -> Json:
    return _without_none(
        title=resource.title,
        description=resource.description,
        mimeType=resource.mime_type,
        annotations=resource.annotations,
        icons=_icon_list(resource.icons),
        _meta=resource.meta,
    )
