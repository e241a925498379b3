"""The parameters of a schema as short texts: type, limits, default and description of each."""

from dataclasses import dataclass
from typing import Any

from workbench.model import describe
from workbench.model.forms.constraints import constraint_texts
from workbench.model.forms.schema_document import SchemaDocument
from workbench.model.json_members import object_in, text_in, texts_in


@dataclass(frozen=True, slots=True)
class SchemaParameter:
    """A member of the root object; its name and description are text of a server, which is not escaped."""

    name: str
    type: str
    is_required: bool
    limits: tuple[str, ...]
    default: str  # as JSON; empty without a default
    description: str


def parameters(schema: Any) -> list[SchemaParameter]:
    """Return the parameters in the order of the schema."""
    document = SchemaDocument(schema)
    root = document.flatten(schema)
    required = frozenset(texts_in(root, "required"))
    return [_parameter(document, name, part, name in required) for name, part in object_in(root, "properties").items()]


def _parameter(document: SchemaDocument, name: str, part: Any, is_required: bool) -> SchemaParameter:
    flat = document.flatten(part)
    # The limits of an optional value are those of the alternative that is not null.
    options = flat.get("anyOf") or flat.get("oneOf")
    values = [document.flatten(option) for option in options] if isinstance(options, list) else [flat]
    value = next((option for option in values if option.get("type") != "null"), flat)
    return SchemaParameter(
        name,
        describe.schema_type(part),
        is_required,
        tuple(constraint_texts(value, str(value.get("type")))),
        describe.json_line(flat["default"], 60) if "default" in flat else "",
        text_in(flat, "description").strip(),
    )
