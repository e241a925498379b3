"""The difference between the answers to a message and to the same message when it was sent again."""

import json
from typing import Any

from workbench.model.messages.answer_difference import answer_difference


def answer(number: int, **members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, **members}).encode()


def test_an_answer_that_asks_the_same_again_is_the_same_although_its_state_is_new() -> None:
    def asking(state: str, elicitation: str) -> dict[str, Any]:
        params = {"mode": "url", "url": "https://example.org", "elicitationId": elicitation}
        request = {"method": "elicitation/create", "params": params}
        return {"resultType": "input_required", "requestState": state, "inputRequests": {"1": request}}

    assert answer_difference(answer(1, result=asking("a", "x")), answer(2, result=asking("b", "y"))) == []


def test_the_identifier_and_the_times_of_a_task_are_new_in_each_answer_but_its_status_is_not() -> None:
    def task(name: str, status: str) -> dict[str, Any]:
        return {"taskId": name, "status": status, "createdAt": f"{name}Z", "lastUpdatedAt": f"{name}Z", "ttl": 60}

    for shape in (lambda task: {"task": task}, lambda task: task):
        before, same, other = (shape(task(*values)) for values in (("1", "working"), ("2", "working"), ("3", "failed")))
        assert answer_difference(answer(1, result=before), answer(2, result=same)) == []
        (change,) = answer_difference(answer(1, result=before), answer(3, result=other))
        assert change.splitlines()[0].endswith("status")


def test_the_links_of_meta_and_the_urls_of_an_error_are_new_in_each_answer() -> None:
    def linked(number: int) -> dict[str, Any]:
        prefix = "io.modelcontextprotocol/"
        return {"_meta": {f"{prefix}subscriptionId": number, f"{prefix}related-task": {"taskId": str(number)}}}

    def refused(number: int) -> dict[str, Any]:
        return {"code": -32042, "message": "", "data": {"elicitations": [{"elicitationId": str(number)}]}}

    assert answer_difference(answer(1, result=linked(1)), answer(2, result=linked(2))) == []
    assert answer_difference(answer(1, error=refused(1)), answer(2, error=refused(2))) == []


def test_what_a_tool_returns_under_the_same_names_is_compared() -> None:
    before, after = ({"structuredContent": {"taskId": name, "requestState": name}} for name in ("a", "b"))
    assert answer_difference(answer(1, result=before), answer(2, result=after)) == [
        '~ result.structuredContent.taskId\n  "a" → "b"',
        '~ result.structuredContent.requestState\n  "a" → "b"',
    ]


def test_a_state_that_only_one_answer_has_is_a_change() -> None:
    changes = answer_difference(answer(1, result={}), answer(2, result={"requestState": "x"}))
    assert changes == ['+ result.requestState\n  "(new in each answer)"']
