"""The syntax of a filter: its canonical text is read as the same filter, whatever was typed."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from workbench.model.traffic.filter import EVERYTHING, both, parse_filter
from workbench.model.traffic.filter_parser import parse_syntax
from workbench.model.traffic.filter_syntax import Negation, Node, Term, all_of, any_of
from workbench.model.traffic.filter_tokens import FilterError, Token

_TEXT = st.text(
    st.sampled_from('ab:@>"/\\()|&! 1.$') | st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8
)
_TOKENS = st.one_of(
    st.builds(lambda text: Token("word", text, 0), _TEXT),
    st.builds(lambda name, text: Token("field", text, 0, name), st.sampled_from(["tool", "method", "text"]), _TEXT),
    st.builds(lambda text, quotes: Token("field", text, 0, "id", is_quoted=quotes), _TEXT, st.booleans()),
    st.builds(
        lambda name, operator, number: Token("compare", str(number), 0, name, operator),
        st.sampled_from(["dur", "size", "seq"]),
        st.sampled_from([">", "<", ">=", "<=", "="]),
        st.integers(0, 10**9),
    ),
    st.builds(
        lambda path, operator, text, quotes: Token("path", text, 0, path, operator, quotes),
        st.sampled_from(["$.a", "$.a.*[0]", '$["a b"]']),
        st.sampled_from(["==", "!=", ">", "<="]),
        _TEXT,
        st.booleans(),
    ),
    st.builds(lambda path: Token("path", "", 0, path, "exists"), st.sampled_from(["$.a", "$[*]"])),
    st.builds(lambda: Token("path", "a|b", 0, "$.a", "=~")),
    st.builds(lambda: Token("regex", r"a\/(b|c) ", 0)),
)
_NODES = st.recursive(
    st.builds(lambda token: Term(token, bool), _TOKENS),
    lambda nodes: st.one_of(
        st.builds(Negation, nodes),
        st.builds(all_of, st.lists(nodes, min_size=1, max_size=3)),
        st.builds(any_of, st.lists(nodes, min_size=1, max_size=3)),
    ),
    max_leaves=6,
)


@settings(deadline=None, database=None, max_examples=300)
@given(_NODES)
def test_the_canonical_text_of_a_filter_is_read_as_the_same_filter(node: Node) -> None:
    syntax = parse_syntax(node.text).syntax
    assert _unquoted(syntax) == _unquoted(node)
    assert syntax.text == parse_syntax(syntax.text).syntax.text


@settings(deadline=None, database=None, max_examples=300)
@given(st.text(st.sampled_from('ab:@>="/\\()|&! 1$.k') | st.characters(), max_size=20))
@example("a | (b c) d")
@example("!(tool:x !y)")
def test_what_was_typed_has_the_canonical_text_of_an_equal_filter(text: str) -> None:
    try:
        filter = parse_filter(text)
    except FilterError:
        return
    again = parse_filter(filter.text)
    assert (again.syntax, again.text) == (filter.syntax, filter.text)


def _unquoted(node: Node) -> str:
    """The tree of a filter as text; values without quotes that need some have them."""
    match node:
        case Term():
            return node.text
        case Negation():
            return f"not({_unquoted(node.inner)})"
    return f"{type(node).__name__}{[_unquoted(part) for part in node.parts]}"


@each_row(
    ("text", "canonical"),
    [
        ("  tool:greet   &  status:err ", "tool:greet status:err"),
        ('"greet" tool:"greet" id:"7"', 'greet tool:greet id:"7"'),
        ("(a|(b c))|d", "a | b c | d"),
        ("((a | b)) c", "(a | b) c"),
        ("! ( a b )", "!(a b)"),
        ("DUR>500ms $.a==5 $.b", "dur>500ms $.a == 5 $.b exists"),
        ('x "y:z"', 'x "y:z"'),
        ("", ""),
    ],
)
def test_the_canonical_text_has_quotes_and_brackets_only_where_they_are_needed(text: str, canonical: str) -> None:
    assert parse_filter(text).text == canonical


def test_two_filters_are_joined_to_the_filter_for_what_matches_both() -> None:
    assert both(parse_filter("a | b"), parse_filter("$.x == 1")) == "(a | b) $.x == 1"
    assert both(EVERYTHING, parse_filter("a|b")) == "a | b"
    assert both(EVERYTHING, EVERYTHING) == ""


def test_a_saved_filter_is_written_out_where_its_name_stands() -> None:
    saved = {"slow": "dur>1s", "mine": "@slow tool:greet | tool:add"}
    assert parse_filter("!@mine status:ok", saved).text == "!(dur>1s tool:greet | tool:add) status:ok"
    assert parse_filter("@slow", {}).hint.startswith("there is no saved filter @slow")
    assert parse_filter("@example.org", saved).hint == ""


@each_row(
    ("text", "saved", "problem"),
    [
        ("a @b", {"b": "status:x"}, "in the saved filter @b: status: is one of"),
        ("@a", {"a": "@b", "b": "@a"}, "stands for itself"),
    ],
)
def test_a_problem_of_a_saved_filter_is_reported_where_its_name_stands(
    text: str, saved: dict[str, str], problem: str
) -> None:
    with pytest.raises(FilterError, match=re.escape(problem)) as caught:
        parse_filter(text, saved)
    assert caught.value.position == text.index("@")


@each_row(
    ("text", "positions"),
    [
        ("tol:greet status:maybe", [0, 10]),
        ("foo:1 kind:x dur>soon", [0, 6, 13]),
        ("status:maybe (a", [0, 13]),
    ],
)
def test_all_problems_of_a_filter_are_reported_at_once(text: str, positions: list[int]) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    problems = (caught.value, *caught.value.others)
    assert [each.position for each in problems] == positions
    assert all(each.message in str(caught.value) for each in problems)
