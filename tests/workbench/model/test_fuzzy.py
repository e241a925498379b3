"""Fuzzy matching: what matches, what is better, and how long it takes."""

from tests.tables import each_row
from workbench.model.fuzzy import contained, fuzzy_match


@each_row(
    ("query", "text"),
    [
        ("greet", "greet"),
        ("grt", "greet"),
        ("GREET", "say_greeting"),
        ("say_hello", "EchoServer_SayHello"),
        ("sayhello", "EchoServer_SayHello"),
        ("", "anything"),
    ],
)
def test_the_characters_of_the_query_are_in_the_text_in_this_order(query: str, text: str) -> None:
    assert fuzzy_match(query, text) is not None


@each_row(("query", "text"), [("tgr", "greet"), ("greets", "greet"), ("x", ""), ("say_x", "SayHello")])
def test_other_texts_do_not_match(query: str, text: str) -> None:
    assert fuzzy_match(query, text) is None


def test_texts_are_ordered_by_their_similarity() -> None:
    texts = ["boom", "boom_fatal", "big_boom", "BigBoom", "kaboom", "b_o_o_m_later", "bar_of_oom"]
    scores = [match.score for text in texts if (match := fuzzy_match("boom", text)) is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == len(texts)


@each_row(
    ("query", "text", "positions"),
    [
        ("boom", "kaboom big_boom", [11, 12, 13, 14]),
        ("oo", "kaboom", [3, 4]),
        ("gt", "g_greet", [2, 6]),
        ("hello", "SayHello", [3, 4, 5, 6, 7]),
    ],
)
def test_the_matched_characters_are_close_together(query: str, text: str, positions: list[int]) -> None:
    match = fuzzy_match(query, text)
    assert match is not None
    assert list(match.positions) == positions


def test_a_hostile_text_takes_no_longer_than_another() -> None:
    assert fuzzy_match("ab" * 500 + "c", "ab" * 5_000_000) is None


def test_a_description_contains_a_word_or_does_not_match() -> None:
    assert contained("clean", "Clean up") is not None
    assert contained("clup", "Clean up") is None
