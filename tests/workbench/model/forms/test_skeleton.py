"""The JSON of a form begins with placeholders, which are no values."""

from typing import Any

from workbench.model.forms.form import Form


def of(properties: dict[str, Any], *required: str) -> Form:
    return Form({"type": "object", "properties": properties, "required": list(required)})


def test_required_fields_have_placeholders_of_their_types() -> None:
    form = of(
        {
            "when": {"type": "string", "format": "date"},
            "count": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "inner": {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]},
            "other": {"type": "string"},
        },
        *("when", "count", "tags", "either", "inner"),
    )
    text, placeholders = form.to_skeleton()
    assert all(f"‹{name}›" in text for name in ("date", "integer", "text", "true or false"))
    assert "other" not in text
    assert form.load_json(text, placeholders) is None
    assert form.value() == {"inner": {}}


def test_a_required_field_with_a_default_has_the_default() -> None:
    form = of({"count": {"type": "integer", "default": 3}}, "count")
    form.include_defaults()
    assert form.value() == {"count": 3}


def test_a_text_that_only_looks_like_a_placeholder_is_a_value() -> None:
    form = of({"name": {"type": "string"}}, "name")
    assert form.load_json('{"name": "‹x›"}', form.to_skeleton()[1]) is None
    assert form.value() == {"name": "‹x›"}


def test_the_skeleton_of_a_schema_that_contains_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    assert "‹object›" in Form(node).to_skeleton()[0]
