"""Rules in `workbench.yaml`: what a text may contain, the mistakes in it, and that a rule is written as it is read."""

from typing import Any

from tests.tables import each_row
from workbench.model.project_yaml import RULES
from workbench.model.rules.answer_rule import (
    MODEL_URLS,
    AnswerRule,
    CommandAnswer,
    ContentAnswer,
    ErrorAnswer,
    ModelAnswer,
    ModelApi,
    ResultAnswer,
    RootsAnswer,
    StandardAnswer,
    TextAnswer,
)
from workbench.model.rules.rule_yaml import rule_to_yaml
from workbench.model.rules.rules_text import parse_rules
from workbench.model.yaml_entries import with_entry

TEXT = """\
calls:
  menu: {resource: demo://menu}
rules:
  yes to orders:
    match: tool:order $.params.message == "Sure?"
    answer: accept
    delay: 1.5
    limit: 3
    off: true
  oat: {content: {oat: true}}
  poem: {text: "About ${request.messages[0].content.text}"}
"""


def test_a_rule_has_a_filter_and_an_answer() -> None:
    read = parse_rules(TEXT)
    assert read.problems == ()
    assert read.rules[0] == AnswerRule(
        "yes to orders", StandardAnswer.ACCEPT, 'tool:order $.params.message == "Sure?"', 1.5, 3, off=True
    )
    assert read.rules[1:] == (
        AnswerRule("oat", ContentAnswer({"oat": True})),
        AnswerRule("poem", TextAnswer("About ${request.messages[0].content.text}")),
    )
    assert (read.find("oat"), read.find("gone")) == (read.rules[1], None)


MODEL = ModelAnswer(ModelApi.ANTHROPIC, "m", MODEL_URLS[ModelApi.ANTHROPIC], "KEY")


@each_row(
    ("text", "rule"),
    [
        ("{answer: decline}", AnswerRule("a", StandardAnswer.DECLINE)),
        ("{result: {action: cancel}}", AnswerRule("a", ResultAnswer({"action": "cancel"}))),
        ("{roots: ['file:///a']}", AnswerRule("a", RootsAnswer([{"uri": "file:///a"}]))),
        ("{error: No.}", AnswerRule("a", ErrorAnswer(-1, "No."))),
        ("{error: {code: 5, message: No.}}", AnswerRule("a", ErrorAnswer(5, "No."))),
        ("{command: python 'a b.py'}", AnswerRule("a", CommandAnswer(("python", "a b.py")))),
        ("{command: [a, b c], timeout: 2}", AnswerRule("a", CommandAnswer(("a", "b c"), 2))),
        ("{model: m, api: anthropic, key: '${secret:KEY}'}", AnswerRule("a", MODEL, off=True)),
        ("{model: m, api: anthropic, key: '${secret:KEY}', off: false}", AnswerRule("a", MODEL)),
        (
            "{model: m, api: openai, url: 'http://localhost:1/v1/', max_tokens: 5, timeout: 3, confirm: false}",
            AnswerRule("a", ModelAnswer(ModelApi.OPENAI, "m", "http://localhost:1/v1", "", 5, 3, False), off=True),
        ),
    ],
)
def test_each_kind_of_answer_is_written_as_it_is_read(text: str, rule: AnswerRule) -> None:
    assert parse_rules(f"rules:\n  a: {text}\n").rules == (rule,)
    assert parse_rules(with_entry(TEXT, RULES, "a", rule_to_yaml(rule))).find("a") == rule


@each_row(
    ("text", "problem"),
    [
        ("answer", "line 2: a: write `match: FILTER` and `answer: accept` below it"),
        ("{match: x}", "write exactly one of answer, content, text, result, roots, error, command, model"),
        ("{answer: accept, text: a}", "write exactly one of answer"),
        ("{anser: accept}", "write exactly one of answer"),
        ("{answer: accept, mach: a}", "there is no mach; did you mean match?"),
        (
            "{answer: accept, timeout: 1}",
            "there is no timeout; a rule with answer has match, delay, limit, off",
        ),
        ("{answer: yes}", "answer is one of accept, decline, cancel, never"),
        ("{answer: accept, match: 'tool:'}", "match is no filter: tool: needs a value directly after it"),
        ("{answer: accept, match: 5}", "match must be a text"),
        ("{answer: accept, delay: -1}", "delay is a number from 0 to 3600"),
        ("{answer: accept, limit: 1.5}", "limit is an integer from 1 to 10000"),
        ("{answer: accept, off: no}", "off is true or false"),
        ("{content: 5}", "content must be a mapping of fields to values"),
        ("{text: 5}", "text must be a text"),
        ("{roots: a}", "roots must be a list of URIs"),
        ("{roots: [{name: a}]}", "a root is a URI, or a mapping with uri and name"),
        ("{error: {code: a, message: b}}", "error has a message, and perhaps a code"),
        ("{command: []}", "command is a text, or a list of texts"),
        ('{command: "a \'b"}', "command: No closing quotation"),
        ("{model: m}", "a rule with model needs an api: openai or anthropic"),
        ("{model: m, api: other}", "api is openai or anthropic"),
        ("{model: m, api: openai, url: 'ftp://a'}", "url begins with https:// or http://"),
        ("{text: '${last.result.a}'}", "${last.result.a} is not a reference of a rule; write ${request.PATH}"),
        ("{content: {a: ['${secret:KEY}']}}", "${secret:KEY} is not a reference of a rule"),
    ],
)
def test_a_mistake_in_a_rule_has_its_line(text: str, problem: str) -> None:
    read = parse_rules(f"rules:\n  a: {text}\n")
    assert read.rules == ()
    assert read.problems[0].startswith("line 2: a: ")
    assert problem in read.problems[0]


def test_a_key_that_is_no_secret_is_not_repeated() -> None:
    (problem,) = parse_rules("rules:\n  a: {model: m, api: openai, key: sk-12345}\n").problems
    assert "write ${secret:NAME}" in problem
    assert "12345" not in problem


@each_row("damage", ["  bad: {answer: perhaps}\n", "  bad: {answer: [}\n", "  bad:\n"])
def test_the_rest_of_a_file_with_a_malformed_rule_is_used(damage: Any) -> None:
    read = parse_rules(TEXT + damage + "  last: {answer: cancel}\n")
    assert [rule.name for rule in read.rules] == ["yes to orders", "oat", "poem", "last"]
    assert [problem.partition(":")[0] for problem in read.problems] == ["line 12"]
