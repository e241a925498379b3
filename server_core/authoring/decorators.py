"""The decorators for authors: `@tool`, `@resource` and `@prompt`.

A decorated function stays the function it was, and can be called as before; it only carries a declaration.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from server_core.catalog.declarations import DEPRECATION, attach, note
from server_core.catalog.decorator_arguments import Declarer, prompt_declarer, resource_declarer, tool_declarer

if TYPE_CHECKING:
    from server_core.adapters.adapter import ErrorAdapter
    from server_core.auth.requirement import AuthRequirement
    from server_core.metadata import ToolMetadata

Json: TypeAlias = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])


def _decorator(declare: Declarer, function: Any) -> Any:
    def decorate(function: F) -> F:
        declaration = declare(function)
        note(declaration)
        return attach(function, declaration)

    return decorate if function is None else decorate(function)


class ToolDecorator:
    """Declare a function as a tool: `@tool`, or `@tool(...)` to say more; what is not given is taken from the function.

    Args of the decorator:
        name: as clients call it; the function's name when not given.
        title: its name for people.
        desc: what it does; the docstring when not given. `description` is the same.
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
        if isinstance(function, str):
            raise TypeError(f'The decorator of tools takes texts by name: write `name="{function}"`, or `desc=`.')
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
            * description: what it is; the docstring when not given. `desc` is the same.
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
    decorator: Callable[[F], F]
    if callable(uri):  # Without its parentheses; what it lacks is told as a problem.
        decorator = _decorator(resource_declarer(**options), uri)
    else:
        decorator = _decorator(resource_declarer(uri, **options), None)
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
            * description: what it is for; the docstring when not given. `desc` is the same.
            * meta: `_meta` of the prompt.
            * icons: as on the wire.
            * completions: argument -> a function that proposes values for it.
            * arguments: those that there are, as on the wire, where the function takes them all as one dict.
    """
    return _decorator(prompt_declarer(**options), function)
