"""The defaults of a form that a server requests.

Source: 2025-11-25, client/elicitation: clients that support defaults should pre-populate the fields with them.
"""

from typing import Any

Content = dict[str, Any]


def with_defaults(schema: Any, content: Content) -> Content:
    """Return the content, completed with the defaults of missing fields.

    Args:
        schema: the schema of the form, which may be invalid.
        content: the values, by the names of the fields.
    """
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict):
        return content
    own = {name: field["default"] for name, field in fields.items() if isinstance(field, dict) and "default" in field}
    return own | content


def missing(schema: Any, content: Content) -> list[str]:
    """Return the names of the required fields that are missing."""
    required = schema.get("required") if isinstance(schema, dict) else None
    return [str(name) for name in required if name not in content] if isinstance(required, list) else []
