"""Read the signature of an author's function with resolved types, and the findings about it."""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from server_core.catalog.building.docstrings import Docstring, read_docstring
from server_core.catalog.building.source_lines import RETURN, plain_function
from server_core.errors import ErrorKind

ABSENT: Any = inspect.Parameter.empty

_BAD_INPUT_SCHEMA = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA
_BAD_OUTPUT_SCHEMA = ErrorKind.TOOL_DEFINITION_BAD_OUTPUT_SCHEMA


class ContextBase:
    """The base class of the call context, by which signatures know the parameter that receives it."""

    __slots__ = ()


@dataclass(frozen=True)
class DefinitionFinding:
    """A problem of a declaration, before its position in the source is known."""

    message: str
    fix: str
    kind: ErrorKind = ErrorKind.TOOL_DEFINITION_BAD_DEFINITION
    warning: bool = False
    part: str = ""  # the parameter that it is about, or RETURN; empty for the whole declaration


@dataclass(frozen=True)
class Parameter:
    """A parameter whose argument comes from clients."""

    name: str
    annotation: Any
    default: Any = ABSENT  # ABSENT when there is none


@dataclass(frozen=True)
class Signature:
    """The parameters and the return type of a function."""

    parameters: tuple[Parameter, ...]  # without the context
    context_parameter: str | None  # the parameter for the call's context, if there is one
    returns: Any  # the resolved return type; ABSENT when there is none
    docstring: Docstring
    is_async: bool  # whether calling it returns an awaitable
    accepts_any_name: bool = False  # whether it has `**arguments`; only with an input schema


_GENERATOR = DefinitionFinding(
    "A tool must return its result, but this one yields.",
    "Collect the values in a list and return it; use `await context.progress.report(...)` to report progress.",
)


def read_signature(
    function: Callable[..., Any],
    names: Mapping[str, Any],
    *,
    has_input_schema: bool = False,
    has_output_schema: bool = False,
    receives_texts: bool = False,
) -> tuple[Signature, list[DefinitionFinding]]:
    """Return the signature of a function without the invalid parameters, and the findings about it.

    Args:
        names: the names in scope where it was written, besides those of its module.
        has_input_schema: the author wrote an input schema, so parameters need no types.
        has_output_schema: the author wrote an output schema, so the return type is ignored.
        receives_texts: a parameter without a type is a `str`, since all arguments are strings on the wire.
    """
    findings: list[DefinitionFinding] = []
    namespaces = _namespaces_of(function, names)
    parameters: list[Parameter] = []
    contexts: list[str] = []
    signature = inspect.signature(function)
    accepts_any_name = False
    for parameter in signature.parameters.values():
        if has_input_schema and parameter.kind is parameter.VAR_KEYWORD:
            accepts_any_name = True
            continue
        if receives_texts and parameter.annotation is ABSENT:
            parameter = parameter.replace(annotation=str)
        if finding := _parameter_finding(parameter, has_input_schema):
            findings.append(finding)
            continue
        # With an input schema, types are only read to recognise the context.
        type_findings = [] if has_input_schema else findings
        annotation = _resolve_type(parameter.name, parameter.annotation, namespaces, type_findings)
        if annotation is ABSENT and not has_input_schema:
            continue
        if _is_context(annotation):
            contexts.append(parameter.name)
        else:
            parameters.append(Parameter(parameter.name, annotation, parameter.default))
    if len(contexts) > 1:
        name = getattr(function, "__name__", type(function).__name__)
        message = f"Only one ToolContext parameter is supported, but tool {name} has multiple."
        findings.append(_input_finding(message, f"Keep one of {' and '.join(map(repr, contexts))}.", contexts[1]))
    if _is_generator(function):
        findings.append(_GENERATOR)
    returns = ABSENT if has_output_schema else signature.return_annotation
    if returns is not ABSENT:
        returns = _resolve_type(RETURN, returns, namespaces, findings)
    return (
        Signature(
            tuple(parameters),
            contexts[0] if contexts else None,
            returns,
            read_docstring(_docstring_of(function)),
            is_async(function),
            accepts_any_name,
        ),
        findings,
    )


def is_async(function: Callable[..., Any]) -> bool:
    # The second case is an object with `async def __call__`; `callable` would not find out.
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def _docstring_of(function: Any) -> str | None:
    """Return the author's docstring; for partials and callable objects `__doc__` would be that of the class."""
    if isinstance(function, functools.partial):
        function = function.func
    if not (inspect.isroutine(function) or inspect.isclass(function)) and (called := type(function).__call__.__doc__):
        return str(called)
    return getattr(function, "__doc__", None)


def bare_type(annotation: Any) -> Any:
    """Return a type without its `Annotated` metadata."""
    while typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    return annotation


def reason_of(error: Exception) -> str:
    """Return the first sentence of a library's error about an unsupported type."""
    line, _, _ = str(error).partition("\n")
    return line.partition(". ")[0].rstrip(".") or type(error).__name__


def _parameter_finding(parameter: inspect.Parameter, has_schema: bool) -> DefinitionFinding | None:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        return _input_finding(
            f"Parameter '{stars}{name}' has no fixed name that a client could fill in.",
            f"Use a list or a dict instead: `{name}: list[str]`.",
            name,
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        message = f"Parameter {name!r} is positional only, but arguments come by name."
        return _input_finding(message, "Remove the `/`.", name)
    if parameter.annotation is ABSENT and not has_schema:
        return _input_finding(f"Parameter {name} has no type annotation.", f"Write its type: `{name}: str`.", name)
    return None


@dataclass(frozen=True)
class _Namespaces:
    globals: dict[str, Any]
    locals: dict[str, Any]


def _resolve_type(name: str, annotation: Any, namespaces: _Namespaces, findings: list[DefinitionFinding]) -> Any:
    # One annotation at a time: `get_type_hints` raises for the first that cannot be resolved.
    holder = types.SimpleNamespace(__annotations__={name: annotation})
    label = "The return type" if name == RETURN else f"The type of parameter {name!r}"
    kind = _BAD_OUTPUT_SCHEMA if name == RETURN else _BAD_INPUT_SCHEMA
    try:
        return typing.get_type_hints(holder, namespaces.globals, namespaces.locals, include_extras=True)[name]
    except NameError as error:
        fix = "Import it at the top of the file (not only under `if TYPE_CHECKING:`), or define it before the function."
        findings.append(DefinitionFinding(f"{label} cannot be resolved: {error}.", fix, kind, part=name))
    except Exception as error:  # Evaluating an annotation runs the author's code.
        message = f"{label} is no type: {type(error).__name__}: {error}."
        findings.append(DefinitionFinding(message, "Correct the annotation.", kind, part=name))
    return ABSENT


def _namespaces_of(function: Callable[..., Any], names: Mapping[str, Any]) -> _Namespaces:
    """Return the names that annotations of the function may use; strings are evaluated with them."""
    plain = plain_function(function)
    enclosed: dict[str, Any] = {}
    for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=False):
        try:
            enclosed[name] = cell.cell_contents
        except ValueError:  # Not assigned yet.
            continue
    module_names = dict(plain.__globals__)
    # Often only imported under `if TYPE_CHECKING:`; the names are unambiguous.
    for name in ("Context", "ToolContext"):
        module_names.setdefault(name, ContextBase)
    return _Namespaces(module_names, {**names, **enclosed})


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, type):
        return issubclass(annotation, ContextBase)
    return any(_is_context(alternative) for alternative in _alternatives(annotation))


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return typing.get_args(annotation)[:1]
    return typing.get_args(annotation) if origin in (typing.Union, types.UnionType) else ()


def _is_generator(function: Callable[..., Any]) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _input_finding(message: str, fix: str, part: str) -> DefinitionFinding:
    return DefinitionFinding(message, fix, _BAD_INPUT_SCHEMA, part=part)
