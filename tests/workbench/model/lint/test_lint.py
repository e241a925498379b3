"""What models and clients stumble over is found in the definitions, and what is fine is left alone."""

from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.lint import lint
from workbench.model.lint.schema_walk import MAX_NODES, placed_subschemas

HINTS = {"readOnlyHint": True}


def tool(**members: Any) -> dict[str, Any]:
    schema = members.pop("schema", {"type": "object", "properties": {}})
    plain = {
        "name": "find_dish",
        "description": "Find a dish on the menu.",
        "annotations": HINTS,
        "inputSchema": schema,
    }
    return plain | members


def with_parameter(parameter: dict[str, Any], name: str = "limit") -> dict[str, Any]:
    return tool(schema={"type": "object", "properties": {name: parameter}})


def rules(*tools: dict[str, Any]) -> list[str]:
    return [item.rule for item in lint({"tools": list(tools)}).findings]


def test_a_complete_tool_has_no_findings() -> None:
    limit = {"type": "integer", "minimum": 1, "maximum": 50, "description": "Between 1 and 50."}
    assert rules(with_parameter(limit)) == []


@each_row(
    ("name", "rule"),
    [
        ("find dish", "tool-name"),
        ("Käse", "tool-name"),
        ("menu.find", "tool-name"),
        ("a" * 65, "tool-name"),
        ("a" * 50, "long-name"),
        ("run", "vague-name"),
    ],
)
def test_names_that_clients_refuse_or_cut_or_that_have_no_meaning(name: str, rule: str) -> None:
    assert rules(tool(name=name)) == [rule]


@pytest.mark.parametrize(("length", "rule"), [(50, "long-name"), (65, "tool-name")])
def test_a_name_that_only_its_toolkit_makes_too_long_is_mended_there(length: int, rule: str) -> None:
    kit = "A" * (length - 5)
    (finding,) = lint({"tools": [tool(name=f"{kit}_Find", short_name="Find")]}).findings
    assert finding.rule == rule
    assert finding.fix == f"Give the app a shorter name, or a `toolkit=`: '{kit}_' is its prefix."
    (finding,) = lint({"tools": [tool(name=f"A_{'F' * length}", short_name="F" * length)]}).findings
    assert "toolkit" not in finding.fix


def test_names_that_differ_only_in_case_or_separators() -> None:
    assert "similar-names" in rules(tool(name="find_dish"), tool(name="FindDish"))


@each_row(
    ("description", "rule"),
    [("", "missing-description"), ("Find dish", "short-description"), ("x " * 600, "long-description")],
)
def test_descriptions_that_do_not_help(description: str, rule: str) -> None:
    assert rules(tool(description=description)) == [rule]


def test_parameters_without_a_description_are_named_together() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    findings = lint({"tools": [tool(schema=schema)]}).findings
    assert [item.rule for item in findings] == ["parameter-description"]
    assert "a, b" in findings[0].message


@each_row(
    ("description", "parameter"),
    [
        ("How many, at most 50.", {"type": "integer"}),
        ("Between 1 and 10", {"type": "number"}),
        ("Must be positive.", {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        ("A share, 0-1.", {"type": "number"}),
        ("At least 3 characters.", {"type": "string"}),
        ("Either 'metric' or 'imperial'.", {"type": "string"}),
        ("The order: `up` or `down`.", {"type": "string"}),
        ("The address, a valid URL.", {"type": "string"}),
        ("One of 'asc', 'desc'.", {"type": "string"}),
        ("The day, as YYYY-MM-DD.", {"type": "string"}),
    ],
)
def test_a_limit_in_prose_alone_is_a_finding(description: str, parameter: dict[str, Any]) -> None:
    assert rules(with_parameter({**parameter, "description": description})) == ["limit-in-prose"]


@each_row(
    "parameter",
    [
        {"type": "integer", "maximum": 50, "description": "At most 50."},
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "description": "At least 1."},
        {"type": "string", "enum": ["asc", "desc"], "description": "One of 'asc', 'desc'."},
        {"type": "string", "format": "date", "description": "As YYYY-MM-DD."},
        {"type": "string", "description": "The name of the dish."},
        {"type": "string", "format": "date", "description": "The day, such as 2026-01-02."},
        {"type": "string", "description": "A version, for example 1.2-3 or 2026-01."},
        {"type": "string", "description": "A summary of 3-5 sentences, at most 100 words."},
        {"type": "string", "description": "A city, such as 'Paris' or 'London'."},
        {"type": "string", "description": "A name or an e-mail address"},
        {"type": "string", "description": "Its id; defaults to a random UUID."},
        {"type": "boolean", "description": "Whether to give at most 10."},
    ],
)
def test_a_limit_that_the_schema_has_too_is_fine(parameter: dict[str, Any]) -> None:
    assert rules(with_parameter(parameter)) == []


@each_row(
    ("schema", "rule"),
    [
        ({"type": "string"}, "schema-root"),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, "schema-root"),
        (
            {"type": "object", "$defs": {}, "properties": {"a b": {"type": "string", "description": "x"}}},
            "parameter-name",
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "https://x.example/s", "description": "x"}}},
            "remote-reference",
        ),
    ],
)
def test_schemas_that_clients_refuse_whole(schema: dict[str, Any], rule: str) -> None:
    assert rules(tool(schema=schema)) == [rule]


@each_row(
    ("parameter", "rule"),
    [
        ({"type": "array"}, "array-items"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "tuple"),
        ({"type": ["string", "null"]}, "type-list"),
        ({"enum": [1, 2]}, "enum-values"),
        ({}, "untyped"),
        ({"type": "object", "additionalProperties": True}, "open-object"),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "one-of"),
        ({"type": "string", "format": "uri"}, "string-format"),
        ({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, "conditional-schema"),
        ({"type": "integer", "default": "many"}, "refused-value"),
        ({"type": "string", "examples": [3]}, "refused-value"),
    ],
)
def test_parts_of_schemas_that_some_clients_refuse(parameter: dict[str, Any], rule: str) -> None:
    assert rules(with_parameter({**parameter, "description": "What it is."})) == [rule]


def test_a_type_that_contains_itself() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node", "description": "x"}}}
    root = {"$ref": "#/$defs/Node", "description": "x"}
    assert rules(tool(schema={"type": "object", "properties": {"root": root}, "$defs": {"Node": node}})) == [
        "recursive-type"
    ]


def test_a_definition_that_is_used_twice_does_not_hold_itself() -> None:
    point = {"type": "object", "properties": {"x": {"type": "number", "description": "x"}}}
    ends = {name: {"$ref": "#/$defs/Point", "description": "x"} for name in ("start", "end")}
    assert rules(tool(schema={"type": "object", "properties": ends, "$defs": {"Point": point}})) == []


def test_schemas_too_deep_or_too_wide_for_a_model() -> None:
    deep: dict[str, Any] = {"type": "string", "description": "x"}
    for _ in range(12):
        deep = {"type": "object", "description": "x", "properties": {"a": deep}}
    assert rules(with_parameter(deep)) == ["schema-depth"]
    lists: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "description": "x"}
    assert rules(with_parameter(lists, name="items")) == []
    for _ in range(10):
        lists = {"type": "array", "items": lists, "description": "x"}
    assert rules(with_parameter(lists)) == ["schema-depth"]


def test_levels_are_counted_through_definitions() -> None:
    names = [f"T{i}" for i in range(12)]
    inner = {"T12": {"type": "object", "properties": {"x": {"type": "string", "description": "x"}}}}
    definitions = inner | {
        name: {"type": "object", "properties": {"next": {"$ref": f"#/$defs/T{i + 1}", "description": "x"}}}
        for i, name in enumerate(names)
    }
    root = {"type": "object", "properties": {"a": {"$ref": "#/$defs/T0", "description": "x"}}, "$defs": definitions}
    (finding,) = lint({"tools": [tool(schema=root)]}).findings
    assert finding.rule == "schema-depth"
    assert "is 14 levels deep" in finding.message


def test_types_that_hold_each_other_are_not_called_deep_as_well() -> None:
    ring = {
        f"T{i}": {"type": "object", "properties": {"next": {"$ref": f"#/$defs/T{(i + 1) % 12}", "description": "x"}}}
        for i in range(12)
    }
    root = {"type": "object", "properties": {"a": {"$ref": "#/$defs/T0", "description": "x"}}, "$defs": ring}
    assert rules(tool(schema=root)) == ["recursive-type"]


@pytest.mark.parametrize(("count", "severity"), [(101, "advice"), (5001, "warning")])
def test_schemas_with_very_many_properties(count: int, severity: str) -> None:
    wide = {"type": "object", "properties": {f"p{i}": {"type": "string", "description": "x"} for i in range(count)}}
    findings = [item for item in lint({"tools": [tool(schema=wide)]}).findings if item.rule == "schema-width"]
    assert [item.severity for item in findings] == [severity]


@each_row(
    ("choices", "expected"),
    [
        ([str(i) for i in range(1000)], []),
        ([str(i) for i in range(1001)], ["many-choices"]),
        (["x" * 61 for _ in range(251)], ["many-choices"]),
        (["x" * 61 for _ in range(200)], []),
    ],
)
def test_lists_of_choices_that_are_too_long(choices: list[str], expected: list[str]) -> None:
    findings = rules(with_parameter({"type": "string", "enum": choices, "description": "x"}))
    assert [item for item in findings if item != "large-definition"] == expected


def test_the_fix_of_a_limit_in_prose_fits_the_type() -> None:
    for description, kind, fix in (
        ("At least 3 characters.", "string", "min_length"),
        ("At most 3.", "array", "max_length"),
        ("At most 3.", "integer", "ge=1"),
        ("An e-mail address.", "string", "email"),
        ("As HH:MM.", "string", "datetime.time"),
    ):
        parameter = {"type": kind, "description": description} | (
            {"items": {"type": "string"}} if kind == "array" else {}
        )
        here = {"source": {"file": "a.py", "line": 1}}
        (finding,) = lint({"tools": [with_parameter(parameter) | here]}).findings
        assert fix in finding.fix
        (finding,) = lint({"tools": [with_parameter(parameter)]}).findings
        assert finding.fix == "Declare it in the schema."


def test_missing_hints_are_reported_once_for_all_tools() -> None:
    findings = lint({"tools": [tool(name="a1", annotations={}), tool(name="b1", annotations=None)]}).findings
    assert [item.rule for item in findings] == ["missing-hints"]
    assert "a1, b1" in findings[0].message


@each_row(
    ("members", "rule"),
    [
        ({"annotations": {"readOnlyHint": True, "destructiveHint": True}}, "contradicting-hints"),
        ({"name": "delete_dish", "annotations": {"readOnlyHint": True}}, "read-only-name"),
        ({"name": "Shop_DeleteDish", "annotations": {"readOnlyHint": True}}, "read-only-name"),
    ],
)
def test_hints_that_contradict(members: dict[str, Any], rule: str) -> None:
    assert rules(tool(**members)) == [rule]


def test_results_that_older_clients_get_as_text_alone() -> None:
    assert rules(tool(outputSchema={"type": "array", "items": {"type": "string"}})) == ["output-root"]


def test_prompts_and_resources_without_a_description() -> None:
    catalog = {
        "resources": [{"uri": "a://b", "name": "b"}],
        "templates": [{"uriTemplate": "a://{b}", "name": "b", "description": "One.", "mimeType": "text/plain"}],
        "prompts": [{"name": "p", "description": "Plan.", "arguments": [{"name": "day"}]}],
    }
    assert [item.rule for item in lint(catalog).findings] == [
        "missing-description",
        "missing-mime-type",
        "parameter-description",
    ]


def test_a_missing_description_is_not_reported_twice() -> None:
    problem = {"message": "Tool 'find_dish' is missing a description.", "file": "/p/server.py", "line": 7}
    bare = tool(description=None, source={"file": "/p/server.py", "line": 7})
    assert lint({"tools": [bare], "problems": [problem]}).findings == ()
    assert lint({"tools": [bare], "problems": []}).findings


def test_warnings_come_before_advice_and_each_knows_its_declaration() -> None:
    source = {"file": "/p/server.py", "line": 7}
    findings = lint({"tools": [tool(name="run", source=source), tool(name="a b", source=source)]}).findings
    assert [(item.severity, item.file, item.line) for item in findings] == [
        ("warning", "/p/server.py", 7),
        ("advice", "/p/server.py", 7),
    ]


@each_row("junk", [None, 3, [], "x", {"properties": [], "anyOf": 3, "enum": 1, "$defs": 3}])
def test_definitions_of_any_quality_are_looked_at(junk: Any) -> None:
    catalog = {"tools": [{"inputSchema": junk, "name": junk, "annotations": junk}, junk], "prompts": junk}
    assert lint(catalog).findings


def test_only_so_much_of_a_huge_schema_is_looked_at() -> None:
    schema: dict[str, Any] = {"type": "string", "description": "x"}
    for _ in range(6):
        schema = {"type": "object", "description": "x", "properties": dict.fromkeys("abcde", schema)}
    assert len(list(placed_subschemas(schema))) == MAX_NODES
    assert "large-definition" in rules(with_parameter(schema))
