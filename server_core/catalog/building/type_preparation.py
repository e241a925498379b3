"""Prepare the types that authors write for pydantic: texts beside types and members become descriptions."""

import functools
import operator
import types
import typing
from typing import Any, Literal

import typing_extensions
from pydantic import Field

from server_core.catalog.building.docstrings import member_docstrings

# Called at run time, which type checkers do not support.
make_typed_dict: Any = typing_extensions.TypedDict

_QUALIFIERS = (typing.Required, typing.NotRequired, typing_extensions.ReadOnly)


def prepare_annotation(annotation: Any) -> Any:
    """Return the annotation in a form that pydantic understands: string metadata becomes the description.

    A TypedDict is rebuilt with the string metadata or the docstrings of its members as their descriptions, and with
    typing_extensions, since pydantic accepts no other before Python 3.12.
    """
    return _prepare(annotation, {})


def _prepare(annotation: Any, seen: dict[Any, Any]) -> Any:
    if typing_extensions.is_typeddict(annotation):
        return seen.get(annotation) or _rebuild_typed_dict(annotation, seen)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None or origin is Literal or not arguments:
        return annotation
    if origin is typing.Annotated:
        inner = _prepare(arguments[0], seen)
        extras = tuple(
            Field(description=extra) if isinstance(extra, str) else extra for extra in annotation.__metadata__
        )
        return typing.Annotated[(inner, *extras)]
    replaced = tuple(_prepare_argument(argument, seen) for argument in arguments)
    if all(new is old for new, old in zip(replaced, arguments, strict=True)):
        return annotation
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, replaced)
    if isinstance(annotation, types.GenericAlias):
        return types.GenericAlias(origin, replaced)
    # Aliases of `typing`, such as `List[int]`, are rebuilt with an undocumented method; their origin is another class.
    return annotation.copy_with(replaced) if hasattr(annotation, "copy_with") else origin[replaced]


def _prepare_argument(argument: Any, seen: dict[Any, Any]) -> Any:
    # The list of parameters of a `Callable`, and the dots of `tuple[int, ...]`, are no types.
    return argument if isinstance(argument, list) or argument is ... else _prepare(argument, seen)


def _rebuild_typed_dict(old: Any, seen: dict[Any, Any]) -> Any:
    # Registered before its members are prepared: a TypedDict may refer to itself.
    new = make_typed_dict(old.__name__, {})
    seen[old] = new
    # The attributes that make up a TypedDict besides its annotations; pydantic reads them.
    for name in ("__module__", "__qualname__", "__doc__", "__total__", "__required_keys__", "__optional_keys__"):
        setattr(new, name, getattr(old, name))
    if hasattr(old, "__pydantic_config__"):
        new.__pydantic_config__ = old.__pydantic_config__
    hints = typing.get_type_hints(old, include_extras=True)
    docstrings = member_docstrings(old)
    new.__annotations__ = {
        name: _describe_annotation(_prepare(hint, seen), docstrings.get(name)) for name, hint in hints.items()
    }
    return new


def _describe_annotation(annotation: Any, text: str | None) -> Any:
    """Return the annotation with a description, unless it already has one."""
    if text is None:
        return annotation
    origin = typing_extensions.get_origin(annotation)
    if origin in _QUALIFIERS:
        return origin[_describe_annotation(typing.get_args(annotation)[0], text)]
    if origin is not typing.Annotated:
        return typing.Annotated[annotation, Field(description=text)]
    # Later metadata takes precedence.
    bare = typing.get_args(annotation)[0]
    return typing.Annotated[(bare, Field(description=text), *annotation.__metadata__)]
