"""The names of parameters for clients, and the string annotations that set them.

`Annotated[int, "how many"]` describes a parameter; `Annotated[int, "count", "how many"]` also renames it for clients.
`Field(alias="count")` does the same.
"""

import re
import typing
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import Field
from pydantic.fields import FieldInfo

from server_core.catalog.building.signature import DefinitionFinding, Parameter
from server_core.errors import ErrorKind
from server_core.runtime.safe_text import call_safely

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BAD_INPUT_SCHEMA = ErrorKind.TOOL_DEFINITION_BAD_INPUT_SCHEMA


def fields_of(parameter: Parameter) -> list[FieldInfo]:
    """Return the `Field(...)` objects of a parameter, in its annotation and as its default."""
    fields = [item for item in _metadata_of(parameter) if isinstance(item, FieldInfo)]
    return [*fields, parameter.default] if isinstance(parameter.default, FieldInfo) else fields


def advertised_name(parameter: Parameter) -> str:
    texts = _texts(parameter)
    if len(texts) == 2:  # Its name and its description.
        return texts[0]
    # The last one takes precedence, as in pydantic.
    aliases = [field.validation_alias for field in fields_of(parameter) if isinstance(field.validation_alias, str)]
    return aliases[-1] if aliases else parameter.name


def description_of(parameter: Parameter) -> str | None:
    """Return the description of a parameter from its annotation, or from a `Field` as its default."""
    texts = _texts(parameter)
    descriptions = (field.description for field in fields_of(parameter) if field.description)
    return texts[-1] if texts else next(descriptions, None)


def annotate(parameter: Parameter) -> Any:
    """Return the type of a parameter, annotated with its name for clients and with a `Field` that is its default.

    A string annotation takes precedence over the description of a `Field`.
    """
    annotation = parameter.annotation
    if isinstance(parameter.default, FieldInfo):
        annotation = typing.Annotated[annotation, parameter.default]
    if (texts := _texts(parameter)) and fields_of(parameter):
        annotation = typing.Annotated[annotation, texts[-1]]
    name = advertised_name(parameter)
    return annotation if name == parameter.name else typing.Annotated[annotation, Field(alias=name)]


def annotation_findings(parameters: Iterable[Parameter]) -> Iterator[DefinitionFinding]:
    """Yield the findings about string annotations and the names that they set."""
    python_names: dict[str, str] = {}
    for parameter in parameters:
        name, python_name, count = advertised_name(parameter), parameter.name, len(_texts(parameter))
        if count > 2:
            message = (
                f"Parameter {python_name}: {_annotation_text(parameter.annotation)} has too many string annotations. "
                f"Expected 0, 1, or 2, got {count}."
            )
            yield DefinitionFinding(
                message, "Keep its description, or its name and its description.", _BAD_INPUT_SCHEMA, part=python_name
            )
        elif count == 2 and not _NAME.fullmatch(name):
            message = (
                f"Invalid parameter name: '{name}' is not a valid identifier. Identifiers must start with a letter or "
                "underscore, and can only contain letters, digits, or underscores."
            )
            yield DefinitionFinding(
                message, "Write the name first and the description after it.", _BAD_INPUT_SCHEMA, part=python_name
            )
        if (other := python_names.setdefault(name, python_name)) != python_name:
            message = f"The parameters {other!r} and {python_name!r} have the same name for clients: {name!r}."
            yield DefinitionFinding(message, "Give one of them another name.", _BAD_INPUT_SCHEMA, part=python_name)


def _texts(parameter: Parameter) -> list[str]:
    return [item for item in _metadata_of(parameter) if isinstance(item, str)]


def _metadata_of(parameter: Parameter) -> tuple[Any, ...]:
    return getattr(parameter.annotation, "__metadata__", ())


def _annotation_text(annotation: Any) -> str:
    """Return the shortened `repr` of an annotation; its metadata may be any object, even with a failing `repr`."""
    text = call_safely(lambda: repr(annotation), lambda _: "the annotation")
    return text if len(text) <= 300 else text[:299] + "…"
