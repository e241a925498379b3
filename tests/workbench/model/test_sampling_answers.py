"""The results of sampling requests that a user answers."""

import pytest

from tests.tables import each_row
from workbench.model.sampling_answers import sampling_result


def test_a_text_is_an_answer_that_ends_the_turn() -> None:
    assert sampling_result("@add is a\ntext", [], "m", "") == {
        "role": "assistant",
        "content": {"type": "text", "text": "@add is a\ntext"},
        "model": "m",
        "stopReason": "endTurn",
    }


def test_lines_with_the_name_of_an_offered_tool_are_uses_of_it() -> None:
    result = sampling_result('Let me see.\n@add {"a": 1}\n@add\n@other {}', ["add"], "m", "")
    assert result["stopReason"] == "toolUse"
    assert result["content"] == [
        {"type": "text", "text": "Let me see.\n@other {}"},
        {"type": "tool_use", "id": "use-1", "name": "add", "input": {"a": 1}},
        {"type": "tool_use", "id": "use-2", "name": "add", "input": {}},
    ]


def test_the_user_may_give_the_stop_reason() -> None:
    assert sampling_result("x", [], "m", "maxTokens")["stopReason"] == "maxTokens"


@each_row("arguments", ["{", "[1]", "x", '{"a": NaN}', "[" * 100_000])
def test_arguments_that_are_no_object_are_refused(arguments: str) -> None:
    with pytest.raises(ValueError, match="The arguments of add are no JSON"):
        sampling_result(f"@add {arguments}", ["add"], "m", "")
