"""What is wrong with a message before it is sent, and how messages begin."""

import json
from typing import Any

from server_core.protocol.envelope import client_meta
from server_core.protocol.revisions import LATEST, LATEST_STATELESS, REVISIONS, Revision
from tests.tables import each_row
from workbench.model.catalog import Offer, OfferKind
from workbench.model.messages.beginnings import Beginning, beginnings
from workbench.model.messages.message_check import check_message
from workbench.workspace.protocol_schemas import schema_of

STATELESS_META = client_meta(LATEST_STATELESS, {}, {"name": "test", "version": "1"})


def written(**members: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", **members}, indent=2, ensure_ascii=False)


@each_row(
    "text, revision, problem, line",
    [
        ('{"a":\n oops}', LATEST, "It is no JSON: Expecting value, in column 2.", 1),
        ("[" * 100_000, LATEST, "nested too deeply", None),
        ("[]", LATEST, "a batch, which this revision does not have", None),
        ('{"id": 1, "method": "ping"}', LATEST, '"jsonrpc" must be "2.0"', None),
        (written(id=None, method="ping"), LATEST, '"id" must be a string or an integer', None),
        (written(id=1, method="tools/cal"), LATEST, "no request 'tools/cal'; did you mean tools/call?", 3),
        (written(id=1, method="server/discover"), LATEST, "Revision 2025-11-25 has no request", 3),
        (written(method="notifications/message"), LATEST, "no notification of a client", 2),
        (written(id=1, method="tools/list"), LATEST_STATELESS, '"_meta" must be an object', None),
        (written(id=1, result={}), LATEST_STATELESS, "clients send no responses", None),
        (written(id=1, method="tools/call", params={"name": "‹tool›"}), LATEST, "‹tool› stands for a value", 5),
    ],
)
def test_a_mistake_is_described_with_its_line(text: str, revision: Revision, problem: str, line: int | None) -> None:
    problems = check_message(text, revision)
    assert any(problem in each.text and each.line == line for each in problems), problems


def test_the_params_are_validated_against_the_schema_of_the_revision() -> None:
    text = written(id=1, method="tools/call", params={"name": 3, "arguments": {}})
    problems = check_message(text, LATEST, schema_of(LATEST.date))
    assert [(each.text, each.line) for each in problems] == [('3 is not of type "string".', 5)]
    assert check_message(written(id=1, result={}), LATEST, schema_of(LATEST.date)) == []


def test_a_message_that_a_client_may_send_has_no_problem() -> None:
    assert check_message(written(id=1, method="tools/list"), LATEST) == []
    assert check_message(written(id="x", method="tools/list", params={"_meta": STATELESS_META}), LATEST_STATELESS) == []
    assert check_message(written(method="notifications/cancelled", params={"requestId": 1}), LATEST) == []
    assert check_message(written(id=1, result={}), LATEST) == []
    assert check_message("[]", REVISIONS["2025-03-26"]) == []


def test_a_message_begins_with_a_call_of_an_offer_or_with_any_method_of_the_revision() -> None:
    schema = {"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name", "age"]}
    tool = Offer(OfferKind.TOOL, "greet", "greet", "", {"inputSchema": schema})
    labels = [beginning.label for beginning in beginnings([tool], LATEST)]
    assert labels[:2] == ["tools/call greet", "initialize"]
    assert "notifications/cancelled" in labels
    assert "server/discover" not in labels
    params, placeholders = Beginning("tools/call", tool).skeleton()
    assert params == {"name": "greet", "arguments": {"name": "‹text›", "age": "‹integer›"}}
    assert placeholders == {"‹text›": True, "‹integer›": False}
