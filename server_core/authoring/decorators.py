"""The decorators for authors: `@tool`, `@resource` and `@prompt`.

A decorated function is the same function and can be called as before; it only has a declaration attached.
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
    """Declare a function as a tool: `@tool` or `@tool(...)`; the defaults come from the function.

    Args of the decorator:
        name: its name on the wire; defaults to the name of the function.
        title: its display name.
        desc: what it does; defaults to the docstring. `description` is a synonym.
        requires_secrets: the keys of the secrets that it reads with `context.get_secret`.
        annotations: hints for clients, as on the wire (`readOnlyHint`, ...).
        meta: `_meta` of the tool.
        icons: as on the wire.
        timeout: seconds after which a call is cancelled.
        adapters: turn exceptions of other libraries into ours; tried in order before the built-in ones.
        input_schema: JSON Schema of the arguments, sent to clients unchanged; the parameters then need no types, and
            get the values as received. `**arguments` takes them all.
        output_schema: JSON Schema of the result, likewise; every return value is validated against it.
        execution: `{"taskSupport": "optional"}` allows clients to run it as a task, `"required"` makes them.
        requires_auth: the account with a service that it acts with, like `GitHub(scopes=["repo"])`.
        requires_metadata: the keys of the caller's metadata that it reads with `context.get_metadata`.
        metadata: its classification and behavior.
        ui: the resource that displays it, or the URI of that resource.
        retries: how often a failed call is retried, if the error is retryable.
        examples: arguments of example calls.

    Args:
        decorated: applies a declarer to a function, or returns a decorator that does, if the function is None.
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
        """Declare a function as a tool, or return a decorator that does."""
        if isinstance(function, str):
            raise TypeError(f'The decorator of tools takes texts by name: write `name="{function}"`, or `desc=`.')
        return self._decorated(tool_declarer(**options), function)

    def deprecated(self, message: str) -> Callable[[F], F]:
        """Mark a tool as deprecated for clients; may be above or below `@tool`.

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
        uri: its URI; `{part}` makes it a template, and the function takes the parts as parameters. `{part*}` matches
            several path segments. A first parameter that is not a part takes the whole URI. Without a URI there must
            be a `path` or a `file`.
        options: the defaults come from the function.

            * name: its programmatic name; defaults to the name of the function.
            * title: its display name.
            * description: what it is; defaults to the docstring. `desc` is a synonym.
            * mime_type: the MIME type of the contents.
            * annotations: who it is for and how important it is, as on the wire.
            * meta: `_meta` of the resource.
            * icons: as on the wire.
            * size: the size of the raw content in bytes; not for templates.
            * path: its path in the toolkit: its URI is `ui://Toolkit/version/path`.
            * file: the file to read, instead of calling the function, which then only describes the resource; relative
              to the file that declares it. The default of `path` is the name of this file.
            * scheme: the scheme of that URI; `ui` for a resource that displays a tool.
            * completions: part -> a function that proposes values for it.
            * watch: files, possibly with wildcards in the last part of the path: when they change, the contents have
              changed, and clients are notified. Relative paths are relative to the file that declares the resource.
    """
    decorator: Callable[[F], F]
    if callable(uri):  # `@resource` without parentheses; the missing URI is reported as a problem.
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
        options: the defaults come from the function.

            * name: its name on the wire; defaults to the name of the function.
            * title: its display name.
            * description: what it is for; defaults to the docstring. `desc` is a synonym.
            * meta: `_meta` of the prompt.
            * icons: as on the wire.
            * completions: argument -> a function that proposes values for it.
            * arguments: the list of arguments, as on the wire, if the function takes them all as a dict.
    """
    return _decorator(prompt_declarer(**options), function)
