"""The decorators for authors, and what they note down: nothing is read, checked or built here.

A decorated function stays the function it was, and can be called as before; it only carries a declaration.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from os import PathLike
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from server_core.catalog.naming import pascal_case

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.catalog.naming import Toolkit
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])

ATTRIBUTE = "__workbench__"
NOTED = "__workbench_noted__"
"""The name in a module under which its declarations are noted: a second function of one name hides the first."""
DEPRECATION = "__tool_deprecation_message__"


@dataclass(eq=False)
class Declaration:
    """What one decorator was told.

    Attributes:
        function: the author's function.
        options: the arguments of the decorator that describe it to clients, by name; what was not given is left out.
        names: names that were known where it was written, besides those of its module.
    """

    function: Callable[..., Any]
    options: Json
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that clients use: the decorator's, or the function's."""
        return str(self.options.get("name") or getattr(self.function, "__name__", "unnamed"))

    @property
    def key(self) -> str:
        """What tells it apart from others of its kind."""
        return self.name

    def marks(self) -> Json:
        """Return what a function that carries this declaration is marked with: attribute -> value."""
        return {ATTRIBUTE: self}


@dataclass(eq=False)
class ToolDeclaration(Declaration):
    """What `@tool` was told, as it was written: whether it makes sense is looked at later.

    Attributes:
        unknown: the names of arguments that `@tool` does not have.
    """

    secrets: Sequence[str] = ()
    timeout: float | None = None
    adapters: Sequence["ErrorAdapter"] = ()
    input_schema: Json | None = None
    output_schema: Json | None = None
    execution: Json | None = None
    requires_auth: "AuthRequirement | None" = None
    requires_metadata: Sequence[str] = ()
    metadata: "ToolMetadata | None" = None
    ui: Any = None
    retries: int = 0
    examples: Sequence[Json] = ()
    toolkit: "Toolkit | None" = None
    unknown: Sequence[str] = ()

    @property
    def deprecation(self) -> Any:
        """What `@tool.deprecated` was told, above or below `@tool`; None where it was not used."""
        return getattr(self.function, DEPRECATION, None)

    def marks(self) -> Json:
        """Add the marks that Arcade's decorator makes, for code that looks for them."""
        return super().marks() | {
            "__tool_name__": pascal_case(self.name),
            "__tool_description__": self.options.get("description") or getattr(self.function, "__doc__", None),
            "__tool_requires_auth__": self.requires_auth,
            "__tool_requires_secrets__": self.secrets,
            "__tool_requires_metadata__": self.requires_metadata,
            "__tool_metadata__": self.metadata,
            "__tool_ui__": self.ui,
            "__tool_execution__": self.execution,
        }


@dataclass(eq=False)
class ResourceDeclaration(Declaration):
    """What `@resource` was told; an address with parts in braces declares a template."""

    uri: str = ""
    completions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    watch: Sequence[str | PathLike[str]] = ()
    path: str = ""
    file: str | PathLike[str] | None = None
    scheme: str = "ui"
    toolkit: "Toolkit | None" = None

    @property
    def key(self) -> str:
        """The address, or the path where the rest of it is known later."""
        return self.uri or self.path or str(self.file or "")


@dataclass(eq=False)
class PromptDeclaration(Declaration):
    """What `@prompt` was told."""

    completions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    arguments: Sequence[Json] | None = None


@dataclass(eq=False)
class CompletionDeclaration(Declaration):
    """What `@app.completion` was told: which argument of which prompt or template the function proposes values for."""

    subject: str = ""
    argument: str = ""


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
    """Return what notes down a function as a tool; the arguments are those of :data:`tool`.

    Unknown ones are noted down too, and told with everything else that is wrong: an error here would keep the whole
    file from being loaded.
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
) -> Declarer:
    """Return what notes down a function as a resource; the arguments are those of :func:`resource`."""
    options = given(
        name=name,
        title=title,
        description=desc if description is None else description,
        mime_type=mime_type,
        annotations=annotations,
        meta=meta,
        icons=icons,
        size=size,
    )
    return lambda function: ResourceDeclaration(
        function, options, local_names(), uri, completions or {}, watch, path, file, scheme
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
) -> Declarer:
    """Return what notes down a function as a prompt; the arguments are those of :func:`prompt`."""
    description = desc if description is None else description
    options = given(name=name, title=title, description=description, meta=meta, icons=icons)
    return lambda function: PromptDeclaration(function, options, local_names(), completions or {}, arguments)


def _decorator(declare: Declarer, function: Any) -> Any:
    def decorate(function: F) -> F:
        declaration = declare(function)
        _note(declaration)
        return attach(function, declaration)

    return decorate if function is None else decorate(function)


class ToolDecorator:
    """Declare a function as a tool: `@tool`, or `@tool(...)` to say more; what is not given is taken from the function.

    Args of the decorator:
        name: as clients call it; the function's name when not given.
        title: its name for people.
        desc: what it does; the first paragraph of the docstring when not given. `description` is the same.
        requires_secrets: the keys of the secrets that it reads with `context.get_secret`.
        annotations: hints for clients, as on the wire (`readOnlyHint`, ...).
        meta: `_meta` of the tool.
        icons: as on the wire.
        timeout: seconds after which a call is given up.
        adapters: turn exceptions of other libraries into ours; asked in order before the built-in ones.
        input_schema: JSON Schema of the arguments, told to clients word for word; the parameters then need no types,
            and get the values as they came. `**arguments` takes them all.
        output_schema: JSON Schema of the result, likewise; whatever the function returns is checked against it.
        execution: `{"taskSupport": "optional"}` lets clients run it as a task, `"required"` makes them.
        requires_auth: the account with a service that it acts with, like `GitHub(scopes=["repo"])`.
        requires_metadata: the keys of the facts about the caller that it reads with `context.get_metadata`.
        metadata: what it is about and what it does.
        ui: the resource that shows it to people, or its address.
        retries: how often a call that failed is tried again, where trying again may help.
        examples: arguments of calls that make sense.

    Args:
        decorated: declares a function, or returns what does, given how to note it down.
    """

    def __init__(self, decorated: Callable[[Declarer, Any], Any] = _decorator) -> None:
        self._decorated = decorated

    @overload
    def __call__(self, function: F, /) -> F: ...
    @overload
    def __call__(
        self,
        /,
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
    ) -> Callable[[F], F]: ...
    def __call__(self, function: Any = None, /, **options: Any) -> Any:
        """Declare a function as a tool, or return what does."""
        return self._decorated(tool_declarer(**options), function)

    def deprecated(self, message: str) -> Callable[[F], F]:
        """Tell clients that a tool should not be used any more; stands above or below `@tool`.

        Args:
            message: what to use instead.
        """

        def deprecate(function: F) -> F:
            setattr(function, DEPRECATION, message)
            return function

        return deprecate


tool = ToolDecorator()


def resource(uri: str = "", **options: Any) -> Callable[[F], F]:
    """Declare a function as a resource: it returns the contents.

    Args:
        uri: the address; `{part}` in it makes a template, and the function takes the parts as parameters.
            `{part*}` takes several path segments. A first parameter that is no part takes the whole address.
            Without it there has to be a `path` or a `file`.
        options: what is not given is taken from the function.

            * name: its programmatic name; the function's name when not given.
            * title: its name for people.
            * description: what it is; the first paragraph of the docstring when not given. `desc` is the same.
            * mime_type: what the contents are.
            * annotations: who it is for and how important it is, as on the wire.
            * meta: `_meta` of the resource.
            * icons: as on the wire.
            * size: of the raw content in bytes; not for templates.
            * path: where it lies in the toolkit: its address is `ui://Toolkit/version/path`.
            * file: what it is read from, instead of the function, which then only describes it; as seen from the file
              that this is written in. Its name is the path when there is no other.
            * scheme: the first part of that address; `ui` for what shows a tool to people.
            * completions: part -> a function that proposes values for it.
            * watch: files, perhaps with wildcards in the last part of their paths: when they change, so have the
              contents, and clients are told. Relative paths are seen from the file that this is written in.
    """
    decorator: Callable[[F], F] = _decorator(resource_declarer(uri, **options), None)
    return decorator


@overload
def prompt(function: F, /) -> F: ...
@overload
def prompt(
    *,
    name: str | None = None,
    title: str | None = None,
    desc: str | None = None,
    description: str | None = None,
    meta: Json | None = None,
    icons: Sequence[Json] | None = None,
    completions: Mapping[str, Callable[..., Any]] | None = None,
    arguments: Sequence[Json] | None = None,
) -> Callable[[F], F]: ...
def prompt(function: Any = None, /, **options: Any) -> Any:
    """Declare a function as a prompt: it returns text, a message, or a list of messages.

    Args:
        function: the function, when used without arguments.
        options: what is not given is taken from the function.

            * name: as clients ask for it; the function's name when not given.
            * title: its name for people.
            * description: what it is for; the first paragraph of the docstring when not given. `desc` is the same.
            * meta: `_meta` of the prompt.
            * icons: as on the wire.
            * completions: argument -> a function that proposes values for it.
            * arguments: those that there are, as on the wire, where the function takes them all as one dict.
    """
    return _decorator(prompt_declarer(**options), function)


def attach(function: F, declaration: Declaration) -> F:
    """Leave the declaration on the function, where it can carry one, and return the function."""
    # A bound method carries nothing: only an app, which keeps declarations itself, can take it as a tool.
    with suppress(AttributeError):
        for name, value in declaration.marks().items():
            setattr(function, name, value)
    return function


def detach(declaration: Declaration) -> None:
    """Take the declaration off its function, if it is there."""
    if declared_on(declaration.function) is declaration:
        delattr(declaration.function, ATTRIBUTE)


def declared_on(value: Any) -> Declaration | None:
    """Return the declaration that a value of a module carries, if any."""
    found = getattr(value, "__dict__", {}).get(ATTRIBUTE)
    return found if isinstance(found, Declaration) else None


def given(**options: Any) -> Json:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def local_names() -> Mapping[str, Any]:
    """Return the names known where the author writes, when that is inside of a function or class.

    Annotations written as text (`from __future__ import annotations`) may speak of them.
    """
    frame = _author_frame()
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def noted_in(names: Mapping[str, Any]) -> Sequence[Declaration]:
    """Return all that a module has declared at its top level, in the order of writing, whatever its names are now.

    Args:
        names: those of the module.
    """
    noted: Sequence[Declaration] = names.get(NOTED, ())
    return noted


def _note(declaration: Declaration) -> None:
    frame = _author_frame()
    if frame.f_locals is frame.f_globals:
        frame.f_globals.setdefault(NOTED, []).append(declaration)


def _author_frame() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("server_core."):
        frame = frame.f_back
    return frame
