"""The estimate of tokens stays near what the encodings of real models count."""

from tests.tables import each_row
from workbench.model.lint import definition_tokens, lint
from workbench.model.lint.cost import estimated_tokens

# Counted with o200k, the encoding of GPT-4o.
COUNTED = [
    ('{"name":"greet","description":"Greet a person by name."}', 16),
    ("The quick brown fox jumps over the lazy dog.", 10),
    ('{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["limit"]}', 27),
    ("3.14159, 2026-11-22T05:44:55Z", 19),
    ("room 1, room 2, room 3, room 14", 15),
]


@each_row(("text", "tokens"), COUNTED)
def test_an_estimate_is_within_a_quarter_of_what_a_model_counts(text: str, tokens: int) -> None:
    assert abs(estimated_tokens(text) - tokens) <= max(2, tokens / 4)


def test_the_longer_definition_costs_more() -> None:
    short = {"name": "a", "inputSchema": {"type": "object"}}
    assert definition_tokens({**short, "description": "word " * 50}) > definition_tokens(short) + 45


def test_the_most_expensive_definition_is_first_and_all_are_added_up() -> None:
    report = lint({"tools": [{"name": "a"}, {"name": "b", "description": "word " * 30}]})
    assert [item.tool for item in report.costs] == ["b", "a"]
    assert report.tokens == sum(item.tokens for item in report.costs)


def test_a_large_definition_and_too_many_tools_are_reported() -> None:
    large = {"name": "a1", "description": "Cook.", "inputSchema": {"type": "object", "title": "word " * 1100}}
    many = [{"name": f"tool_{number}"} for number in range(129)]
    assert "large-definition" in {item.rule for item in lint({"tools": [large]}).findings}
    assert "many-tools" in {item.rule for item in lint({"tools": many}).findings}
