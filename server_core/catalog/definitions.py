"""Tools, resources, templates and prompts as the server stores them: immutable, ready to be listed and run.

Nothing is computed from signatures here, and nothing heavy is imported: the builder of a definition passes in the
functions that convert arguments and results.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from server_core.catalog.offered import PROMPT_MEMBERS, RESOURCE_MEMBERS, TOOL_MEMBERS, Offered, Reviser
from server_core.protocol.header_parameters import header_parameters
from server_core.protocol.headers import HeaderParameters
from server_core.protocol.uri_templates import UriTemplate

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.catalog.naming import Toolkit
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[..., Any]
Completions: TypeAlias = Mapping[str, "Completion"]
TaskSupport: TypeAlias = Literal["forbidden", "optional", "required"]


@dataclass(frozen=True)
class Source:
    """The position of a definition in the author's code.

    Attributes:
        file: the path of the file.
        line: the line of the `def`, from 1.
    """

    file: str
    line: int


@dataclass(frozen=True)
class Callback:
    """An author's function, and how to call it.

    Attributes:
        function: the function itself.
        is_async: it is awaited; otherwise it runs on a thread.
        context_parameter: the parameter for the call's context, if there is one.
    """

    function: Handler
    is_async: bool
    context_parameter: str | None = None


@dataclass(frozen=True)
class Completion:
    """The function that proposes values for an argument of a prompt or template.

    Attributes:
        callback: the author's function; returns the proposals.
        value_parameter: the parameter for the text typed so far.
        known_parameter: the parameter for the arguments that are known already, if there is one.
    """

    callback: Callback
    value_parameter: str
    known_parameter: str | None = None


@dataclass(frozen=True, eq=False)
class Tool(Offered):
    """A tool.

    Attributes:
        name: its name on the wire.
        function: the author's function.
        is_async: it is awaited; otherwise it runs on a thread.
        input_schema: JSON Schema 2020-12 of the arguments; its root is an object.
        bind: turns received arguments into keyword arguments of the function. Raises ToolInputError when they are
            invalid; its message lists `field: what is wrong`, without values.
        dump: turns the return value of the function into a CallToolResult: `content`, and `structuredContent` where
            the result is structured. Raises ToolOutputError when the value does not match the declared type, or cannot
            be represented in JSON.
        output_schema: JSON Schema 2020-12 of `structuredContent`, for tools with structured results.
        context_parameter: the parameter for the call's context, if there is one.
        secrets: the keys of the secrets that the tool declares.
        timeout: seconds after which a call is cancelled; None for no limit.
        adapters: turn exceptions of other libraries into ours; tried in order before the built-in ones.
        task_support: whether clients may, must or cannot run it as a task.
        requires_auth: the account with a service that the tool acts with, if any.
        requires_metadata: the keys of the caller's metadata that the tool declares.
        metadata: its classification and behavior.
        ui: the URI of the resource that displays it.
        retries: how often a failed call is retried, if the error is retryable.
        examples: arguments of example calls.
        deprecation: why it should no longer be used; None if it is not deprecated.
        toolkit: the toolkit that it belongs to; None for a tool with a plain name.
        qualified_name: its name, prefixed with that of its toolkit; empty for a tool with a plain name.
        short_name: its name within its toolkit; empty for a tool with a plain name.
    """

    members: ClassVar[Mapping[str, Reviser]] = TOOL_MEMBERS
    name: str
    function: Handler
    is_async: bool
    input_schema: Json
    bind: Callable[[Json], Json]
    dump: Callable[[Any], Json]
    output_schema: Json | None = None
    title: str | None = None
    description: str | None = None
    annotations: Json | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    source: Source | None = None
    secrets: tuple[str, ...] = ()
    context_parameter: str | None = None
    timeout: float | None = None
    adapters: tuple["ErrorAdapter", ...] = ()
    task_support: TaskSupport = "forbidden"
    requires_auth: "AuthRequirement | None" = None
    requires_metadata: tuple[str, ...] = ()
    metadata: "ToolMetadata | None" = None
    ui: str | None = None
    retries: int = 0
    examples: tuple[Json, ...] = ()
    deprecation: str | None = None
    toolkit: "Toolkit | None" = None
    qualified_name: str = ""
    short_name: str = ""

    @cached_property
    def has_requirements(self) -> bool:
        """Whether calls need secrets, metadata or an account."""
        return bool(self.secrets or self.requires_metadata or self.requires_auth is not None)

    @cached_property
    def callback(self) -> Callback:
        """The function, and how to call it."""
        return Callback(self.function, self.is_async, self.context_parameter)

    @cached_property
    def definition(self) -> Json:
        """The entry of `tools/list`, without unset members."""
        return {
            "name": self.name,
            **_given(title=self.title, description=self.description),
            "inputSchema": self.input_schema,
            **_given(
                outputSchema=self.output_schema,
                annotations=self.annotations,
                icons=_listed(self.icons),
                execution=None if self.task_support == "forbidden" else {"taskSupport": self.task_support},
                _meta=self.meta,
            ),
        }

    @cached_property
    def header_parameters(self) -> HeaderParameters:
        """The HTTP headers that repeat arguments -> the paths of those arguments."""
        return header_parameters(self.input_schema)[0]


@dataclass(frozen=True, eq=False)
class ResourceDefinition(Offered):
    """A resource with a fixed URI.

    Attributes:
        uri: its URI.
        name: its programmatic name.
        read: returns the contents.
        bind: turns the URI, if the function takes it, into keyword arguments of the function.
        uri_parameter: the parameter for the URI that is read, if there is one.
        mime_type: the MIME type of contents without a type.
        size: the size of the raw content in bytes, if known.
        watch: the files whose changes mean new contents: absolute paths, possibly with wildcards.
    """

    members: ClassVar[Mapping[str, Reviser]] = RESOURCE_MEMBERS
    uri: str
    name: str
    read: Callback
    bind: Callable[[Json], Json] = dict
    uri_parameter: str | None = None
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Json | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    size: int | None = None
    source: Source | None = None
    watch: tuple[str, ...] = ()

    @cached_property
    def definition(self) -> Json:
        """The entry of `resources/list`, without unset members."""
        return {"uri": self.uri, "name": self.name, **_given(size=self.size), **_resource_facts(self)}


@dataclass(frozen=True, eq=False)
class ResourceTemplateDefinition(Offered):
    """A family of resources whose URIs differ in named parts.

    Attributes:
        uri_template: the URI template; `{part}` matches one path segment, `{part*}` several.
        name: its programmatic name.
        read: returns the contents; takes the parts as arguments.
        bind: turns the parts, and the URI if the function takes it, into keyword arguments of the function.
        uri_parameter: the parameter for the URI that is read, if there is one.
        completions: part -> the completion for it.
        watch: the files whose changes mean new contents: absolute paths, possibly with wildcards.
    """

    members: ClassVar[Mapping[str, Reviser]] = RESOURCE_MEMBERS
    uri_template: str
    name: str
    read: Callback
    bind: Callable[[Json], Json] = dict
    uri_parameter: str | None = None
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Json | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    source: Source | None = None
    completions: Completions = field(default_factory=dict)
    watch: tuple[str, ...] = ()

    @cached_property
    def definition(self) -> Json:
        """The entry of `resources/templates/list`, without unset members."""
        return {"uriTemplate": self.uri_template, "name": self.name, **_resource_facts(self)}

    @cached_property
    def template(self) -> UriTemplate:
        """The parsed URI template."""
        return UriTemplate(self.uri_template)

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the decoded parts of a URI, or None when it does not match."""
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
        """The entry in the prompt's `arguments`."""
        return {
            "name": self.name,
            **_given(title=self.title, description=self.description),
            "required": self.required,
        }


@dataclass(frozen=True, eq=False)
class PromptDefinition(Offered):
    """A prompt.

    Attributes:
        name: its name on the wire.
        render: returns the messages.
        bind: turns arguments, which are strings, into keyword arguments of the function.
        completions: argument -> the completion for it.
    """

    members: ClassVar[Mapping[str, Reviser]] = PROMPT_MEMBERS
    name: str
    render: Callback
    arguments: tuple[PromptArgumentDefinition, ...] = ()
    bind: Callable[[Json], Json] = dict
    title: str | None = None
    description: str | None = None
    meta: Json | None = None
    icons: Sequence[Json] | None = None
    source: Source | None = None
    completions: Completions = field(default_factory=dict)

    @cached_property
    def definition(self) -> Json:
        """The entry of `prompts/list`, without unset members."""
        return {
            "name": self.name,
            **_given(title=self.title, description=self.description),
            "arguments": [argument.definition for argument in self.arguments],
            **_given(icons=_listed(self.icons), _meta=self.meta),
        }


def _given(**members: Any) -> Json:
    return {name: value for name, value in members.items() if value is not None}


def _listed(icons: Sequence[Json] | None) -> list[Json] | None:
    return list(icons) if icons else None


def _resource_facts(resource: ResourceDefinition | ResourceTemplateDefinition) -> Json:
    return _given(
        title=resource.title,
        description=resource.description,
        mimeType=resource.mime_type,
        annotations=resource.annotations,
        icons=_listed(resource.icons),
        _meta=resource.meta,
    )
