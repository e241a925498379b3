"""The decorators for authors: `@tool`, `@resource` and `@prompt`.

A decorated function is the same function and can be called as before; it only has a declaration attached.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, Unpack, overload

from server_core.catalog.declarations import (
    DEPRECATION,
    OfferDeclaration,
    PromptDeclaration,
    ResourceDeclaration,
    ToolDeclaration,
    attach,
    list_declaration,
)
from server_core.catalog.decorator_options import PromptOptions, ResourceOptions, ToolOptions

Declarer: TypeAlias = Callable[[Callable[..., Any]], OfferDeclaration]
F = TypeVar("F", bound=Callable[..., Any])


def _decorator(declare: Declarer, function: Any) -> Any:
    def decorate(function: F) -> F:
        declaration = declare(function)
        list_declaration(declaration)
        return attach(function, declaration)

    return decorate if function is None else decorate(function)


class ToolDecorator:
    """Declare a function as a tool: `@tool` or `@tool(...)`; the defaults come from the function.

    The decorator's options are :class:`~server_core.catalog.decorator_options.ToolOptions`.
    """

    def __init__(self, apply: Callable[[Declarer, Any], Any] = _decorator) -> None:
        self._apply = apply

    @overload
    def __call__(self, function: F, /) -> F: ...
    @overload
    def __call__(self, /, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
    def __call__(self, function: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
        if isinstance(function, str):
            raise TypeError(f'Pass strings to the tool decorator by keyword: write `name="{function}"`, or `desc=`.')
        return self._apply(ToolDeclaration.declarer(options), function)

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


def resource(uri: str = "", **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
    """Declare a function as a resource: it returns the contents.

    Args:
        uri: its URI; `{part}` makes it a template, and the function receives the parts as parameters. `{part*}` matches
            several path segments. A first parameter that is not a part receives the whole URI. Without a URI there must
            be a `path` or a `file`.
        options: those of :class:`~server_core.catalog.decorator_options.ResourceOptions`.
    """
    decorator: Callable[[F], F]
    if callable(uri):  # `@resource` without parentheses; the missing URI is reported as a problem.
        decorator = _decorator(ResourceDeclaration.declarer(options), uri)
    else:
        decorator = _decorator(ResourceDeclaration.declarer({"uri": uri, **options}), None)
    return decorator


@overload
def prompt(function: F, /) -> F: ...
@overload
def prompt(**options: Unpack[PromptOptions]) -> Callable[[F], F]: ...
def prompt(function: Any = None, /, **options: Unpack[PromptOptions]) -> Any:
    """Declare a function as a prompt: it returns text, a message, or a list of messages.

    Args:
        function: the function, when used without arguments.
        options: those of :class:`~server_core.catalog.decorator_options.PromptOptions`.
    """
    return _decorator(PromptDeclaration.declarer(options), function)
