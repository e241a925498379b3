"""The schema of a form with fields of every kind."""

from typing import Any

from workbench.model.forms.field import FieldState

OMITTED, NULL, SET = FieldState.OMITTED, FieldState.NULL, FieldState.SET


BOOKING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "note": {"type": ["string", "null"], "default": None},
        "count": {"type": "integer", "default": 2},
        "outside": {"type": "boolean"},
        "room": {"enum": ["hall", "bar"]},
        "extras": {"type": "array", "items": {"enum": ["cake", "music", "flowers"]}},
        "host": {"$ref": "#/$defs/person"},
        "guests": {"type": "array", "items": {"$ref": "#/$defs/person"}},
        "tags": {"type": "object", "additionalProperties": {"type": "integer"}},
        "payment": {
            "anyOf": [
                {
                    "type": "object",
                    "title": "Card",
                    "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
                    "required": ["kind", "number"],
                },
                {
                    "type": "object",
                    "title": "Bank",
                    "properties": {"kind": {"const": "bank"}, "number": {"type": "string"}},
                    "required": ["kind"],
                },
                {"type": "string", "title": "Voucher"},
            ]
        },
        "other": {},
    },
    "required": ["name", "host"],
    "$defs": {
        "person": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
        }
    },
}
