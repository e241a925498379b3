"""The defaults of the form in an elicitation, whose schema may be invalid."""

from typing import Any


def with_defaults(schema: Any, content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a form, completed with the defaults of its schema."""
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict):
        return content
    own = {name: field["default"] for name, field in fields.items() if isinstance(field, dict) and "default" in field}
    return own | content


def missing_fields(schema: Any, content: dict[str, Any]) -> list[str]:
    """Return the names of the required fields that are missing."""
    required = schema.get("required") if isinstance(schema, dict) else None
    return [str(name) for name in required if name not in content] if isinstance(required, list) else []
