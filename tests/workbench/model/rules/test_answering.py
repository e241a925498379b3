"""Which requests a rule matches, and what it answers."""

import json
from typing import Any

import pytest

from tests.tables import each_row
from workbench.model.rules.answer_rule import (
    AnswerRule,
    CommandAnswer,
    ContentAnswer,
    ErrorAnswer,
    ModelAnswer,
    ModelApi,
    ResultAnswer,
    RootsAnswer,
    RuleAnswer,
    StandardAnswer,
    TextAnswer,
    find_rule,
)
from workbench.model.rules.answering import CannotAnswer, ErrorReply, Reply, reply_of, reply_of_output
from workbench.model.rules.tool_request import ELICITATION, ROOTS, SAMPLING, ToolRequest

SCHEMA = {"type": "object", "properties": {"oat": {"default": False}, "cups": {}}, "required": ["cups"]}
FORM = ToolRequest(ELICITATION, {"message": "Which milk?", "requestedSchema": SCHEMA}, "order", "7", client="cursor")
URL = ToolRequest(ELICITATION, {"message": "Sign in.", "mode": "url", "url": "https://example.org"})
MESSAGES = [{"role": "user", "content": {"type": "text", "text": "tea"}}]
SAMPLE = ToolRequest(SAMPLING, {"messages": MESSAGES}, "name_dish")
LIST = ToolRequest(ROOTS)
EVERY = (FORM, URL, SAMPLE, LIST)


@each_row(
    ("text", "matches"),
    [
        ("", True),
        ("tool:ORD method:elicitation", True),
        ("tool:pay", False),
        ('$.params.message == "Which milk?"', True),
        ('"which MILK"', True),
        ("$.params.requestedSchema.required", True),
        ("client:cursor kind:request dir:out !method:sampling", True),
        ("dur>5ms", False),
        ("session:s1 | era:modern", False),
    ],
)
def test_a_filter_reads_a_question_as_the_request_that_it_is(text: str, matches: bool) -> None:
    assert AnswerRule("a", StandardAnswer.ACCEPT, text).matches(FORM) is matches


@each_row(
    ("answer", "suits"),
    [
        (StandardAnswer.ACCEPT, (FORM, URL)),
        (StandardAnswer.NEVER, EVERY),
        (StandardAnswer.DECLINE, EVERY),
        (ContentAnswer({}), (FORM,)),
        (TextAnswer("a"), (SAMPLE,)),
        (RootsAnswer([]), (LIST,)),
        (ErrorAnswer(1, "a"), EVERY),
        (ResultAnswer({}), EVERY),
        (CommandAnswer(("a",)), EVERY),
        (ModelAnswer(ModelApi.OPENAI, "m", ""), (FORM, SAMPLE)),
    ],
)
def test_an_answer_is_only_for_requests_that_it_suits(answer: RuleAnswer, suits: tuple[ToolRequest, ...]) -> None:
    assert tuple(request for request in EVERY if AnswerRule("a", answer).matches(request)) == suits


def test_the_first_rule_that_matches_and_is_on_answers() -> None:
    off, other, first, second = (
        AnswerRule("off", StandardAnswer.ACCEPT, off=True),
        AnswerRule("other", StandardAnswer.ACCEPT, "tool:pay"),
        AnswerRule("first", StandardAnswer.ACCEPT),
        AnswerRule("second", StandardAnswer.DECLINE),
    )
    assert find_rule((off, other, first, second), FORM) is first
    assert find_rule((off, other), FORM) is None


@each_row(
    ("answer", "request_", "reply"),
    [
        (StandardAnswer.ACCEPT, URL, {"action": "accept"}),
        (StandardAnswer.DECLINE, FORM, {"action": "decline"}),
        (StandardAnswer.CANCEL, FORM, {"action": "cancel"}),
        (StandardAnswer.DECLINE, SAMPLE, ErrorReply(-1, "The user rejected the request.")),
        (ContentAnswer({"cups": 2}), FORM, {"action": "accept", "content": {"oat": False, "cups": 2}}),
        (
            ContentAnswer({"cups": "${request.requestedSchema.required}", "oat": "${request.message} $${request.a}"}),
            FORM,
            {"action": "accept", "content": {"cups": ["cups"], "oat": "Which milk? ${request.a}"}},
        ),
        (RootsAnswer([{"uri": "file:///a"}]), LIST, {"roots": [{"uri": "file:///a"}]}),
        (ResultAnswer({"roots": 5}), LIST, {"roots": 5}),
        (ErrorAnswer(-5, "No ${request.message}"), FORM, ErrorReply(-5, "No Which milk?")),
    ],
)
def test_a_rule_answers_with_a_value(answer: RuleAnswer, request_: ToolRequest, reply: Reply) -> None:
    assert reply_of(AnswerRule("a", answer), request_) == reply


def test_a_text_answers_as_a_model_does() -> None:
    reply = reply_of(AnswerRule("a", TextAnswer("Green ${request.messages[0].content.text}")), SAMPLE)
    assert reply == {
        "role": "assistant",
        "content": {"type": "text", "text": "Green tea"},
        "model": "workbench",
        "stopReason": "endTurn",
    }


@each_row(
    ("answer", "problem"),
    [
        (StandardAnswer.ACCEPT, "it has no value for cups"),
        (
            ContentAnswer({"cups": "${request.mesage}"}),
            "${request.mesage}: the request has no value there; it has message, requestedSchema",
        ),
    ],
)
def test_a_rule_without_an_answer_explains_why(answer: RuleAnswer, problem: str) -> None:
    with pytest.raises(CannotAnswer) as raised:
        reply_of(AnswerRule("a", answer), FORM)
    assert str(raised.value) == problem


@each_row(
    ("request_", "output", "expected"),
    [
        (FORM, '{"cups": 2}\n', {"action": "accept", "content": {"oat": False, "cups": 2}}),
        (FORM, '```json\n{"cups": 2}\n```', {"action": "accept", "content": {"oat": False, "cups": 2}}),
        (FORM, '{"action": "decline"}', {"action": "decline"}),
        (LIST, '[{"uri": "file:///a"}]', {"roots": [{"uri": "file:///a"}]}),
        (FORM, "rubbish", "it wrote 'rubbish', which is not a JSON object with the fields of the form"),
        (FORM, "", "it wrote nothing"),
        (FORM, "{}", "it has no value for cups"),
        (FORM, "[" * 5000, "which is not a JSON object"),
        (LIST, '["a"]', "which is not a JSON list of objects with a uri"),
        (SAMPLE, " ", "it wrote nothing"),
    ],
)
def test_the_output_of_a_program_is_an_answer_or_explained(request_: ToolRequest, output: str, expected: Any) -> None:
    try:
        reply: Any = reply_of_output(request_, output)
    except CannotAnswer as error:
        reply = str(error)
    assert reply == expected or (isinstance(expected, str) and expected in reply)


def test_a_program_answers_sampling_with_a_text_or_a_result() -> None:
    text = reply_of_output(SAMPLE, "Hello.\n", "m")
    assert isinstance(text, dict)
    assert (text["content"], text["model"]) == ({"type": "text", "text": "Hello."}, "m")
    whole = {"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "own"}
    assert reply_of_output(SAMPLE, json.dumps(whole)) == whole
