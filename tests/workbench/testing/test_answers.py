"""Answers that a test prepares: which question gets which, and what becomes of those that are missing or left."""

import re
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from server_core import Context, MCPApp
from tests.workbench.testing.cafe import Milk, new_cafe
from workbench.testing import AnswersLeft, Asked, Client, ToolFailed, Unanswered, Unmet

REVISIONS_THAT_ASK = ("2025-06-18", "2025-11-25", "2026-07-28")


@pytest.fixture(params=REVISIONS_THAT_ASK)
def revision(request: pytest.FixtureRequest) -> str:
    """Each revision in which a server can ask a person."""
    return str(request.param)


def test_the_person_accepts_declines_and_cancels_in_the_order_of_writing(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client:
        client.answers.elicit({"oat": True})
        client.answers.decline()
        client.answers.cancel()
        assert [client.call("milk").text for _ in range(3)] == ["accept True", "decline", "cancel"]


def test_received_requests_can_be_inspected(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client:
        client.answers.elicit({})
        client.call("milk")
        (asked,) = client.answers.asked
    assert (asked.kind, asked.message) == ("elicitation", "Which milk?")
    assert asked.schema["properties"]["oat"]["type"] == "boolean"


def test_an_answer_can_be_worked_out_from_the_question(revision: str) -> None:
    seen = []

    def fill_in(asked: Asked) -> dict[str, Any] | None:
        seen.append(asked.message)
        return {"oat": True} if len(seen) == 1 else None

    with Client(new_cafe(), revision=revision) as client:
        client.answers.elicit(fill_in, always=True)
        assert [client.call("milk").text, client.call("milk").text] == ["accept True", "decline"]
    assert seen == ["Which milk?", "Which milk?"]


def test_the_model_answers(revision: str) -> None:
    def think(asked: Asked) -> str:
        return f"{asked.system_prompt} {asked.message}"

    with Client(new_cafe(), revision=revision) as client:
        client.answers.sample("Green Cloud", message="soup")
        client.answers.sample(think)
        client.answers.sample({"role": "assistant", "content": {"type": "text", "text": "whole"}, "model": "m"})
        texts = [client.call("name_dish").text for _ in range(3)]
    assert texts == ["Green Cloud", "You cook. Name a soup.", "whole"]


def test_the_user_can_refuse_a_request_to_the_model() -> None:
    with Client(new_cafe()) as client:
        client.answers.refuse_sample()
        with pytest.raises(ToolFailed, match="rejected"):
            client.call("name_dish")


def test_a_refusal_that_ends_the_call_fails_the_test() -> None:
    with Client(new_cafe(), revision="2026-07-28") as client:
        client.answers.refuse_sample()
        with pytest.raises(Unmet, match="name_dish: The server requested sampling, and it was refused"):
            client.call("name_dish")


def test_folders_are_shared_until_others_are(revision: str, tmp_path: Path) -> None:
    with Client(new_cafe(), revision=revision) as client:
        client.answers.roots(tmp_path)
        assert client.call("folders").text == tmp_path.as_uri()
        client.answers.roots({"uri": "file:///a"}, "/b")
        assert client.call("folders").text == "file:///a, file:///b"
        client.answers.roots()
        assert client.call("folders").text == ""


def test_an_answer_is_for_the_question_that_it_names() -> None:
    app = MCPApp("one", toolkit="")

    @app.tool
    async def both(context: Context) -> str:
        """Ask twice."""
        form = {"type": "object", "properties": {"said": {"type": "string"}}}
        first = await context.ui.elicit("Which size?", form)
        second = await context.ui.elicit("Which colour?", form)
        return f"{(first.content or {})['said']} {(second.content or {})['said']}"

    with Client(app) as client:
        client.answers.elicit({"said": "blue"}, message=re.compile("colou?r"))
        client.answers.elicit({"said": "small"}, message="size")
        assert client.call("both").text == "small blue"


@pytest.mark.parametrize(("tool", "advice"), [("milk", "elicit"), ("name_dish", "sample"), ("folders", "roots")])
def test_a_question_without_an_answer_fails_the_test_at_once(revision: str, tool: str, advice: str) -> None:
    with Client(new_cafe(), revision=revision) as client:
        with pytest.raises(Unanswered, match=rf"Answer it before the call: client\.answers\.{advice}\("):
            client.call(tool)
        assert client.call("greet", name="Ada").text == "Hello, Ada!"


def test_an_answer_that_does_not_match_is_named_where_an_answer_is_missing() -> None:
    with Client(new_cafe()) as client:
        client.answers.elicit({"oat": True}, message="sugar")
        with pytest.raises(Unanswered, match=r"does not match: elicit.*'sugar'"):
            client.call("milk")
        client.answers.clear()


async def test_a_question_without_an_answer_fails_an_async_test_at_once(revision: str) -> None:
    async with Client(new_cafe(), revision=revision) as client:
        with pytest.raises(Unanswered, match="Which milk"):
            await client.call("milk")


def test_an_assertion_in_an_answer_fails_the_test(revision: str) -> None:
    def check(asked: Asked) -> dict[str, Any]:
        assert asked.message == "Which sugar?", "the wrong question"
        return {}

    with Client(new_cafe(), revision=revision) as client:
        client.answers.elicit(check)
        with pytest.raises(AssertionError, match="the wrong question"):
            client.call("milk")


def test_unused_answers_fail_the_test() -> None:
    with ExitStack() as stack:
        client = stack.enter_context(Client(new_cafe()))
        client.answers.sample("never", message="soup")
        client.answers.decline(always=True)
        with pytest.raises(AnswersLeft, match=r"these answers were not requested; .*\nsample\(\"never\"\) to 'soup'$"):
            stack.close()


def test_answers_that_are_left_do_not_hide_why_a_test_failed() -> None:
    def fail() -> None:
        with Client(new_cafe()) as client:
            client.answers.sample("never")
            client.call("stumble")

    with pytest.raises(ToolFailed):
        fail()


async def test_unused_answers_fail_an_async_test() -> None:
    with pytest.raises(AnswersLeft):
        async with Client(new_cafe()) as client:
            client.answers.decline()


def test_a_form_of_a_single_value_is_filled_in_by_its_only_field(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client:
        client.answers.elicit({"value": 3})
        assert client.call("count_guests").text == "3"


def test_a_form_may_be_filled_in_with_a_model_and_what_has_a_json_form() -> None:
    with Client(new_cafe()) as client:
        client.answers.elicit(Milk(oat=True))
        client.answers.elicit(lambda asked: Milk(oat=True))
        assert [client.call("milk").text for _ in range(2)] == ["accept True", "accept True"]
        client.answers.elicit({"oat": True, "when": date(2026, 1, 2)})
        client.call("milk")
        assert '"when":"2026-01-02"' in client.story()


def test_an_invalid_answer_is_reported_where_it_is_written() -> None:
    with Client(new_cafe()) as client:
        with pytest.raises(Unmet, match="its only field is 'value'"):
            client.answers.elicit(3)  # type: ignore[arg-type]
        with pytest.raises(Unmet, match=", not with 42"):
            client.answers.sample(42)  # type: ignore[arg-type]
        client.answers.elicit(lambda asked: 3, always=True)  # type: ignore[arg-type, return-value]
        with pytest.raises(Unmet, match=r"with its fields, such as \{'oat': True\}, not with 3"):
            client.call("milk")
        client.answers.sample(lambda asked: None)  # type: ignore[arg-type, return-value]
        with pytest.raises(Unmet, match=", not with None"):
            client.call("name_dish")
