"""What a message violates, with the path, the definition of the schema and the page of the specification."""

from typing import Any

from server_core.protocol.methods import METHODS, NOTIFICATIONS
from server_core.protocol.revisions import REVISIONS
from tests.tables import each_row
from workbench.model.messages.violations import describe_violations, section_of, violations
from workbench.workspace.protocol_schemas import schema_of

DATE = "2025-11-25"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add", "arguments": {}}}
SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}


def described(message: dict[str, Any], *, output_schema: Any = None, date: str = DATE) -> str:
    schema = schema_of(date)
    assert schema is not None
    method = message.get("method", CALL["method"])
    return "\n".join(describe_violations(violations(schema, message, CALL, output_schema), method, date))


def result(**members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": members}


@each_row(
    "message, output_schema, expected",
    [
        (result(content=[{"type": "text"}]), None, '$.result.content[0]: "text" is a required property'),
        (result(content=[{"type": "txt", "text": "a"}]), None, "$.result.content[0]: "),
        (result(), None, '$.result: "content" is a required property'),
        (result(content=[]), SUM, "$.result: structuredContent is missing"),
        (
            result(content=[], structuredContent={"sum": "3"}),
            SUM,
            '$.result.structuredContent.sum: "3" is not of type "integer"',
        ),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": "m"}}, None, '$.error.code: "x" is not of type'),
        (CALL | {"params": {"arguments": {}}}, None, '$.params: "name" is a required property'),
        (CALL | {"method": "server/discover"}, None, "$.method: server/discover is no method of this revision"),
        ({"method": "notifications/progress", "params": {"progress": 1}}, None, '$.params: "progressToken" is a'),
    ],
)
def test_a_violation_names_its_place(message: dict[str, Any], output_schema: Any, expected: str) -> None:
    assert expected in described(message, output_schema=output_schema)


def test_the_rule_is_named_below_the_violation() -> None:
    assert "CallToolResult · 2025-11-25, server/tools" in described(result())
    assert "the output schema of the tool · 2025-11-25, server/tools" in described(
        result(content=[]), output_schema=SUM
    )


@each_row(
    "message, output_schema",
    [
        (CALL, None),
        (result(content=[{"type": "text", "text": "3"}], structuredContent={"sum": 3}, more="open"), SUM),
        (result(content=[], isError=True), SUM),
        (result(content=[], structuredContent={"sum": "<secret KEY>"}), SUM),
        (result(content=[], structuredContent={}), {"type": 3}),
        ({"jsonrpc": "2.0", "id": 1, "method": "our/own", "params": {}}, None),
        ({"jsonrpc": "2.0", "id": 1, "result": 3}, None),
    ],
)
def test_what_the_specification_leaves_open_is_no_violation(message: dict[str, Any], output_schema: Any) -> None:
    assert described(message, output_schema=output_schema) == ""


def test_every_method_of_a_revision_has_a_definition_and_a_page() -> None:
    for date in REVISIONS:
        schema = schema_of(date)
        assert schema is not None
        for method in (*METHODS.values(), *NOTIFICATIONS.values()):
            assert section_of(method.name, date)
    assert schema_of("1999-01-01") is None
    assert section_of("subscriptions/listen", "2026-07-28") == "basic/patterns/subscriptions"
