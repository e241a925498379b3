"""The signs beside offers."""

from typing import Any

from tests.tables import each_row
from workbench.model.catalog import offers
from workbench.model.offer_marks import OfferMarks, legend

SECRETS = [{"key": "SET", "is_set": True}, {"key": "UNSET", "is_set": False}]
ACCOUNTS = [{"account": "github", "state": "authorized"}, {"account": "slack", "state": "needs consent"}]


@each_row(
    ("definition", "signs"),
    [
        ({}, ""),
        ({"annotations": {"readOnlyHint": True, "destructiveHint": True}}, "○"),
        ({"annotations": {"destructiveHint": True}}, "▲"),
        ({"annotations": "x", "secrets": 3, "account": []}, ""),
        ({"secrets": ["SET"], "account": "github"}, ""),
        ({"secrets": ["SET", "UNSET"], "account": "slack"}, "@*"),
        ({"secrets": ["NEW"]}, "*"),
    ],
)
def test_the_signs_follow_the_definition_and_what_is_set(definition: dict[str, Any], signs: str) -> None:
    [offer] = offers({"tools": [{"name": "a"} | definition]})
    assert OfferMarks([offer], SECRETS, ACCOUNTS).of(offer) == signs


def test_the_legend_has_only_signs_in_use_and_breaks_only_between_them() -> None:
    assert legend("*○", 40) == "○ read-only  * needs secret"
    assert legend("*○", 20) == "○ read-only\n* needs secret"
    assert legend("", 20) == ""


def test_a_problem_belongs_to_the_definition_that_it_follows() -> None:
    tools = [{"name": name, "source": {"file": "a.py", "line": line}} for name, line in (("b", 20), ("a", 10))]
    shown = offers({"tools": tools})
    for line, marked in ((5, ""), (10, "a"), (19, "a"), (20, "b"), (99, "b")):
        marks = OfferMarks(shown, problems=[{"file": "a.py", "line": line}])
        assert "".join(offer.name for offer in shown if marks.of(offer)) == marked
    other = OfferMarks(shown, problems=[{"file": "other.py", "line": 10}, {"file": None, "line": None}])
    assert not any(other.of(offer) for offer in shown)


def test_an_error_about_a_function_that_is_not_offered_belongs_to_no_other() -> None:
    tools = [{"name": "Cafe_SayHello", "short_name": "SayHello", "source": {"file": "a.py", "line": 1}}]
    [offer] = offers({"tools": tools})
    for subject, sign in (("say_hello", "!"), ("search", ""), ("", "!")):
        problem = {"file": "a.py", "line": 9, "severity": "error", "subject": subject}
        assert OfferMarks([offer], problems=[problem]).of(offer) == sign


def test_a_warning_of_the_checks_is_a_problem() -> None:
    warned, other = offers({"tools": [{"name": "a"}, {"name": "b"}]})
    marks = OfferMarks([warned, other], warned={warned.key})
    assert (marks.of(warned), marks.of(other)) == ("!", "")
