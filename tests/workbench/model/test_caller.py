"""What calls tell of their caller, as people type it."""

import pytest

from workbench.model.caller import facts_text, read_facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("", {}),
        ("team=beans", {"team": "beans"}),
        (
            'team=beans region="far north" empty= a=b=c',
            {"team": "beans", "region": "far north", "empty": "", "a": "b=c"},
        ),
    ],
)
def test_words_are_facts_and_can_be_written_again(text: str, facts: dict[str, str]) -> None:
    assert read_facts(text) == facts
    assert read_facts(facts_text(facts)) == facts


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("beans", "'beans' has no value: write KEY=VALUE."),
        ("=beans", "write KEY=VALUE"),
        ('team="beans', "No closing quotation: write KEY=VALUE, in quotes"),
        ("io.modelcontextprotocol/x=1", "reserved by the protocol"),
        ("progressToken=1", "reserved by the protocol"),
    ],
)
def test_a_fact_without_a_value_is_refused_with_the_syntax(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_facts(text)
