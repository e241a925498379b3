"""Schemas come from servers: none of them breaks a form, keeps it busy, or makes it fetch anything."""

import socket
from typing import Any

import pytest

from workbench.model.forms.field import MAX_FIELDS, FieldState, FormContext
from workbench.model.forms.form import Form

NESTED: Any = {"type": "string"}
for _ in range(20_000):
    NESTED = {"properties": {"a": NESTED}}
ALL_OF: Any = {"type": "string"}
for _ in range(20_000):
    ALL_OF = {"allOf": [ALL_OF]}


def doubling(keyword: str) -> dict[str, Any]:
    """A schema of sixty steps whose last one is reached on 2 ** 60 ways."""
    steps: dict[str, Any] = {
        f"s{i}": {keyword: [{"$ref": f"#/$defs/s{i + 1}"}, {"$ref": f"#/$defs/s{i + 1}"}]} for i in range(60)
    }
    return {"properties": {"a": {"$ref": "#/$defs/s0"}}, "$defs": {**steps, "s60": {"type": "integer"}}}


def branching() -> dict[str, Any]:
    """Thirty kinds of objects, each of which requires twenty of the next."""
    names = [f"p{i}" for i in range(20)]
    kinds = {
        f"k{i}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/k{i + 1}"} for name in names},
            "required": names,
        }
        for i in range(30)
    }
    return {"$ref": "#/$defs/k0", "$defs": kinds}


HOSTILE: dict[str, Any] = {
    "a circle without a base": {"$ref": "#"},
    "a circle of references": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    "a circle of all": {"type": "object", "allOf": [{"$ref": "#"}]},
    "a circle of any": {"anyOf": [{"$ref": "#"}, {"anyOf": [{"$ref": "#"}]}]},
    "a circle of optionals": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    "a circle of items": {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
    "a circle that must be filled in": {"properties": {"a": {"$ref": "#"}}, "required": ["a"], "type": "object"},
    "merges that grow": {
        "$ref": "#/$defs/a",
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/c"}]},
            "b": {"properties": {"n": {"$ref": "#/$defs/a", "title": "b"}}, "required": ["n"]},
            "c": {"properties": {"n": {"$ref": "#/$defs/a", "title": "c"}}, "required": ["n"]},
        },
    },
    "nothing but true": True,
    "nothing but false": False,
    "a number": 5,
    "a list": [],
    "null": None,
    "keywords of the wrong type": {
        "type": {"a": 1},
        "properties": {
            "a": 5,
            "b": {"type": ["integer", 5]},
            "c": {"enum": "x", "const": {}},
            "d": {"items": 5, "prefixItems": "x", "title": 5, "description": [], "format": 7, "minimum": "x"},
            "e": {"anyOf": "no", "oneOf": [], "allOf": 5, "examples": 3, "enumNames": 1, "required": {"a": 1}},
            "f": {"anyOf": [5, None, []], "patternProperties": [], "propertyNames": 5, "then": 3, "if": 4},
            "g": {"type": []},
            "h": {"enum": []},
            "i": {"minLength": 1e400, "maximum": float("inf"), "type": "string"},
        },
        "required": 5,
        "$defs": [],
        "$ref": 7,
        "dependentSchemas": {"a": 5},
        "$anchor": [],
    },
    "deep nesting": NESTED,
    "deep all of": ALL_OF,
    "doubling any": doubling("anyOf"),
    "doubling all": doubling("allOf"),
    "doubling one": doubling("oneOf"),
    "branching": branching(),
    "ten thousand alternatives": {
        "properties": {"a": {"anyOf": [{"properties": {f"x{i}": {}}} for i in range(10_000)]}}
    },
    "thousands of properties": {"properties": {f"p{i}": {"type": "integer"} for i in range(3000)}},
    "a costly pattern": {
        "properties": {"a": {"pattern": "^(a+)+$"}},
        "patternProperties": {"^(a+)+$": {"type": "integer"}},
    },
    "names that control the terminal": {
        "properties": {"\x1b[2J": {"title": "\x1b]0;x\x07", "enum": ["\x1b"]}},
        "title": "\r",
    },
    "a lone surrogate": {"properties": {"\ud800": {"type": "string", "enum": ["\udfff"]}}},
}
VALUES: list[Any] = [
    {},
    {"a": "x", "p1": {"p2": {}}, "\x1b[2J": 1},
    {"a": {"a": {"a": [1, {"a": None}]}}, "n": {"n": {"n": {}}}},
    {"a": "a" * 60 + "b", "a" * 60 + "b": 1},
    [[[[]]]],
    {"\ud800": "\udfff"},
    None,
    "text",
]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_schema_breaks_a_form(name: str) -> None:
    form = Form(HOSTILE[name])
    for value in VALUES:
        form.load(value)
        assert form.value() == value
        assert isinstance(form.to_json(), str)
        form.omit(())
    for field in reversed(list(form.fields())[:30]):
        form.include(field.path)
        if field.variants:
            form.choose_variant(field.path, len(field.variants) - 1)
        form.set_text(field.path, "1")
    assert isinstance(form.problems(), list)


def test_nothing_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        for names in ({}, {"$schema": f"{address}/draft-07/schema#"}, {"$id": f"{address}/base"}):
            form = Form(
                {
                    **names,
                    "$ref": f"{address}/x",
                    "properties": {
                        "a": {"$ref": "file:///etc/hostname"},
                        "b": {"$ref": "other.json"},
                        "c": {"$dynamicRef": f"{address}/y#z"},
                        "d": {"$recursiveRef": f"{address}/y"},
                    },
                }
            )
            form.load({"a": 1, "b": 2, "c": 3, "d": 4})
            assert form.problems() == []
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_form_opens_a_limited_number_of_groups_by_itself() -> None:
    opened = [field for field in Form(branching()).fields() if field.state is FieldState.SET]
    assert len(opened) == FormContext.MAX_OPENED


def test_a_value_that_takes_too_long_to_check_is_not_checked() -> None:
    expression = {
        "oneOf": [
            {"type": "object", "properties": {"op": {"const": op}, "left": {"$ref": "#/$defs/e"}}, "required": ["op"]}
            for op in ("add", "multiply", "divide")
        ]
        + [{"type": "integer"}]
    }
    form = Form({"$defs": {"e": expression}, "properties": {"e": {"$ref": "#/$defs/e"}}})
    value: Any = 1
    for _ in range(30):
        value = {"op": "divide", "left": value}
    form.load({"e": value["left"]["left"]["left"]})
    assert (form.is_checked, form.problems()) == (False, [])
    form.load({"e": {"op": "divide", "left": 1}})
    assert form.is_checked


def test_a_long_list_is_kept_as_json() -> None:
    form = Form({"properties": {"a": {"type": "array", "items": {"type": "integer"}}}})
    value = {"a": list(range(50_000))}
    form.load(value)
    assert (form.field(("a",)).kind, form.value()) == ("json", value)


def test_labels_and_titles_of_a_schema_cannot_control_the_terminal() -> None:
    form = Form({"properties": {"a": {"title": "\x1b]0;x\x07", "format": "\x1b", "enum": ["\x1b[2J"]}}})
    field = form.field(("a",))
    assert [field.title, field.format, field.choices[0].label] == ["\\x1b]0;x\\x07", "\\x1b", "\\x1b[2J"]


def wide(count: int) -> dict[str, Any]:
    """An object with very many properties, all of them required."""
    properties = {f"p{number}": {"type": "string"} for number in range(count)}
    return {"type": "object", "properties": properties, "required": [*properties]}


@pytest.mark.parametrize("path", [(), ("a",)])
def test_an_object_of_very_many_properties_has_fields_for_the_first_and_accepts_all(path: tuple[str, ...]) -> None:
    schema = wide(30_000)
    form = Form(schema if not path else {"type": "object", "properties": {"a": schema}, "required": ["a"]})
    group = form.field(path)
    assert len(group.children) == MAX_FIELDS
    assert group.fields_left_out == 30_000 - MAX_FIELDS
    form.set_value(path, {"p1": "x", "p29999": "y", "p20000": 3})
    assert group.value() == {"p1": "x", "p29999": "y", "p20000": 3}
    assert form.field((*path, "p29999")).kind == "string"
    assert group.fields_left_out == 30_000 - MAX_FIELDS - 2
    # A check of all of it would be felt at every key.
    assert not form.is_checked


def test_many_wide_groups_are_not_all_opened_unasked() -> None:
    form = Form({"type": "object", "properties": {f"g{at}": wide(300) for at in range(100)}, "required": ["g0", "g99"]})
    assert len([*form.fields()]) == 1 + 100 + 2 * MAX_FIELDS
    every = {"type": "object", "properties": {f"g{at}": wide(300) for at in range(100)}}
    form = Form(every | {"required": [*every["properties"]]})
    assert len([*form.fields()]) < 5000


@pytest.mark.parametrize("more", [{"type": "string"}, {}])
def test_an_enumeration_of_very_many_values_is_typed_and_still_checked(more: dict[str, Any]) -> None:
    form = Form({"type": "object", "properties": {"a": {"enum": [f"v{number}" for number in range(5000)], **more}}})
    assert form.field(("a",)).kind == "string"
    form.set_text(("a",), "v4999")
    assert not form.problems()
    form.set_text(("a",), "v5000")
    assert form.problems()
